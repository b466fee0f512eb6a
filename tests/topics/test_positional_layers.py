"""The layers for positions: gradients, compilers, files, dtypes, and what they refuse."""

import numpy as np
import pytest
from positional_cases import LONGEST, B, D, H, K, S, T
from support import FACE, FACES, build, close, draw, gradients, kind, numbers, slope, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.parity import get_parameters, set_parameters

# --- gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["LearnedEncoding", "RelativeBias"])
def test_gradients_of_what_is_learned(name):
    x = draw(B, T, D)
    sizes, shape = ((LONGEST, D), (LONGEST, D)) if name == "LearnedEncoding" else ((H,), (32, H))
    weight = draw(*shape, seed=1)

    def run(face, layer):
        return layer(tensor(face, x), first_position=2) if name == "LearnedEncoding" else layer(T, S)

    def specified(weight):
        if name == "LearnedEncoding":
            return reference.learned_encoding(x, {"weight": weight}, first_position=2)
        return reference.relative_bias(T, S, {"weight": weight})

    probe = draw(*specified(weight).shape, seed=2)
    layers = {face: build(face, name, *sizes) for face in (pytorch, tf)}
    for layer in layers.values():
        set_parameters(layer, {"weight": weight})
    of_torch, of_tf = (
        gradients(face, lambda face=face, layer=layer: run(face, layer) * tensor(face, probe), {}, layer)["weight"]
        for face, layer in layers.items()
    )
    close(of_tf, of_torch)
    direction, expected = slope(lambda moved: (specified(moved) * probe).sum(), weight)
    assert (of_torch * direction).sum() == pytest.approx(expected, rel=1e-6)
    assert np.abs(of_torch).max() > 0.1


# --- what the frameworks do with a layer ----------------------------------------------


LAYERS = {
    "SinusoidalEncoding": ((D,), (draw(B, T, D),)),
    "LearnedEncoding": ((LONGEST, D), (draw(B, T, D),)),
    "RotaryEncoding": ((K,), (draw(B, H, T, K), draw(B, H, S, K, seed=1))),
    "AlibiBias": ((H,), (T, S)),
    "RelativeBias": ((H,), (T, S)),
}
EACH_LAYER = pytest.mark.parametrize("name", LAYERS)


def specified(name, parameters, inputs):
    """What a layer promises, as a tuple."""
    if name == "SinusoidalEncoding":
        return (inputs[0] + reference.sinusoidal_encoding(inputs[0].shape[1], D),)
    if name == "LearnedEncoding":
        return (reference.learned_encoding(*inputs, parameters),)
    if name == "RotaryEncoding":
        query, key = inputs
        S = key.shape[-2]
        return reference.rotate(query, np.arange(S - query.shape[-2], S)), reference.rotate(key, np.arange(S))
    if name == "AlibiBias":
        return (reference.alibi_bias(H, *inputs)[None],)
    return (reference.relative_bias(*inputs, parameters),)


def run(face, layer, inputs, dtype="float64"):
    values = inputs if isinstance(inputs[0], int) else [tensor(face, x, dtype=dtype) for x in inputs]
    found = layer(*values)
    return found if isinstance(found, (tuple, list)) else (found,)


def agree(name, layer, found, inputs=None, tolerance=1e-10):
    parameters = {key: np.float64(x) for key, x in get_parameters(layer).items()}
    expected = specified(name, parameters, LAYERS[name][1] if inputs is None else inputs)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        close(one, other, tolerance)


@EACH_LAYER
def test_torch_compiles_without_a_break(name):
    torch.compiler.reset()
    sizes, inputs = LAYERS[name]
    layer = build(pytorch, name, *sizes)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    agree(name, layer, run(pytorch, compiled, inputs))
    longer = (T + 1, S + 3) if isinstance(inputs[0], int) else [np.repeat(x, 2, axis=-2) for x in inputs]
    agree(name, layer, run(pytorch, compiled, longer), longer)


@EACH_LAYER
def test_tensorflow_compiles_for_any_length(name):
    sizes, inputs = LAYERS[name]
    layer = build(tf, name, *sizes)
    if isinstance(inputs[0], int):
        compiled = tensorflow.function(lambda: layer(*inputs), jit_compile=True)
        agree(name, layer, (compiled(),))
        return
    shapes = [(None, *x.shape[1:-2], None, x.shape[-1]) for x in inputs]
    signature = [tensorflow.TensorSpec(shape, "float64") for shape in shapes]
    for jit in (True, False):
        compiled = tensorflow.function(lambda *x: layer(*x), input_signature=signature, jit_compile=jit)
        agree(name, layer, run(tf, compiled, inputs))
        longer = [np.repeat(x, 2, axis=-2) for x in inputs]
        agree(name, layer, run(tf, compiled, longer), longer)


