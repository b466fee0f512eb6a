"""Demos in PyTorch."""

import time
from functools import partial

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.labs.decode.pytorch import make_step
from attn_course.course.labs.gpu import HEADS, WIDTH, WINDOW, Plan, training
from attn_course.course.labs.seq2seq import build

ROUNDS = 5


def place():
    """The GPU, with products of float32 as fast as it has them; or the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    torch.set_float32_matmul_precision("high")
    return torch.device("cuda")


def attention(plan: Plan):
    """Chapters 10, 11, 14: way, length, milliseconds, MiB beside the inputs.

    Where a way fails, for want of memory or of a kernel, its row says so.
    """
    dtype = getattr(torch, plan.dtype)
    for way, lengths in plan.ways.items():
        for length in lengths:
            row = {"way": way, "positions": length}
            try:
                shape = 3, 1, HEADS, length, WIDTH
                heads = torch.randn(shape, device=place(), dtype=dtype).unbind(0)
                heads = [x.clone().requires_grad_() for x in heads]
                yield row | measured(way, heads)
            except RuntimeError as error:
                yield row | {"error": str(error).partition("\n")[0]}
                break


def decode(plan: Plan):
    """Chapter 13: a step behind a cache, tokens per second, bytes that it reads."""
    batch, dtype = plan.sizes["batch"], getattr(torch, plan.dtype)
    for kind, contexts in plan.ways.items():
        for context in contexts:
            with place():
                step, size = make_step(kind, context, batch=batch, dtype=dtype)
            step()
            seconds = best(step, place())
            row = {"way": kind, "context": context, "batch": batch, "bytes": size}
            row |= {"ms": round(1e3 * seconds, 4)}
            yield {**row, "tokens_per_second": round(batch / seconds)}


def dates(plan: Plan):
    """Chapter 2 in a larger size."""

    def here(*given, **setting):
        return build(*given, **setting).to(place())

    return training.dates(plan, "pytorch", here)


def translate(plan: Plan):
    """Chapter 9 in a larger size."""
    from attn_course.course.labs.translate import pytorch as lab

    place()
    return training.translate(plan, lab)


def language(plan: Plan):
    """Chapter 13: what fewer heads of key and value cost in loss."""
    from attn_course.course.labs.generate import pytorch as lab
    from attn_course.course.training import pytorch as loop

    @torch.no_grad()
    def number(model, *arrays):
        found = [torch.from_numpy(array).to(place()) for array in arrays]
        return lab.loss(model, *found).item()

    torch.manual_seed(0)
    return training.language(plan, lab, loop, lambda x: x.to(place()), number)


OURS = {
    "weights": ("scaled_dot_product_attention", {}),
    "tiles": ("flash_attention", {}),
    "window": ("sliding_window_attention", {"window": WINDOW}),
    "strided": ("strided_attention", {}),
    "linear": ("linear_attention", {}),
}


def attend(way):
    """A function of query, key and value, causal; gives the output."""
    if way == "kernel":
        from attn_course.mechanisms.flash.triton import flash_attention

        return lambda *heads: flash_attention(*heads, causal=True)[0]
    if way in OURS:
        name, sizes = OURS[way]
        function = partial(getattr(pytorch, name), **sizes, causal=True)
        if way == "strided":
            return lambda *x: function(*x, stride=round(x[0].shape[2] ** 0.5))[0]
        return lambda *heads: function(*heads)[0]
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
