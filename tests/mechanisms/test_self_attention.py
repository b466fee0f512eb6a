"""Self-attention, over images too, and the LSTM with attention to its past: by hand; images in all three."""

import math

import numpy as np
import pytest
from support import FACE, build, close, numbers, pair, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.masks import padding_mask
from attn_course.parity import get_parameters

B, T, D, K, V, H, A, HEIGHT, WIDTH = 2, 7, 5, 3, 11, 13, 17, 3, 4
FORMAT = pytest.mark.parametrize("data_format", ["channels_first", "channels_last"])
PADDING = padding_mask([7, 4], T)
SIZES = {
    "SelfAttention": {"model_dim": D, "key_dim": K, "value_dim": V},
    "FeatureMapAttention": {"channels": D, "key_dim": K, "value_dim": V},
    "IntraAttentionLSTM": {"input_dim": D, "hidden_dim": H, "attention_dim": A},
}
MASKS = {
    "all": None,
    "rows": np.tri(T, dtype=bool),
    "padding": PADDING[:, None],
    "each": np.tile(np.eye(T) > 0, (B, 1, 1)),
}
MASK = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)


def layer(face, name="SelfAttention", dtype="float64", **options):
    return build(face, name, **SIZES[name], dtype=dtype, **options)


def drawn(name, **options):
    """A layer in both frameworks with the same drawn parameters, and these."""
    return pair(name, **SIZES[name], **options)


def sequence(seed=0, length=T):
    return np.random.default_rng(seed).normal(size=(B, length, D))


def image(data_format, seed=0):
    shape = (B, D, HEIGHT, WIDTH) if data_format == "channels_first" else (B, HEIGHT, WIDTH, D)
    return np.random.default_rng(seed).normal(size=shape)


# --- by hand ---------------------------------------------------------------------------


def test_two_words_by_hand():
    """Scores 0 and ln 3: the weights are 1/4 and 3/4."""
    x = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    parameters = {
        "query_weight": np.array([[1.0], [0.0]]),
        "key_weight": np.array([[0.0], [math.log(3)]]),
        "value_weight": np.array([[4.0], [8.0]]),
    }
    output, weights = reference.self_attention(x, parameters)
    np.testing.assert_allclose(weights[0], [[0.25, 0.75], [0.5, 0.5]])
    np.testing.assert_allclose(output[0], [[7.0], [6.0]])
    output, _ = reference.self_attention(x, {**parameters, "output_weight": np.array([[1.0, 10.0]])})
    np.testing.assert_allclose(output[0], [[7.0, 70.0], [6.0, 60.0]])


@MASK
@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_it_is_one_head_of_dot_products(mask, project, causal):
    _, parameters = drawn("SelfAttention", project=project)
    x = sequence()
    maps = [x @ parameters[f"{name}_weight"] for name in ("query", "key", "value")]
    output, weights = reference.scaled_dot_product_attention(*maps, mask, causal=causal)
    output = output @ parameters["output_weight"] if project else output
    close(reference.self_attention(x, parameters, mask, causal=causal), (output, weights))


# --- properties ------------------------------------------------------------------------


@FACE
def test_permuted_words_give_permuted_answers(face):
    item, _ = drawn("SelfAttention")
    x, order = sequence(), np.random.default_rng(1).permutation(T)
    output, weights = map(numbers, item[face](*to(face, x)))
    again, moved = item[face](*to(face, x[:, order]))
    close(again, output[:, order])
    close(moved, weights[:, order][:, :, order])


# --- images ----------------------------------------------------------------------------


@FORMAT
def test_tokens_are_the_pixels_row_by_row(data_format):
    picture = image(data_format)
    last = picture if data_format == "channels_last" else picture.transpose(0, 2, 3, 1)
    expected = [last[:, y, x] for y in range(HEIGHT) for x in range(WIDTH)]
    for face in (reference, pytorch, tf):
        given = picture if face is reference else to(face, picture)[0]
        tokens = face.image_to_tokens(given, data_format=data_format)
        close(tokens, np.stack(expected, axis=1))
        close(face.tokens_to_image(tokens, HEIGHT, WIDTH, data_format=data_format), picture)


def test_each_framework_has_its_own_format():
    first, last = image("channels_first"), image("channels_last")
    close(pytorch.image_to_tokens(*to(pytorch, first)), reference.image_to_tokens(first, data_format="channels_first"))
    close(tf.image_to_tokens(*to(tf, last)), reference.image_to_tokens(last))


def test_reshaping_channels_first_mixes_pixels_and_channels():
    picture = image("channels_first")
    mixed = picture.reshape(B, HEIGHT * WIDTH, D)
    assert not np.allclose(mixed, reference.image_to_tokens(picture, data_format="channels_first"))


