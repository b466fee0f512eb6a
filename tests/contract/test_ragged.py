"""Rows of several lengths in one tensor, a RaggedTensor or a nested one, are refused by name, with the way out."""

import pytest
from bad_calls import OTHER_NAMES, run
from test_bad_calls import CALLED, answer

from attn_course.frameworks import tf as tensorflow, torch

KINDS = [("tf", "ragged"), ("pytorch", "jagged"), ("pytorch", "strided")]


def ragged(x, axis, kind):
    """x (B, ..., T, ...) whose second row has a position fewer along an axis."""
    if kind == "ragged":
        return tensorflow.RaggedTensor.from_tensor(tensorflow.constant(x), ragged_rank=axis)
    rows = [torch.from_numpy(row).transpose(0, axis - 1)[: len(row) - number] for number, row in enumerate(x)]
    if kind == "strided":
        return torch.nested.nested_tensor(rows)
    return torch.nested.nested_tensor(rows, layout=torch.jagged).transpose(1, axis)


@CALLED
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(("face", "kind"), KINDS)
def test_ragged_inputs_are_named(case, face, kind):
    for name, letters in case.declared.form.inputs.items():
        axis = next((letters.index(x) for x in "TSP" if x in letters), 0)
        if not axis:
            continue
        given = {name: ragged(case.inputs[name], axis, kind)}
        found = answer(lambda given=given: run(case, face, given), (OTHER_NAMES.get((case.name, name), name),))
        assert not found, f"{name}: {found}"
