"""What users expect of the recurrent layers and their attentions, in both frameworks."""

import numpy as np
import pytest

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.parity import get_parameters

B, S, T, N, M, H, A = 3, 7, 5, 11, 2, 3, 5
E = 2 * H
RNG = np.random.default_rng(0)
SOURCE, TARGETS = RNG.integers(1, N, (B, S)), RNG.integers(0, N, (B, T))
MASK = masks.padding_mask([7, 4, 2], S)
DECODER = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H, "memory_dim": E}
ATTENTIONS = {
    "additive": ("AdditiveAttention", {"hidden_dim": A}),
    "general": ("LuongAttention", {"score": "general"}),
    "concat": ("LuongAttention", {"score": "concat", "hidden_dim": A}),
    "location": ("LuongAttention", {"score": "location", "max_length": S + 2}),
    "local": ("LocalAttention", {"half_width": 2, "score": "general"}),
}
DECODERS = ("FixedContextDecoder", "BahdanauDecoder", "LuongDecoder")
FACE = pytest.mark.parametrize("face", [pytorch, tf])
EACH_ATTENTION = pytest.mark.parametrize("name", ATTENTIONS)
EACH_DECODER = pytest.mark.parametrize("name", DECODERS)


def attention(face, name, **options):
    kind, sizes = ATTENTIONS[name]
    return getattr(face, kind)(H, E, **sizes, **options)


def decoder(face, name, **options):
    more = {"FixedContextDecoder": {}, "BahdanauDecoder": {"attention_dim": A}}.get(name)
    if more is None:
        more = {"attention": attention(face, "general", **options)}
    return getattr(face, name)(**DECODER, **more, **options)


def model(face, name, **options):
    encoder = face.RecurrentEncoder(N, M, H, **options)
    return face.EncoderDecoder(encoder, decoder(face, name, **options))


def vectors(face, *shapes, dtype="float32"):
    arrays = [np.random.default_rng(1).normal(size=shape).astype("float32") for shape in shapes]
    if face is pytorch:
        return [torch.from_numpy(x).to(getattr(torch, dtype)) for x in arrays]
    return [tensorflow.cast(x, dtype) for x in arrays]


# --- PyTorch ---------------------------------------------------------------------------


@EACH_ATTENTION
def test_attentions_under_autocast_take_what_the_layer_before_gives(name):
    layer, (query, memory) = attention(pytorch, name), vectors(pytorch, (B, T, H), (B, S, E))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        context, weights = layer(query.bfloat16(), memory, MASK)  # a mask of NumPy, too
    expected = layer(query, memory, MASK)
    assert context.dtype == weights.dtype == torch.bfloat16
    torch.testing.assert_close(context.float(), expected[0], rtol=0.05, atol=0.05)
    with pytest.raises(ValueError, match="memory must be bfloat16 like query"):
        layer(query.bfloat16(), memory, MASK)


@EACH_DECODER
def test_models_under_autocast_need_no_float_input(name):
    item, (source, targets) = model(pytorch, name), map(torch.from_numpy, (SOURCE, TARGETS))
    expected, _ = item(source, targets, MASK)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits, _ = item(source, targets, MASK)
        tokens, _ = item.greedy(source, MASK, begin=1, max_length=2)
    assert logits.dtype == torch.bfloat16 and tokens.shape == (B, 2)
    torch.testing.assert_close(logits.float(), expected, rtol=0.05, atol=0.05)


@EACH_ATTENTION
def test_export_keeps_batch_and_length_open(name):
    most = S + 1 if name == "location" else 64  # a location has as many rows as positions
    sizes = {x: torch.export.Dim(x, min=2, max=most if x == "S" else 64) for x in "BTS"}
    shapes = {0: sizes["B"], 1: sizes["T"]}, {0: sizes["B"], 1: sizes["S"]}, {0: sizes["B"], 1: sizes["S"]}
    layer, (query, memory) = attention(pytorch, name), vectors(pytorch, (B, T, H), (B, S, E))
    mask = torch.from_numpy(MASK)
    exported = torch.export.export(layer, (query, memory, mask), dynamic_shapes=shapes).module()
    cut = query[:2, :3], memory[:2, :4], mask[:2, :4]
    torch.testing.assert_close(exported(*cut)[0], layer(*cut)[0])


