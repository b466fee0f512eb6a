"""Every public layer, in both frameworks: numbers, masks, errors, dtypes, seeds."""

import numpy as np
import pytest
from cases import CASES, FACES, PADDING, S, flat, plain, same, specified
from support import gradients, numbers

from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
FACE = pytest.mark.parametrize("face", FACES)
LAYERS = pytest.mark.parametrize("case", [c for c in CASES if c.layer], ids=lambda case: case.name)
MASKED = pytest.mark.parametrize("case", [c for c in CASES if c.blocked], ids=lambda case: case.name)
STEP = {"float64": 1e-10, "float32": 2e-5, "bfloat16": 0.15, "float16": 0.02}

OWN_SEED = ("projection", "rotations")


@EACH
@FACE
@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_the_reference(case, face, masked):
    item, mask = case.build(face), case.mask if masked else None
    same(case.run(face, item, case.inputs, mask), specified(case, item, case.inputs, mask))


def of_queries(x):
    """The queries on the second axis, of an output (B, T, ...) and of weights (B, H, T, S) alike."""
    return np.moveaxis(numbers(x), -2, 1)


@MASKED
@FACE
def test_the_mask_says_who_may_be_seen(case, face):
    item = case.build(face)
    expected = specified(case, item, case.inputs, case.mask)
    # In self-attention the hidden words ask too: for themselves alone.
    rows = PADDING if case.alone else slice(None)
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    for name in case.blocked:
        np.moveaxis(inputs[name], -2, 1)[~PADDING] = 1e6
    found = case.run(face, item, inputs, case.mask)
    assert all(np.isfinite(numbers(x)).all() for x in flat(found) if x is not None)
    both = [[x if x is None else of_queries(x)[rows] for x in flat(each)] for each in (found, expected)]
    same(*both)
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    for name in case.blocked:
        inputs[name][0, ..., S - 1, :] += 1.0  # the last word of row 0 may be seen, so this must change row 0 alone
    output = numbers(case.run(face, item, inputs, case.mask)[0])
    assert np.abs(output[0] - expected[0][0]).max() > 1e-4
    np.testing.assert_allclose(output[1:], expected[0][1:], rtol=1e-10, atol=1e-10)
    if expected[1] is not None:
        sums = flat(expected[1])[-1].sum(-1)  # of the last, where there are several: those over what is masked
        assert sums.any() and not sums[2].any()
        right = {"one": np.minimum(abs(sums), abs(sums - 1)) < 1e-12, "less": sums < 1, "any": sums >= 0}
        assert right[case.sums].all()


@MASKED
@FACE
def test_rows_that_may_see_nothing_have_finite_gradients(case, face):
    item = case.build(face)
    real = {name: x for name, x in case.inputs.items() if x.dtype == np.float64}
    mask = np.zeros_like(case.mask)

    def total(*leaves):
        values = dict(zip(real, leaves, strict=True))
        arguments = [values[name] if name in values else case.convert(face, x) for name, x in case.inputs.items()]
        return item(*arguments, case.convert(face, mask))[0]

    found = gradients(FACES[face], total, real, item if case.layer else None)
    assert found and all(np.isfinite(x).all() for x in found.values())
    for name in case.blocked:
        assert case.alone or not found[name].any()


@pytest.mark.slow
@EACH
@FACE
@pytest.mark.parametrize("dtype", STEP)
def test_dtypes(case, face, dtype):
    item = case.build(face, dtype)
    found = case.run(face, item, case.inputs, case.mask, dtype)
    assert all(dtype in str(x.dtype) for x in flat(found) if x is not None)
    same(found, specified(case, item, case.inputs, case.mask), STEP[dtype])


@EACH
@FACE
def test_no_argument_is_changed(case, face):
    item, values = case.build(face), case.values("pytorch", mask=case.mask)
    if face == "tf":
        values = [x.numpy() for x in values]
    before = [np.asarray(x).copy() for x in values]
    item(*values)
    assert all(np.array_equal(np.asarray(x), y) for x, y in zip(values, before, strict=True))
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    specified(case, item, inputs, case.mask)
    assert all(np.array_equal(x, case.inputs[name]) for name, x in inputs.items())


@LAYERS
@FACE
def test_the_same_seed_repeats(case, face):
    drawn = []
    for number in (5, 5, 6):
        torch.manual_seed(number)
        keras.utils.set_random_seed(number)
        drawn.append(get_parameters(case.build(face)))
    # Biases begin alike; what has a seed of its own is the same every time.
    names = [name for name, x in drawn[0].items() if len(np.unique(x)) > 2 and name not in OWN_SEED]
    assert all(np.array_equal(drawn[0][name], drawn[1][name]) for name in drawn[0])
    assert not any(np.array_equal(drawn[0][name], drawn[2][name]) for name in names)


@LAYERS
def test_one_dict_of_parameters_drives_both(case):
    in_torch, in_tf = case.build("pytorch"), case.build("tf")
    parameters = get_parameters(in_torch)
    set_parameters(in_tf, parameters)
    assert get_parameters(in_tf).keys() == parameters.keys()
    found = case.run("pytorch", in_torch, case.inputs, case.mask)
    same(case.run("tf", in_tf, case.inputs, case.mask), plain(found))


@LAYERS
@FACE
def test_a_layer_says_its_sizes_and_how_it_is_called(case, face):
    item = case.build(face)
    item = getattr(item, "bias_layer", item)
    assert (item.forward if face == "pytorch" else item.call).__doc__
    for name, size in (case.sizes or {}).items():
        if isinstance(size, int | tuple):
            assert f"{name}={size}" in repr(item), name
