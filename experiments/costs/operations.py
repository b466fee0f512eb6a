"""Counting what the mechanisms multiply, in PyTorch."""

from attn_course.core.chunked.shared import chunks_at_once
from attn_course.core.frameworks import torch
from experiments.bench.pytorch import program
from experiments.costs.cases import CASES


def operations(name, n):
    """Multiplications and additions of all matrix products at length n.

    Counted from the operations that PyTorch dispatches, on tensors without numbers, as
    a CPU computes: there chunks come one after the other.
    """
    from torch.utils.flop_counter import FlopCounterMode

    counter = FlopCounterMode(display=False)
    with torch.device("meta"), chunks_at_once(False), counter:
        program(CASES[name].make, n)()
    return counter.get_total_flops()


# Drawn on the page of costs.
DRAWN = {
    "scaled_dot_product_attention": "all pairs",
    "lsh_attention": "LSH",
    "strided_attention": "strided",
    "sliding_window_attention": "window",
    "linear_attention": "linear",
}
LENGTHS = (1024, 4096, 16384, 65536)


def grown():
    """name -> the operations at each of the four lengths."""
    return {name: [operations(name, n) for n in LENGTHS] for name in DRAWN}