@EACH_LAYER
def test_torch_state(name):
    sizes, inputs = LAYERS[name]
    layer, twin = build(pytorch, name, *sizes), build(pytorch, name, *sizes)
    assert layer.state_dict().keys() == get_parameters(layer).keys()  # nothing that only helps is saved
    twin.load_state_dict(layer.state_dict())
    for one, other in zip(run(pytorch, layer, inputs), run(pytorch, twin, inputs), strict=True):
        assert torch.equal(one, other)


@EACH_LAYER
def test_everything_is_made_on_the_device_of_the_module(name):
    """On PyTorch's device without memory, which mixes with no other."""
    sizes, inputs = LAYERS[name]
    layer = build(pytorch, name, *sizes).to("meta")
    values = [x if isinstance(x, int) else torch.from_numpy(x).to("meta") for x in inputs]
    found = layer(*values)
    assert {x.device.type for x in (found if isinstance(found, tuple) else [found])} == {"meta"}
    options = {"dtype": torch.float64, "device": "meta"}
    made = [pytorch.sinusoidal_encoding(T, D, **options), pytorch.alibi_bias(H, T, S, **options)]
    made += [pytorch.alibi_slopes(H, **options), pytorch.relative_buckets(T, S, device="meta")]
    assert {x.device.type for x in made} == {"meta"}


@pytest.mark.parametrize("name", ["SinusoidalEncoding", "LearnedEncoding", "RotaryEncoding"])
def test_keras_saves_and_loads(name, tmp_path):
    sizes, inputs = LAYERS[name]
    entries = [keras.Input(x.shape[1:], dtype="float64") for x in inputs]
    model = keras.Model(entries, build(tf, name, *sizes)(*entries))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for one, other in zip(loaded(list(inputs)), model(list(inputs)), strict=True):
        np.testing.assert_array_equal(one, other)


@keras.saving.register_keras_serializable("tests")
class Biased(keras.layers.Layer):
    """A model's own layer, with a bias inside."""

    def __init__(self, inner, **options):
        super().__init__(**options)
        self.inner = inner

    def call(self, score):
        shape = tensorflow.shape(score)
        return score + self.inner(shape[-2], shape[-1])

    def get_config(self):
        return {**super().get_config(), "inner": keras.saving.serialize_keras_object(self.inner)}

    @classmethod
    def from_config(cls, config):
        return cls(keras.saving.deserialize_keras_object(config.pop("inner")), **config)


@pytest.mark.parametrize("name", ["AlibiBias", "RelativeBias"])
def test_keras_saves_and_loads_a_bias(name, tmp_path):
    layer, score = build(tf, name, H), draw(B, H, T, S)
    entry = keras.Input((H, None, None), dtype="float64")
    model = keras.Model(entry, Biased(layer, dtype="float64")(entry))
    agree(name, layer, (model(score)[:1] - score[:1],))
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(keras.models.load_model(tmp_path / "model.keras")(score), model(score))


