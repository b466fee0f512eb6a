"""Demos in PyTorch."""

from contextlib import contextmanager
from functools import partial

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.labs.decode.pytorch import make_step
from attn_course.course.labs.gpu import Plan, training
from attn_course.course.labs.gpu.timing import OURS, host_clock, of_runs, of_ways, ours
from attn_course.course.labs.seq2seq import build
from attn_course.notebook import device

ROUNDS = 10  # at most three without a GPU


@contextmanager
def ready():
    """Products of float32 as fast as a GPU has them: in TF32 from the A100 on."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def place():
    """The GPU or the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def attention(plan: Plan):
    """Chapters 10, 11, 14: way, length, milliseconds, MiB beside the inputs."""

    def measure(way, shape):
        dtype = getattr(torch, plan.dtype)
        heads = torch.randn(3, *shape, device=place(), dtype=dtype).unbind(0)
        return measured(way, [x.clone().requires_grad_() for x in heads])

    return of_ways(plan, device("pytorch"), measure, RuntimeError)


heads = attention  # Chapter 6: the same, by the number of heads


def depth(plan: Plan):
    """Chapter 8: a stack's step forward, and with the gradients, by its layers."""
    D, shape = plan.sizes["width"], (plan.sizes["batch"], plan.sizes["positions"])
    for layers in plan.ways["encoder"]:
        stack = pytorch.Encoder(layers, D, max(1, D // 64), 4 * D).to(place())
        x = torch.randn(*shape, D, device=place())
        run = partial(stack, x, need_weights=False)
        row = {"way": "encoder", "layers": layers, "batch": shape[0]}
        parameters = list(stack.parameters())
        yield row | timed(lambda run=run: run()[0], parameters, place())


def decode(plan: Plan):
    """Chapter 13: a step behind a cache, tokens per second, bytes that it reads."""
    batch, dtype = plan.sizes["batch"], getattr(torch, plan.dtype)
    for kind, contexts in plan.ways.items():
        for context in contexts:
            with place():
                step, size = make_step(kind, context, batch=batch, dtype=dtype)
            step()
            row = {"way": kind, "context": context, "batch": batch, "bytes": size}
            if place().type == "cuda":
                row["started_ms"], *_ = spread(step, place())
                step = recorded(step)
            row["ms"], *row["range"] = spread(step, place())
            yield {**row, "tokens_per_second": round(1e3 * batch / row["ms"])}


def dates(plan: Plan):
    """Chapter 2 in a larger size."""

    def here(*given, **setting):
        return build(*given, **setting).to(place())

    return training.dates(plan, "pytorch", here)


def translate(plan: Plan):
    """Chapter 9 in a larger size."""
    from attn_course.course.labs.translate import pytorch as lab

    return training.translate(plan, lab)


def attend(way):
    """A function of query, key and value, causal; gives the output."""
    if way == "kernel":
        from attn_course.mechanisms.flash.triton import flash_attention

        return lambda *heads: flash_attention(*heads, causal=True)[0]
    if way in OURS:
        return ours(pytorch, way)
    from torch.nn.attention import SDPBackend, sdpa_kernel

    backend = getattr(SDPBackend, f"{way.upper()}_ATTENTION")
    own = torch.nn.functional.scaled_dot_product_attention

    def fused(*heads):
        with sdpa_kernel(backend):
            return own(*heads, is_causal=True)

    return fused


def measured(way, heads):
    """Milliseconds and MiB of a run forward, and of one with the gradients."""
    run = partial(attend(way), *heads)
    found = timed(run, heads, heads[0].device)
    if way == "linear" and heads[0].is_cuda:  # many kernels, each started from Python
        found["recorded_ms"], *_ = spread(recorded(run), heads[0].device)
    return found


@torch.no_grad()
def recorded(run):
    """The same as a CUDA graph: Python starts it once, not each of its kernels."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph.replay


def timed(run, inputs, device):
    """The same for any run; the gradients are those of inputs."""

    def both():
        return torch.autograd.grad(run().sum(), inputs)

    found = {}
    for name, each in {"forward": torch.no_grad()(run), "gradients": both}.items():
        each()  # compiles
        found[f"{name}_mib"] = peak(each, device)
        found[f"{name}_ms"], *found[f"{name}_range"] = spread(each, device)
    return found


def peak(run, device):
    """MiB at most beside what was held before; None without a GPU."""
    if device.type != "cuda":
        return None
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    torch.cuda.synchronize()
    return round((torch.cuda.max_memory_allocated() - before) / 2**20, 1)


def spread(run, device):
    """Milliseconds of some runs: median, fastest, slowest; a GPU's by its own clock."""
    if device.type != "cuda":
        return of_runs(host_clock(run) for _ in range(min(3, ROUNDS)))
    events = [
        [torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(ROUNDS)
    ]
    for begin, end in events:
        begin.record()
        run()
        end.record()
    torch.cuda.synchronize()
    return of_runs(begin.elapsed_time(end) for begin, end in events)
