"""Every public layer of PyTorch, as the contract builds it, for the tests of each tool."""

import numpy as np
import pytest
from cases import CASES
from support import numbers

from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, set_parameters


def maps_of(item):
    """The names of the linear maps that a call asks; a decoder's bridge makes its first state, which it is given."""
    names = [name for name, part in item.named_modules() if type(part) is torch.nn.Linear]
    return [name for name in names if name != "bridge"]


def each(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


def made(case):
    """The layer in float32, with a gate open that hides at its start what it is multiplied with."""
    item = case.build("pytorch", "float32")
    parameters = get_parameters(item)
    if "gate" in parameters:
        set_parameters(item, parameters | {"gate": np.ones_like(parameters["gate"])})
    return item.eval()


def output(case, item, **options):
    """What a layer gives for its case, and its own output alone."""
    with torch.no_grad():
        return numbers(item(*case.values("pytorch", mask=case.mask, dtype="float32"), **options)[0])


LAYERS = [case for case in CASES if case.layer]
WITH_NUMBERS = [case for case in LAYERS if get_parameters(case.build("pytorch"))]
LEARNING = each(WITH_NUMBERS)
MAPPED = each([case for case in LAYERS if maps_of(case.build("pytorch"))])
HEADS = each([case for case in LAYERS if isinstance(case.build("pytorch"), AttentionLayer)])
