"""Every public layer in TensorFlow: files, configs, policies, carried padding, Keras's own test; some in one graph."""

import copy

import graphs
import numpy as np
import pytest
from cases import CASES, PADDING, H, S, flat, plain, same, specified
from keras.src.testing import TestCase
from support import numbers

from attn_course import tf
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

SOME = pytest.mark.parametrize("case", [c for c in CASES if c.name in graphs.SOME], ids=lambda case: case.name)
LAYERS = pytest.mark.parametrize("case", [c for c in CASES if c.layer], ids=lambda case: case.name)
PLAIN = pytest.mark.parametrize("case", [c for c in CASES if c.layer and not c.make], ids=lambda case: case.name)
CARRIED = pytest.mark.parametrize("case", [c for c in CASES if c.layer and c.blocked], ids=lambda case: case.name)


@SOME
def test_one_graph_for_any_size(case):
    graphs.check_one_graph_in_keras(case)


def maps_of(item):
    """The linear maps and tables of a layer, which Keras can make int8 of."""
    return [part for part in item._flatten_layers() if type(part) in (keras.layers.Dense, keras.layers.Embedding)]


@LAYERS
def test_saved_and_loaded(case, tmp_path):
    """A model of it, from a file again the same; what has maps, once they are int8, which leaves it nearly the same."""
    item = case.traced("tf", "float32")
    parameters = get_parameters(item)
    if "gate" in parameters:  # a number that begins at 0, and hides what it is multiplied with
        set_parameters(item, parameters | {"gate": np.ones_like(parameters["gate"])})
    values = case.values("tf", mask=case.mask, dtype="float32")
    shapes = zip(graphs.open_shapes(case), values, strict=True)
    entries = [keras.Input(shape[1:], dtype=str(x.dtype.name)) for shape, x in shapes]
    # Weights are None in a functional model too, where a layer forms none.
    found = flat(item(*entries))
    assert [x is None for x in found] == [x is None for x in flat(item(*values))]
    model = keras.Model(entries, [x for x in found if x is not None])
    given = values if len(values) > 1 else values[0]
    before = [numbers(x) for x in flat(model(given))]
    maps = maps_of(item)
    twins = case.built("pytorch").modules()
    assert bool(maps) == any(type(part) in (torch.nn.Linear, torch.nn.Embedding) for part in twins)
    for part in maps:
        part.quantize("int8")
    expected = [numbers(x) for x in flat(model(given))]
    if maps and not case.declared.jumps:
        assert 0 < np.abs(expected[0] - before[0]).max() < 0.1 * np.abs(before[0]).max()
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert {part.quantization_mode for part in maps_of(loaded)} == ({"int8"} if maps else set())
    for one, other in zip(flat(loaded(given)), expected, strict=True):
        np.testing.assert_array_equal(numbers(one), other)


@LAYERS
def test_a_config_is_left_alone_and_says_everything(case):
    item = case.built("tf")
    config = item.get_config()
    before = copy.deepcopy(config)
    twin = type(item).from_config(config)
    assert config == before and twin.get_config() == before
    set_parameters(twin, get_parameters(item))
    same(case.run("tf", twin, case.inputs, case.mask), specified(case, item, case.inputs, case.mask))


@pytest.mark.slow
@LAYERS
@pytest.mark.parametrize(("policy", "tolerance"), [("mixed_float16", 0.03), ("mixed_bfloat16", 0.2)])
def test_mixed_policies(case, policy, tolerance):
    item = case.build("tf", policy)
    expected = specified(case, item, case.inputs, case.mask)
    found = flat(item(*case.values("tf", mask=case.mask, dtype="float32")))
    narrow = policy.removeprefix("mixed_")
    assert {str(v.dtype) for v in item.trainable_variables} <= {"float32"}
    assert found[0].dtype == narrow
    same(found, expected, tolerance)
    # what the layer before gives
    same(flat(item(*case.values("tf", mask=case.mask, dtype=narrow))), expected, tolerance)


