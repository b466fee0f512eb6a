"""The memory of a training step against depth: reversible and ordinary layers.

Each measurement is a process of its own, so that the peak is that of one stack. The
gradients of both stacks are compared in float64.

python -m experiments.reversible --seeds 0 1 2
"""

import ctypes
import multiprocessing
import time
from itertools import product
from pathlib import Path

from attn_course.core.frameworks import torch
from attn_course.pytorch import FeedForward, MultiHeadAttention, ReversibleLayers
from experiments import run_plan

STREAM, HEADS, FF_DIM, BATCH, LENGTH = 64, 4, 256, 8, 512
DEPTHS = (1, 2, 4, 8, 16)
STACKS = ("reversible", "ordinary")


def peak(reset=False):
    """The most MiB that this process has held, since the last reset."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 2**10


def ordinary(pairs, x):
    """The same layers; automatic differentiation keeps what it needs of each."""
    x1, x2 = x.chunk(2, dim=-1)
    for f, g in pairs:
        x1 = x1 + f(x2)
        x2 = x2 + g(x1)
    return torch.cat([x1, x2], dim=-1)


class Attention(torch.nn.Module):
    """Self-attention behind a normalization, the output alone."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(STREAM)
        self.attention = MultiHeadAttention(STREAM, HEADS)

    def forward(self, x):
        return self.attention(self.norm(x), need_weights=False)[0]


def make(depth, seed):
    """Pairs of attention and a feed-forward network, each behind a normalization."""
    torch.manual_seed(seed)
    return ReversibleLayers(
        [
            Attention(),
            torch.nn.Sequential(
                torch.nn.LayerNorm(STREAM), FeedForward(STREAM, FF_DIM)
            ),
        ]
        for _ in range(depth)
    )


def measure(stack, depth, seed):
    """MiB and seconds of one step in this process, and how far gradients differ."""
    ctypes.CDLL(None).mallopt(-3, 1 << 16)  # what is freed is given back at once
    torch.set_num_threads(1)
    layers = make(depth, seed)
    x = torch.randn(BATCH, LENGTH, 2 * STREAM)
    run = layers if stack == "reversible" else lambda x: ordinary(layers.pairs, x)
    run(x[:, :8]).sum().backward()  # gradients and kernels are there before we measure
    before = peak(reset=True)
    started = time.process_time()
    run(x).square().mean().backward()
    seconds = time.process_time() - started
    found = {"mib": round(peak() - before, 1), "cpu_seconds": round(seconds, 3)}
    layers, small = layers.double(), x[:1, :32].double()
    weights = list(layers.parameters())
    sums = [
        torch.autograd.grad(program(small).square().sum(), weights)
        for program in (layers, lambda x: ordinary(layers.pairs, x))
    ]
    largest = max(x.abs().max() for x in sums[1])
    off = max((a - b).abs().max() for a, b in zip(*sums, strict=True)) / largest
    return found | {"gradient_off": float(f"{off:.1e}")}


def run(stack, depth, seed):
    """One row, measured in a new process."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        found = pool.apply(measure, (stack, depth, seed))
    return [{"stack": stack, "depth": depth, "seed": seed} | found]


if __name__ == "__main__":
    run_plan("reversible", list(product(STACKS, DEPTHS)), run)
