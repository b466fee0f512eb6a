"""Every public layer and function as one graph of machine code, in float32, forward and backward; and in ONNX."""

import devices
import pytest
from cases import CASES, same
from exports import exported, in_onnx
from oracle_modules import module
from support import draw

from attn_course import pytorch
from attn_course.frameworks import torch

WHOLE = pytest.mark.parametrize("case", [c for c in CASES if not c.cell], ids=lambda case: case.name)


@WHOLE
@pytest.mark.filterwarnings("ignore:.torch.jit.script_method:DeprecationWarning")  # the compiler's own
def test_compiled(case):
    devices.compiles("cpu", case)


@WHOLE
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # the exporter's own, in a loop
def test_in_onnx(case):
    """At another batch and other lengths than it was exported at."""
    program, values, expected = exported(case)
    same(in_onnx(program, values), expected, 1e-4)


def test_entries_that_an_indexer_chooses():
    """The attention of DeepSeek-V4, which no declaration has: as it is, forward and backward."""
    layer, values = pytorch.from_huggingface(module("deepseek-v4 csa")), [torch.from_numpy(draw(2, 31, 12)).float()]
    compiled = torch.compile(layer, fullgraph=True, dynamic=False)
    (found, *_), slopes = devices.outputs_and_slopes(compiled, values)
    (expected, *_), slow = devices.outputs_and_slopes(layer, values)
    devices.near([found, *slopes], [expected, *slow], 1e-4)
