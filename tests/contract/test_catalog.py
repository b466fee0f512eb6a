"""Every row of the catalog in both frameworks: what each mechanism promises."""

import sys
from pathlib import Path

import numpy as np
import pytest

from attn_course.catalog import CATALOG
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.parity import get_parameters, set_parameters

sys.path.insert(0, str(Path(__file__).parent))
from cases import CASES, FACES, PADDING, PARTS, B, S, T, numbers

ROOT = Path(__file__).parents[2]
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
FACE = pytest.mark.parametrize("face", FACES)
LAYERS = pytest.mark.parametrize("case", [c for c in CASES if c.layer], ids=lambda case: case.name)
STEP = {"float64": 1e-10, "float32": 2e-5, "bfloat16": 0.15, "float16": 0.02}


@pytest.fixture(autouse=True)
def seed():
    """A layer's first weights are drawn: the same in every run."""
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)


def specified(case, item, inputs, mask):
    parameters = {k: np.asarray(v, np.float64) for k, v in get_parameters(item).items()} if case.layer else None
    return case.reference(inputs, mask, parameters)


def of_queries(x):
    """The queries on the second axis, of an output (B, T, ...) and of weights (B, H, T, S) alike."""
    return np.moveaxis(x if isinstance(x, np.ndarray) else numbers(x), -2, 1)


