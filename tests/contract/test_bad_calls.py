"""Every bad call is answered by a ValueError that names the argument and says what was expected."""

import re
from collections import defaultdict

import pytest
from bad_calls import CALLED_WITH_SIZES, OTHER_NAMES, built, listed, run, sizes_and_options, wrong_inputs
from cases import ALL, CASES, FACES
from hypothesis import given, settings, strategies as st

from attn_course.frameworks import tf as tensorflow, torch

FACE = pytest.mark.parametrize("face", FACES)
DECLARED = [case for case in CASES if case.name in ALL]
LAYERS = pytest.mark.parametrize(
    "case", [case for case in DECLARED if case.layer and case.sizes], ids=lambda case: case.name
)
WITH_INPUTS = [case for case in CASES if case.name not in CALLED_WITH_SIZES]
CALLED = pytest.mark.parametrize("case", WITH_INPUTS, ids=lambda case: case.name)
DRAWN = settings(max_examples=20, derandomize=True, deadline=None, database=None)


def answer(call, names):
    """What is wrong with the answer to a bad call, or None."""
    try:
        found = call()
    except ValueError as error:
        # Keras writes a message in color: its code ends in m.
        said = any(re.search(rf"(\b|\dm)({name})\w* (must|is not supported)", str(error)) for name in names)
        missing = re.search(r"(parameters must have|module must have|(missing|unknown) parameters:) ", str(error))
        said = said or (missing and any(re.search(rf"\b{name}\b", str(error)) for name in names))
        return None if said else f"names none of {names}: {str(error)[:200]}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return f"no error: {type(found).__name__}"


def wrong_answers(calls):
    answers = {what: answer(call, names) for what, call, names in calls}
    assert answers
    return {what: found for what, found in answers.items() if found}


@FACE
@LAYERS
def test_wrong_sizes_and_options_are_named(case, face):
    calls = [
        (f"{name}={bad!r}", built(case, face, {name: bad}), (name,))
        for name, values, _ in sizes_and_options(case)
        for bad in values
    ]
    calls += [(f"{changes}", built(case, face, changes), (named,)) for changes, named in case.declared.wrong]
    assert not wrong_answers(calls)


@FACE
@LAYERS
@DRAWN
@given(data=st.data())
def test_any_wrong_size_or_option_is_named(case, face, data):
    name, _, values = data.draw(st.sampled_from(list(sizes_and_options(case))))
    bad = data.draw(values)
    found = answer(built(case, face, {name: bad}), (name,))
    assert not found, f"{name}={bad!r}: {found}"


@FACE
@CALLED
def test_wrong_inputs_are_named(case, face):
    calls = [
        (what, lambda changes=changes: run(case, face, changes), names)
        for what, changes, names in wrong_inputs(case, face)
    ]
    assert not wrong_answers(calls)


LISTED = defaultdict(list)
for where, what, call, names in listed():
    LISTED[where, re.split(r"[(: ]", what)[0]].append((what, call, names))


@pytest.mark.parametrize("group", LISTED, ids="-".join)
def test_bad_calls_are_named(group):
    assert not wrong_answers(LISTED[group])


# Rows of several lengths in one tensor are refused by name, with the way out.
RAGGED = [("tf", "ragged"), ("pytorch", "jagged"), ("pytorch", "strided")]


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
@pytest.mark.parametrize(("face", "kind"), RAGGED)
def test_ragged_inputs_are_named(case, face, kind):
    for name, letters in case.declared.form.inputs.items():
        axis = next((letters.index(x) for x in "TSP" if x in letters), 0)
        if not axis:
            continue
        given = {name: ragged(case.inputs[name], axis, kind)}
        found = answer(lambda given=given: run(case, face, given), (OTHER_NAMES.get((case.name, name), name),))
        assert not found, f"{name}: {found}"
