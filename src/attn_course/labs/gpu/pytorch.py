"""Demos in PyTorch."""

import time
from functools import partial

from attn_course import pytorch
from attn_course.frameworks import torch
from attn_course.labs.gpu import HEADS, WIDTH, Plan

ROUNDS = 5


def flash(plan: Plan) -> list:
    """Rows of chapter 14: way, length, milliseconds, MiB beside the inputs."""
    place = "cuda" if torch.cuda.is_available() else "cpu"
    rows = []
    for way, lengths in plan.ways.items():
        for length in lengths:
            shape = 3, 1, HEADS, length, WIDTH
            dtype = getattr(torch, plan.dtype)
            heads = torch.randn(shape, device=place, dtype=dtype).unbind(0)
            heads = [x.clone().requires_grad_() for x in heads]
            rows.append({"way": way, "positions": length, **measured(way, heads)})
            print(rows[-1], flush=True)
    return rows


def attend(way):
    """A function of query, key and value, causal; gives the output."""
    if way == "kernel":
        from attn_course.flash.triton import flash_attention

        return lambda *heads: flash_attention(*heads, causal=True)[0]
    if way in ("weights", "tiles"):
        name = {"weights": "scaled_dot_product_attention", "tiles": "flash_attention"}
        function = getattr(pytorch, name[way])
        return lambda *heads: function(*heads, causal=True)[0]
    from torch.nn.attention import SDPBackend, sdpa_kernel

    backend = getattr(SDPBackend, f"{way.upper()}_ATTENTION")
    own = torch.nn.functional.scaled_dot_product_attention

    def fused(*heads):
        with sdpa_kernel(backend):
            return own(*heads, is_causal=True)

    return fused


def measured(way, heads):
    """Milliseconds and MiB of a run forward, and of one with the gradients."""
    function = attend(way)

    def both():
        return torch.autograd.grad(function(*heads).sum(), heads)

    forward = torch.no_grad()(partial(function, *heads))
    found = {}
    for name, run in {"forward": forward, "gradients": both}.items():
        run()  # compiles
        found[f"{name}_mib"] = peak(run, heads[0].device)
        found[f"{name}_ms"] = round(1e3 * best(run, heads[0].device), 3)
    return found


def peak(run, device):
    """MiB at most beside what was held before; None without a GPU."""
    if device.type != "cuda":
        run()
        return None
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run()
    torch.cuda.synchronize()
    return round((torch.cuda.max_memory_allocated() - before) / 2**20, 1)


def best(run, device):
    """Seconds of the fastest of a few runs; a GPU is waited for."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        if device.type == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
