"""The mechanisms in PyTorch: to run them, and to count what they multiply."""

from attn_course.bench.pytorch import program as bench_program
from attn_course.frameworks import torch
from attn_course.labs.costs.cases import CASES


def program(name, n):
    """A function of no arguments that runs a mechanism at length n, forward."""
    return bench_program(CASES[name].make, n)


def operations(name, n):
    """Multiplications and additions of all matrix products at length n.

    Counted from the operations that PyTorch dispatches, on tensors without numbers.
    """
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        program(name, n)()
    return counter.get_total_flops()