@pytest.mark.parametrize(
    ("name", "sizes", "options"),
    [
        ("SinusoidalEncoding", (D,), {"base": 7.0}),
        ("RotaryEncoding", (K,), {"base": 7.0, "layout": "interleaved"}),
        ("AlibiBias", (12,), {}),
        ("RelativeBias", (H,), {"num_buckets": 6, "max_distance": 9, "bidirectional": False}),
        ("LearnedEncoding", (LONGEST, D), {}),
    ],
)
def test_keras_config_keeps_every_option(name, sizes, options):
    layer = build(tf, name, *sizes, **options)
    copy = type(layer).from_config(layer.get_config())
    set_parameters(copy, get_parameters(layer))
    inputs = LAYERS[name][1]
    for one, other in zip(run(tf, layer, inputs), run(tf, copy, inputs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert all(layer.get_config()[key] == value for key, value in options.items())


# Half of the last place for each of the few roundings, of numbers up to 4.
STEP = {"float32": 4 * 2.0**-22, "bfloat16": 4 * 2.0**-7, "float16": 4 * 2.0**-10}


@FACE
@EACH_LAYER
@pytest.mark.parametrize("dtype", STEP)
def test_dtypes(face, name, dtype):
    sizes, inputs = LAYERS[name]
    layer = build(face, name, *sizes, dtype=dtype)
    found = run(face, layer, inputs, dtype)
    assert all(dtype in str(x.dtype) for x in found)
    agree(name, layer, found, tolerance=STEP[dtype])


@FACE
@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_keeps_its_place_in_a_long_sentence(face, dtype):
    """bfloat16 rounds 4001 to 4000, float16 rounds 4001 to 4000 too: positions need float32."""
    exact = reference.sinusoidal_encoding(1, D, first_position=4001)
    close(face.sinusoidal_encoding(1, D, first_position=4001, **kind(face, dtype)), exact, 2.0**-8)
    x = tensor(face, np.ones((1, K)), dtype=dtype)
    close(face.rotate(x, tensor(face, np.array([4001]))), reference.rotate(np.ones((1, K)), np.array([4001])), 2.0**-7)
    found = numbers(face.alibi_bias(12, 1, 4002, **kind(face, dtype)))
    np.testing.assert_allclose(found, reference.alibi_bias(12, 1, 4002), rtol=2.0**-8)


@pytest.mark.parametrize("name", LAYERS)
def test_keras_mixed_precision(name):
    sizes, inputs = LAYERS[name]
    layer = build(tf, name, *sizes, dtype="mixed_float16")
    found = run(tf, layer, inputs, "float32")
    assert all(x.dtype == tensorflow.float16 for x in found)
    assert {str(v.dtype) for v in layer.trainable_variables} <= {"float32"}
    agree(name, layer, found, tolerance=4 * STEP["float16"])


def test_a_mask_that_keras_carries_is_handed_on():
    words = keras.layers.Embedding(5, D, mask_zero=True)(np.array([[1, 2, 0]]))
    for layer in (tf.SinusoidalEncoding(D), tf.LearnedEncoding(LONGEST, D)):
        np.testing.assert_array_equal(layer(words)._keras_mask, [[True, True, False]])


def test_a_compiled_graph_reads_no_row_beyond_the_table():
    """XLA raises nothing, and would take the last row for every later position."""
    layer, x = tf.LearnedEncoding(4, D), tensorflow.zeros((B, 7, D))
    signature = [tensorflow.TensorSpec((None, None, D))]
    graph = tensorflow.function(lambda x: layer(x), input_signature=signature, jit_compile=True)
    found = numbers(graph(x))
    close(found[:, :4], np.broadcast_to(get_parameters(layer)["weight"], (B, 4, D)))
    assert np.isnan(found[:, 4:]).all()


# --- inside multi-head attention -------------------------------------------------------


def by_reference(kind, layout="half"):
    """What positions of a kind are to ``reference.multi_head_attention_at_once``."""

    def turned(query, key):
        places = np.arange(S - T, S), np.arange(S)
        return [reference.rotate(x, t, layout=layout) for x, t in zip((query, key), places, strict=True)]

    weight = {"weight": draw(32, H, seed=5)}
    biases = {"alibi": reference.alibi_bias(H, T, S), "t5": reference.relative_bias(T, S, weight)}
    return {"rotary": turned} if kind == "rotary" else {"bias": biases[kind]}


@FACE
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    ("kind", "layout"), [("rotary", "half"), ("rotary", "interleaved"), ("alibi", "half"), ("t5", "half")]
)
def test_positions_inside_multi_head_attention(face, kind, layout, causal):
    """The layer with the real encodings, and the specification; the queries stand at the end of the keys."""
    rotary = build(face, "RotaryEncoding", K, layout=layout) if kind == "rotary" else None
    layer = build(face, "MultiHeadAttention", D, H, key_dim=K, rotary=rotary)
    parameters = {name: draw(*x.shape, seed=7) for name, x in get_parameters(layer).items()}
    set_parameters(layer, parameters)
    bias = None
    if kind == "alibi":
        bias = build(face, "AlibiBias", H)(T, S)
    if kind == "t5":
        learned = build(face, "RelativeBias", H)
        set_parameters(learned, {"weight": draw(32, H, seed=5)})
        bias = learned(T, S)
    query, memory = draw(B, T, D), draw(B, S, D, seed=1)
    options = {"num_heads": H, "causal": causal, **by_reference(kind, layout)}
    expected = reference.multi_head_attention_at_once(query, memory, memory, parameters, **options)
    found = layer(*to(face, query, memory), bias=bias, causal=causal)
    for one, other in zip(found, expected, strict=True):
        close(one, other)
    alone, _ = layer(*to(face, query, memory), bias=bias, causal=causal, need_weights=False)
    close(alone, expected[0])


# --- wrong arguments ------------------------------------------------------------------


@FACES
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f, to: f.sinusoidal_encoding(-1, 4), "length must be at least 0, got -1"),
        (lambda f, to: f.sinusoidal_encoding(3, 0), "dim must be at least 1, got 0"),
        (lambda f, to: f.alibi_slopes(0), "num_heads must be at least 1, got 0"),
        (lambda f, to: f.alibi_bias(0, 2, 3), "num_heads must be at least 1, got 0"),
        (lambda f, to: f.relative_buckets(2, 3, num_buckets=7), "num_buckets must be even and at least 4, got 7"),
        (lambda f, to: f.relative_buckets(2, 3, num_buckets=2), "num_buckets must be even and at least 4, got 2"),
        (
            lambda f, to: f.relative_buckets(2, 3, num_buckets=1, bidirectional=False),
            "num_buckets must be at least 2, got 1",
        ),
        (lambda f, to: f.relative_buckets(2, 3, max_distance=8), "max_distance must be more than the 8 distances"),
        (
            lambda f, to: f.relative_buckets(2, 3, max_distance=16, bidirectional=False),
            "max_distance must be more than the 16 distances",
        ),
        (lambda f, to: f.rotate(to(draw(2, 3)), to(np.arange(2))), "the last axis of x must be even and known, got 3"),
        (lambda f, to: f.rotate(to(draw(2, 4)), to(np.arange(3))), r"positions must have shape \(T\) = \(2,\)"),
        (lambda f, to: f.rotate(to(draw(5, 2, 4)), to(np.zeros((5, 3), int))), "positions must have shape"),
        (lambda f, to: f.rotate(to(draw(5, 3, 2, 4)), to(np.zeros((5, 2), int))), "align with the vectors of x"),
        (lambda f, to: f.rotate(to(draw(2, 4)), to(np.ones(2, bool))), "positions must be numbers, got bool"),
        (lambda f, to: f.rotate(to(np.ones((2, 4), int)), to(np.arange(2))), "x must be floating, got int64"),
        (lambda f, to: f.rotate(to(draw(4)), to(np.arange(1))), r"x must have shape \(..., T, K\), got \(4,\)"),
        (
            lambda f, to: f.rotate(to(draw(2, 4)), to(np.arange(2)), layout="thirds"),
            "layout must be one of half, interleaved, got 'thirds'",
        ),
        (lambda f, to: f.change_layout(to(draw(2, 4)), to="thirds"), "to must be one of half, interleaved"),
        (lambda f, to: f.change_layout(to(draw(2, 5)), to="half"), "the last axis of x must be even and known, got 5"),
    ],
)
def test_wrong_arguments_of_the_functions(face, call, words):
    with pytest.raises(ValueError, match=words):
        call(face, lambda x: tensor(face, x))


