"""Counting what the mechanisms multiply, in PyTorch."""

from attn_course.bench.pytorch import program
from attn_course.frameworks import torch
from attn_course.labs.costs.cases import CASES


def operations(name, n):
    """Multiplications and additions of all matrix products at length n.

    Counted from the operations that PyTorch dispatches, on tensors without numbers.
    """
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device("meta"), FlopCounterMode(display=False) as counter:
        program(CASES[name].make, n)()
    return counter.get_total_flops()