@FORMAT
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_feature_map(data_format, residual, masked):
    found, parameters = drawn("FeatureMapAttention", data_format=data_format, residual=residual)
    picture = image(data_format)
    mask = np.random.default_rng(1).random((B, 1, HEIGHT * WIDTH)) < 0.7 if masked else None
    attended, looked = reference.self_attention(
        reference.image_to_tokens(picture, data_format=data_format),
        {k: x for k, x in parameters.items() if k != "gate"},
        mask,
    )
    expected = reference.tokens_to_image(attended, HEIGHT, WIDTH, data_format=data_format)
    if residual:
        expected = picture + parameters["gate"] * expected
    every = [reference.feature_map_attention(picture, parameters, mask, data_format=data_format)]
    every += [item(*to(face, picture, mask)) for face, item in found.items()]
    for output, weights in every:
        close(output, expected)
        close(weights, looked)
    for face, item in found.items():
        assert item(*to(face, picture, mask), need_weights=False)[1] is None


@FACE
def test_the_gate_begins_closed(face):
    item = layer(face, "FeatureMapAttention")
    picture = image(item.data_format)
    assert np.array_equal(numbers(item(*to(face, picture))[0]), picture)
    assert get_parameters(item)["gate"] == 0


def test_the_maps_are_convolutions_of_one_by_one():
    found, parameters = drawn("FeatureMapAttention", residual=False)
    picture = torch.from_numpy(image("channels_first"))

    def convolve(x, name):
        return torch.nn.functional.conv2d(x, torch.from_numpy(parameters[name].T)[..., None, None])

    query, key, value = (convolve(picture, f"{name}_weight").flatten(2) for name in ("query", "key", "value"))
    weights = torch.softmax(query.mT @ key / math.sqrt(K), dim=-1)
    attended = (value @ weights.mT).unflatten(2, (HEIGHT, WIDTH))
    close(found[pytorch](picture)[0], convolve(attended, "output_weight").numpy())


# --- the LSTM with attention to its past -----------------------------------------------


def test_first_steps_of_intra_attention_by_hand():
    """One unit, no input: gates sigmoid(0), candidate tanh(1); the second step has one state to look at."""
    parameters = {
        "query_weight": np.zeros((1, 1)),
        "memory_weight": np.zeros((1, 1)),
        "summary_weight": np.zeros((1, 1)),
        "score_weight": np.ones(1),
        "input_weight": np.zeros((1, 4)),
        "state_weight": np.zeros((1, 4)),
        "bias": np.array([0.0, 0.0, 0.0, 1.0]),
    }
    states, weights = reference.intra_attention_lstm(np.zeros((1, 3, 1)), parameters)
    first = 0.5 * math.tanh(1)
    second = 0.5 * first + 0.5 * math.tanh(1)
    third = 0.5 * (first + second) / 2 + 0.5 * math.tanh(1)
    np.testing.assert_allclose(weights[0], [[0, 0, 0], [1, 0, 0], [0.5, 0.5, 0]])
    np.testing.assert_allclose(states[0, :, 0], [0.5 * math.tanh(cell) for cell in (first, second, third)])


def test_padding_does_not_change_the_rest():
    """Three words with padding before, between and after are three words."""
    _, parameters = drawn("IntraAttentionLSTM")
    x, real = sequence(length=3), [1, 3, 4]
    spread = np.full((B, 6, D), 1e6)
    spread[:, real] = x
    mask = np.zeros((B, 6), bool)
    mask[:, real] = True
    states, weights = reference.intra_attention_lstm(spread, parameters, mask)
    expected = reference.intra_attention_lstm(x, parameters)
    np.testing.assert_allclose(states[:, real], expected[0])
    np.testing.assert_allclose(weights[:, real][:, :, real], expected[1])


def test_looking_at_the_last_state_alone_is_the_lstm_of_the_libraries():
    """With weights of one on the state before, LSTMN is the plain LSTM."""
    rng = np.random.default_rng(0)
    x, cell = sequence(), torch.nn.LSTM(D, H, batch_first=True).double()
    order = [0, 1, 3, 2]  # ours: input, forget, output, candidate; theirs: input, forget, candidate, output

    def ours(array):
        return np.concatenate([np.split(array, 4, axis=-1)[i] for i in order], axis=-1)

    weights = {name: value.detach().numpy() for name, value in cell.named_parameters()}
    parameters = {
        "query_weight": np.zeros((D, A)),
        "memory_weight": rng.normal(size=(H, A)),
        "summary_weight": np.zeros((H, A)),
        "score_weight": np.zeros(A),
        "input_weight": ours(weights["weight_ih_l0"].T),
        "state_weight": ours(weights["weight_hh_l0"].T),
        "bias": ours(weights["bias_ih_l0"] + weights["bias_hh_l0"]),
    }
    expected = cell(torch.from_numpy(x))[0].detach().numpy()
    found, _ = reference.intra_attention_lstm(x, parameters)
    np.testing.assert_allclose(found[:, :2], expected[:, :2])  # one state to look at: no choice yet
    assert not np.allclose(found[:, 2], expected[:, 2])


def test_a_graph_of_unknown_length_is_refused():
    item = layer(tf, "IntraAttentionLSTM", "float32")
    unknown = tensorflow.TensorSpec((None, None, D), "float32")
    with pytest.raises(ValueError, match="known length"):
        tensorflow.function(item.call).get_concrete_function(unknown)