@EACH_DECODER
def test_meta_device_dtype_and_drawing_anew(name):
    with torch.device("meta"):
        tokens = torch.zeros(2, 4, dtype=torch.long), torch.zeros(2, 3, dtype=torch.long)
        assert model(pytorch, name)(*tokens)[0].shape == (2, 3, N)
    item = decoder(pytorch, name, dtype=torch.float64, device="cpu")
    assert {x.dtype for x in item.parameters()} == {torch.float64}
    before = get_parameters(item)
    item.reset_parameters()
    assert all((x != before[key]).any() for key, x in get_parameters(item).items())
    assert "hidden_dim=3" in repr(item)


@EACH_ATTENTION
def test_maps_are_linear_layers_and_drawn_anew_as_at_construction(name):
    torch.manual_seed(0)
    layer = attention(pytorch, name)
    before = get_parameters(layer)
    assert all(isinstance(part, torch.nn.Linear) for part in layer.children())
    assert {key for key, x in before.items() if x.ndim == 2} and "query_dim=3" in repr(layer)
    torch.manual_seed(0)
    layer.reset_parameters()
    for key, x in get_parameters(layer).items():
        np.testing.assert_array_equal(x, before[key])


# --- Keras -----------------------------------------------------------------------------


@EACH_DECODER
@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_models_stand_in_functional_models(name, policy, tmp_path):
    """Also those without weights, where no output of Keras may be None."""
    item = tf.EncoderDecoder(*(vars(model(tf, name, dtype=policy))[x] for x in ("encoder", "decoder")), dtype=policy)
    entries = [keras.Input((size,), dtype=dtype) for size, dtype in ((S, "int64"), (T, "int64"), (S, "bool"))]
    logits, weights = item(*entries)
    assert (weights is None) == (name == "FixedContextDecoder")
    whole = keras.Model(entries, logits)
    found, expected = whole([SOURCE, TARGETS, MASK]), item(SOURCE, TARGETS, MASK)[0]
    np.testing.assert_array_equal(tensorflow.cast(found, "float32"), tensorflow.cast(expected, "float32"))
    shapes = item.compute_output_shape(source_shape=(B, S), target_in_shape=(B, T))
    assert shapes == ((B, T, N), None if weights is None else (B, T, S))
    whole.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")([SOURCE, TARGETS, MASK])
    np.testing.assert_array_equal(tensorflow.cast(loaded, "float32"), tensorflow.cast(expected, "float32"))


@EACH_DECODER
def test_from_config_leaves_its_argument_alone(name):
    config = model(tf, name).get_config()
    keys = set(config["decoder"]["config"]), set(config)
    twin = tf.EncoderDecoder.from_config(config)
    assert (set(config["decoder"]["config"]), set(config)) == keys
    assert twin.decoder.config == model(tf, name).decoder.config


@EACH_ATTENTION
def test_carried_padding_and_a_given_mask_hold_together(name):
    """Neither hides the other; the context carries the padding of the query."""
    tokens = np.array([[3, 4, 5, 6, 0, 0, 0]] * B)
    memory = keras.layers.Embedding(N, E, mask_zero=True)(tokens)
    query = keras.layers.Embedding(N, H, mask_zero=True)(np.array([[1, 2, 0, 0, 0]] * B))
    layer, padding = attention(tf, name), np.arange(S) > 0
    rows = np.ones((B, T, S), bool)
    rows[:, 1, 2] = False
    for given in (np.broadcast_to(padding, (B, S)), rows):
        context, weights = layer(query, memory, mask=given)
        allowed = (tokens > 0)[:, None] & (given if given.ndim == 3 else given[:, None])
        allowed = np.broadcast_to(allowed, (B, T, S))
        expected = layer(query, tensorflow.constant(memory.numpy()), allowed)[1]
        assert not weights.numpy()[~allowed].any() and weights.numpy().any()
        np.testing.assert_array_equal(weights, expected)
        np.testing.assert_array_equal(context._keras_mask, [[True, True, False, False, False]] * B)
        assert getattr(weights, "_keras_mask", None) is None