@PLAIN
def test_output_shapes(case):
    item = case.built("tf")
    names, shapes = [f"{name}_shape" for name in case.inputs], [x.shape for x in case.inputs.values()]
    found = item.compute_output_shape(**dict(zip(names, shapes, strict=True)))
    expected = [None if x is None else tuple(x.shape) for x in flat(case.run("tf", item, case.inputs, case.mask))]
    for one, other in zip(shapes_of(found), expected, strict=True):
        assert other is None or one == other


def shapes_of(found):
    """The shapes in what may be one, or nested tuples of them."""
    if found is None or all(size is None or isinstance(size, int) for size in found):
        return [found and tuple(found)]
    return [shape for part in found for shape in shapes_of(part)]


class Kit(TestCase):
    def runTest(self):
        pass


@PLAIN
@pytest.mark.filterwarnings("ignore:.shuffle=True. was passed")  # by its own step of training
def test_keras_tests_a_layer(case):
    """``run_layer_test``: config, build, symbolic and eager calls, a step of training, mixed precision."""
    shapes = {f"{name}_shape": x.shape for name, x in case.inputs.items()}
    kinds = {f"{name}_shape": "float32" if x.dtype == np.float64 else "int64" for name, x in case.inputs.items()}
    one = len(shapes) == 1
    item = case.built("tf", "float32")
    outputs = [None if x is None else x.shape for x in flat(case.run("tf", item, case.inputs, None, "float32"))]
    nested = None in outputs or len(outputs) > 2
    Kit().run_layer_test(
        getattr(tf, case.layer),
        init_kwargs=dict(case.sizes),
        input_shape=next(iter(shapes.values())) if one else shapes,
        input_dtype=next(iter(kinds.values())) if one else kinds,
        expected_output_shape=None if nested else tuple(outputs) if len(outputs) > 1 else outputs[0],
        expected_num_trainable_weights=len(item.trainable_weights),
        run_training_check=one and len(outputs) == 1 and bool(item.trainable_weights),
    )


def carrying(array):
    """An input as it leaves a stack of encodings behind an embedding with padding, and the same without padding."""
    x = tensorflow.constant(array)
    x._keras_mask = tensorflow.constant(PADDING)
    for encoding in (
        tf.SinusoidalEncoding(x.shape[-1], dtype="float64"),
        tf.LearnedEncoding(S, x.shape[-1], dtype="float64"),
    ):
        x = encoding(x)
    return x, tensorflow.constant(x.numpy())


@CARRIED
def test_carried_padding_and_a_mask_hold_together(case):
    item = case.built("tf")
    values = dict(zip(case.inputs, case.values("tf"), strict=True))
    open_, padded = dict(values), dict(values)
    for name in case.blocked:
        padded[name], open_[name] = carrying(case.inputs[name])
    other = np.random.default_rng(4).random(case.mask.shape) < 0.7
    for mask in (None, other):
        both = case.mask if mask is None else case.mask & mask
        found = flat(item(*padded.values(), *([] if mask is None else [tensorflow.constant(mask)])))
        expected = plain(item(*open_.values(), tensorflow.constant(both)))
        same(found, expected)
    assert np.abs(numbers(item(*open_.values())[0]) - expected[0]).max() > 1e-3


def test_no_weight_on_padding_at_the_end_of_a_stack():
    """Embedding, two encodings and two attentions in a functional model; each passes the padding on."""
    words = np.where(PADDING, 1 + np.arange(S), 0)
    entry = keras.Input((None,), dtype="int64")
    x = keras.layers.Embedding(S + 1, H, mask_zero=True)(entry)
    x = tf.LearnedEncoding(S, H)(tf.SinusoidalEncoding(H)(x))
    x, first = tf.RelativeAttention(H, 1, max_distance=2)(x)
    x, second = tf.SelfAttention(H, key_dim=3, value_dim=H)(x)
    x, third = tf.MultiHeadAttention(H, 1)(x)
    found = keras.Model(entry, [first, second, third])(words)
    for weights in (found[0][:, 0], found[1], found[2][:, 0]):
        assert not numbers(weights)[~np.broadcast_to(PADDING[:, None], weights.shape)].any()
        np.testing.assert_allclose(numbers(weights)[:2].sum(-1), 1.0, rtol=1e-6)