def same(found, expected, tolerance=1e-10):
    assert len(found) == len(expected) == 2
    for one, other in zip(found, expected, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(numbers(one), other, rtol=tolerance, atol=tolerance)


def test_every_row_has_a_case_and_every_class_a_place():
    names = [case.name for case in CASES]
    assert names == [row.name for row in CATALOG], "each row of catalog.py needs a Case in tests/contract/cases.py"
    assert all(case.layer == row.layer for case, row in zip(CASES, CATALOG, strict=True))
    covered = {name for case in CASES for name in (case.name, case.layer)}
    for module in FACES.values():
        others = set(module.__all__) - covered
        assert others == PARTS.keys(), "each public name needs a row in catalog.py, or a place in PARTS of cases.py"
    for name, place in PARTS.items():
        assert name in (ROOT / place).read_text()


@EACH
@FACE
@pytest.mark.parametrize("masked", [False, True])
def test_agrees_with_the_reference(case, face, masked):
    item, mask = case.build(face), case.mask if masked else None
    same(case.run(face, item, case.inputs, mask), specified(case, item, case.inputs, mask))


@EACH
@FACE
def test_the_mask_says_who_may_be_seen(case, face):
    item = case.build(face)
    expected = specified(case, item, case.inputs, case.mask)
    # In self-attention the hidden words ask too: for themselves alone.
    rows = PADDING if case.blocked == ("x",) else slice(None)
    for hidden in (1e6, -1e30):
        inputs = {name: x.copy() for name, x in case.inputs.items()}
        for name in case.blocked:
            np.moveaxis(inputs[name], -2, 1)[~PADDING] = hidden
        found = case.run(face, item, inputs, case.mask)
        assert all(np.isfinite(numbers(x)).all() for x in found if x is not None)
        both = [[None if x is None else of_queries(x)[rows] for x in each] for each in (found, expected)]
        same(*both)
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    for name in case.blocked:
        inputs[name][0, ..., S - 1, :] += 1.0  # the last word of row 0 may be seen, so this must change row 0 alone
    output = numbers(case.run(face, item, inputs, case.mask)[0])
    assert np.abs(output[0] - expected[0][0]).max() > 1e-4
    np.testing.assert_allclose(output[1:], expected[0][1:], rtol=1e-10, atol=1e-10)
    if expected[1] is not None:
        assert not expected[1][2].any() and not expected[0][2].any()
        # A word of padding that stands first may see nothing of what stands before it.
        sums = of_queries(expected[1])[:2].sum(-1)
        np.testing.assert_allclose(sums if isinstance(rows, slice) else sums[PADDING[:2]], 1.0)


WRONG = [
    pytest.param(case, change, id=f"{case.name}-{change[0]}-{number}")
    for case in CASES
    for number, change in enumerate(case.changes)
]


@FACE
@pytest.mark.parametrize(("case", "change"), WRONG)
def test_wrong_arguments_are_named(case, change, face):
    item = case.build(face, **({"autocast": False} if case.layer and face == "tf" else {}))
    argument, value, named = change
    values = {name: case.convert(face, x) for name, x in case.inputs.items()} | {"mask": None}
    values[argument] = tensorflow.constant(value) if face == "tf" else torch.from_numpy(value.copy())
    with pytest.raises(ValueError, match=rf"(\b|\dm){named}\w* must"):
        item(*values.values())


@EACH
@FACE
@pytest.mark.parametrize("dtype", STEP)
def test_dtypes(case, face, dtype):
    item = case.build(face, dtype)
    found = case.run(face, item, case.inputs, case.mask, dtype)
    assert all(dtype in str(x.dtype) for x in found if x is not None)
    same(found, specified(case, item, case.inputs, case.mask), STEP[dtype])


@EACH
@FACE
def test_no_argument_is_changed(case, face):
    item, values = case.build(face), [case.convert("pytorch", x) for x in (*case.inputs.values(), case.mask)]
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
    for seed in (5, 5, 6):
        torch.manual_seed(seed)
        keras.utils.set_random_seed(seed)
        drawn.append(get_parameters(case.build(face)))
    names = [name for name, x in drawn[0].items() if np.ptp(x)]  # biases begin as zeros, norms as ones
    assert all(np.array_equal(drawn[0][name], drawn[1][name]) for name in drawn[0])
    assert not any(np.array_equal(drawn[0][name], drawn[2][name]) for name in names)


@EACH
def test_torch_compiles(case):
    item = case.build("pytorch")
    expected = specified(case, item, case.inputs, case.mask)
    same(case.run("pytorch", torch.compile(item, backend="aot_eager"), case.inputs, case.mask), expected)


@LAYERS
def test_torch_state_dict(case):
    item, twin = case.build("pytorch"), case.build("pytorch")
    twin.load_state_dict(item.state_dict())
    same(case.run("pytorch", twin, case.inputs, case.mask), specified(case, item, case.inputs, case.mask))


@EACH
def test_tensorflow_compiles(case):
    item = case.build("tf")
    expected = specified(case, item, case.inputs, case.mask)
    compiled = tensorflow.function(lambda *values: item(*values), jit_compile=True)
    same(case.run("tf", compiled, case.inputs, case.mask), expected)


@keras.saving.register_keras_serializable("tests")
class Tensors(keras.layers.Layer):
    """Only what is a tensor: a functional model of Keras takes no None among the outputs."""

    def __init__(self, layer, **options):
        super().__init__(**options)
        self.layer = layer

    def call(self, *values):
        return [x for x in self.layer(*values) if x is not None]

    def get_config(self):
        return {**super().get_config(), "layer": keras.saving.serialize_keras_object(self.layer)}

    @classmethod
    def from_config(cls, config):
        return cls(keras.saving.deserialize_keras_object(config.pop("layer")), **config)


@LAYERS
def test_keras_saves_and_loads(case, tmp_path):
    item = case.build("tf")
    values = [*case.inputs.values(), case.mask]
    entries = [keras.Input(x.shape[1:], dtype=str(x.dtype)) for x in values]
    model = keras.Model(entries, Tensors(item, dtype="float64")(*entries))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    expected = [x for x in specified(case, item, case.inputs, case.mask) if x is not None]
    found = loaded([tensorflow.constant(x) for x in values])
    for one, other in zip(found if isinstance(found, (list, tuple)) else [found], expected, strict=True):
        np.testing.assert_allclose(numbers(one), other, rtol=1e-10, atol=1e-10)
    copy = type(item).from_config(item.get_config())
    set_parameters(copy, get_parameters(item))
    same(case.run("tf", copy, case.inputs, case.mask), specified(case, item, case.inputs, case.mask))


@LAYERS
def test_keras_mixed_precision(case):
    item = case.build("tf", "mixed_float16")
    found = case.run("tf", item, case.inputs, case.mask, "float32")
    assert found[0].dtype == tensorflow.float16
    assert {str(v.dtype) for v in item.trainable_variables} == {"float32"}
    same(found, specified(case, item, case.inputs, case.mask), 0.03)


def test_a_mask_that_keras_carries_is_padding_or_nothing():
    case = next(c for c in CASES if c.name == "additive_attention")
    item, memory = case.build("tf", "float32"), np.zeros((B, S), int)
    memory[PADDING] = 1
    words = keras.layers.Embedding(2, case.sizes["memory_dim"], mask_zero=True)(memory)
    query = tensorflow.cast(case.inputs["query"], "float32")
    same(item(query, words), [numbers(x) for x in item(query, tensorflow.identity(words.numpy()), PADDING)], 1e-6)
    asked = keras.layers.Embedding(2, case.sizes["query_dim"], mask_zero=True)(np.eye(B, T, dtype=int))
    plain = tensorflow.constant(words.numpy())
    expected = [numbers(x) for x in item(tensorflow.constant(asked.numpy()), plain)]
    found = item(asked, plain)
    same(found, expected, 1e-6)
    np.testing.assert_array_equal(found[0]._keras_mask, np.eye(B, T) > 0)  # the query's goes on