@FACE
@pytest.mark.parametrize(
    ("name", "sizes", "options", "words"),
    [
        ("SinusoidalEncoding", (0,), {}, "model_dim must be at least 1, got 0"),
        ("LearnedEncoding", (0, 5), {}, "max_length must be at least 1, got 0"),
        ("LearnedEncoding", (5, 0), {}, "model_dim must be at least 1, got 0"),
        ("RotaryEncoding", (5,), {}, "key_dim must be even and known, got 5"),
        ("RotaryEncoding", (4,), {"layout": "thirds"}, "layout must be one of half, interleaved, got 'thirds'"),
        ("AlibiBias", (0,), {}, "num_heads must be at least 1, got 0"),
        ("RelativeBias", (0,), {}, "num_heads must be at least 1, got 0"),
        ("RelativeBias", (2,), {"num_buckets": 5}, "num_buckets must be even and at least 4, got 5"),
        ("RelativeBias", (2,), {"max_distance": 8}, "max_distance must be more than the 8 distances"),
    ],
)
def test_wrong_options(face, name, sizes, options, words):
    with pytest.raises(ValueError, match=words):
        getattr(face, name)(*sizes, **options)


@FACE
@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        ("SinusoidalEncoding", (draw(B, T),), r"x must have shape \(B, T, D\), got \(2, 5\)"),
        ("SinusoidalEncoding", (draw(B, T, D + 1),), r"x must have shape .* with D = 11"),
        ("SinusoidalEncoding", (np.ones((B, T, D), int),), "x must be floating, got int64"),
        ("LearnedEncoding", (draw(B, T, D + 1),), r"x must have shape .* with D = 11"),
        ("LearnedEncoding", (draw(B, H, T, D),), r"x must have shape \(B, T, D\)"),
        ("RotaryEncoding", (draw(B, H, T, K + 2), draw(B, H, S, K)), "query must have shape .* with K = 6"),
        ("RotaryEncoding", (draw(B, H, T, K), draw(B, H, S, K + 2)), "key must have shape .* with K = 6"),
    ],
)
def test_wrong_inputs(face, name, inputs, words):
    layer = build(face, name, *LAYERS[name][0])
    if face is tf:
        layer.autocast = False
    made = [torch.from_numpy(x) if face is pytorch else tensorflow.constant(x) for x in inputs]
    with pytest.raises(ValueError, match=words):
        layer(*made)