@EACH_DECODER
def test_decoders_add_carried_padding_to_a_given_mask(name):
    tokens = np.array([[3, 4, 5, 0, 0, 0, 0]] * B)
    memory = keras.layers.Embedding(N, E, mask_zero=True)(tokens)
    given = np.broadcast_to(np.arange(S) > 0, (B, S))
    item, state = decoder(tf, name), tensorflow.ones((B, H))
    plain = tensorflow.constant(memory.numpy())
    expected = item(TARGETS, plain, state, given & (tokens > 0))[0]
    np.testing.assert_array_equal(item(TARGETS, memory, state, given)[0], expected)
    step = item.step(tensorflow.constant(TARGETS[:, 0]), state, memory, given)[0]
    np.testing.assert_allclose(step, expected[:, 0], rtol=1e-5, atol=1e-6)


# --- wrong arguments -------------------------------------------------------------------


@FACE
@EACH_ATTENTION
def test_nothing_to_attend_from_or_to(face, name):
    query, memory = vectors(face, (B, T, H), (B, S, E))
    with pytest.raises(ValueError, match="query must have at least 1 position"):
        attention(face, name)(query[:, :0], memory)
    with pytest.raises(ValueError, match="memory must have at least 1 position"):
        attention(face, name)(query, memory[:, :0])


@FACE
@EACH_DECODER
def test_nothing_to_read_or_write(face, name):
    to = torch.from_numpy if face is pytorch else tensorflow.constant
    source, targets = to(SOURCE), to(TARGETS)
    memory, state = vectors(face, (B, S, E), (B, H))
    with pytest.raises(ValueError, match="tokens must have at least 1 position"):
        model(face, name)(source[:, :0], targets)
    with pytest.raises(ValueError, match="targets must have at least 1 position"):
        decoder(face, name)(targets[:, :0], memory, state)
    with pytest.raises(ValueError, match="memory must have at least 1 position"):
        decoder(face, name)(targets, memory[:, :0], state)
    with pytest.raises(ValueError, match="max_length must be at least 1"):
        model(face, name).greedy(source, begin=1, max_length=0)


@pytest.mark.parametrize("face", [reference, pytorch, tf])
def test_a_missing_parameter_is_named(face):
    query, memory = vectors(tf if face is reference else face, (B, T, H), (B, S, E))
    if face is reference:
        query, memory = query.numpy(), memory.numpy()
    with pytest.raises(ValueError, match="parameters must have query_weight, got other"):
        face.additive_attention(query, memory, {"other": query})
    with pytest.raises(ValueError, match="parameters must have location_weight, got none"):
        face.luong_score(query, memory, {}, score="location")


def test_a_missing_parameter_of_a_specification_is_named():
    memory, state = np.zeros((B, S, E)), np.zeros((B, H))
    with pytest.raises(ValueError, match=r"parameters must have embedding\.weight"):
        reference.recurrent_encoder(SOURCE, {})
    for decode in (reference.fixed_context_decoder, reference.bahdanau_decoder):
        with pytest.raises(ValueError, match=r"parameters must have embedding\.weight"):
            decode(TARGETS, memory, state, {})
    with pytest.raises(ValueError, match=r"parameters must have embedding\.weight"):
        reference.luong_decoder(TARGETS, memory, state, {}, score="dot")
