"""Encoder and decoders as whole models: gradients, greedy decoding, saving, faults."""

import numpy as np
import pytest
from support import FACE, close, gradients, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, nested, set_parameters

B, S, T, N, M, H, A = 3, 7, 5, 11, 2, 3, 5
E = 2 * H
BEGIN = 1
MASK = np.arange(S) < np.array([[7], [4], [0]])
MASK[0, [0, 3]] = False  # from the left, and a hole; the last row has no token at all
RNG = np.random.default_rng(0)
SOURCE, TARGETS = RNG.integers(0, N, (B, S)), RNG.integers(0, N, (B, T))
PROBE = RNG.normal(size=(B, T, N))  # makes a loss that asks for every output
SIZES = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H}
DECODERS = {
    "FixedContextDecoder": (reference.fixed_context_decoder, {}, slice(None)),
    # the second half of the last state is the right reader's
    "BahdanauDecoder": (
        reference.bahdanau_decoder,
        {"attention_dim": A},
        slice(H, None),
    ),
}
EACH = pytest.mark.parametrize("name", DECODERS)


def build(face, name, dtype="float64"):
    encoder_sizes, more = SIZES, {**SIZES, "memory_dim": E, **DECODERS[name][1]}
    if face is tf:
        encoder = tf.RecurrentEncoder(**encoder_sizes, dtype=dtype)
        return tf.EncoderDecoder(encoder, getattr(tf, name)(**more, dtype=dtype))
    encoder = pytorch.RecurrentEncoder(**encoder_sizes)
    model = pytorch.EncoderDecoder(encoder, getattr(pytorch, name)(**more))
    return model.to(getattr(torch, dtype))


def pair(name):
    """The model in both frameworks with the same parameters, and the parameters."""
    models = build(pytorch, name), build(tf, name)
    rng = np.random.default_rng(29)
    parameters = get_parameters(models[0])
    parameters = {key: rng.normal(size=x.shape) for key, x in parameters.items()}
    for model in models:
        set_parameters(model, parameters)
    return *models, parameters


def specified(name, parameters, mask=MASK):
    """The whole model by the specification: memory, first state, logits, weights."""
    decode, _, half = DECODERS[name]
    encoder, decoder = nested(parameters, "encoder"), nested(parameters, "decoder")
    memory, last = reference.recurrent_encoder(SOURCE, encoder, mask=mask)
    bridge = decoder["bridge.weight"], decoder["bridge.bias"]
    state = np.tanh(last[:, half] @ bridge[0] + bridge[1])
    return memory, state, *decode(TARGETS, memory, state, decoder, mask)


@EACH
@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
def test_the_whole_model_is_the_specification(name, mask):
    in_torch, in_tf, parameters = pair(name)
    _, _, *expected = specified(name, parameters, mask)
    close(in_torch(*to(pytorch, SOURCE, TARGETS, mask)), expected)
    close(in_tf(*to(tf, SOURCE, TARGETS, mask)), expected)


@EACH
def test_greedy(name):
    """Alike in both, and each token is the likeliest after the tokens before it."""
    in_torch, in_tf, _ = pair(name)
    asked = {"begin": BEGIN, "max_length": T}
    found = in_torch.greedy(*to(pytorch, SOURCE, MASK), **asked)
    other = in_tf.greedy(*to(tf, SOURCE, MASK), **asked)
    close(found, [None if x is None else numbers(x) for x in other])
    tokens = numbers(found[0])
    assert len(np.unique(tokens)) > 2  # else a constant would pass
    before = np.concatenate([np.full((B, 1), BEGIN), tokens[:, :-1]], axis=1)
    logits, weights = in_torch(*to(pytorch, SOURCE, before, MASK))
    np.testing.assert_array_equal(numbers(logits).argmax(-1), tokens)
    close((found[0], found[1]), (tokens, None if weights is None else numbers(weights)))


@EACH
@FACE
def test_prepared_is_what_the_step_would_prepare(name, face):
    models = dict(zip((pytorch, tf), pair(name)[:2], strict=True))
    decoder = models[face].decoder
    memory, state, *_ = specified(name, get_parameters(models[face]))
    token, state, memory, mask = to(face, TARGETS[:, 0], state, memory, MASK)
    prepared = decoder.prepare(memory, mask)
    with_it = decoder.step(token, state, memory, mask, prepared=prepared)
    without = decoder.step(token, state, memory, mask)
    close(with_it[0], numbers(without[0]))
    close(with_it[1], numbers(without[1]))
    # It is used, too: another sentence's preparation gives another output.
    other = decoder.prepare(2 * memory, mask)
    changed = decoder.step(token, state, memory, mask, prepared=other)
    assert np.abs(numbers(changed[0]) - numbers(without[0])).max() > 1e-3


def asked(face, found):
    """What a loss is the sum of, that asks for every logit."""
    return found[0] * tensor(face, PROBE)


@EACH
def test_gradients(name):
    """Alike in both frameworks, and the slopes of the specification."""
    in_torch, in_tf, parameters = pair(name)
    of_torch, of_tf = (
        gradients(face, lambda face=face, model=model: asked(face, model(*to(face, SOURCE, TARGETS, MASK))), {}, model)
        for face, model in ((pytorch, in_torch), (tf, in_tf))
    )
    assert of_torch.keys() == of_tf.keys() == parameters.keys()

    def loss(changed):
        return (specified(name, {**parameters, **changed})[2] * PROBE).sum()

    for key, x in parameters.items():
        close(of_tf[key], of_torch[key])
        # Along a direction in which every entry takes part.
        direction = np.random.default_rng(2).normal(size=x.shape)
        direction *= 1e-5 / np.linalg.norm(direction)
        slope = loss({key: x + direction}) - loss({key: x - direction})
        expected = 2 * (of_torch[key] * direction).sum()
        assert abs(slope - expected) < 2e-5 * 1e-6 * max(1, abs(slope) / 2e-5), key
        if key != "decoder.attention.query_weight":  # tested below
            assert np.abs(of_torch[key]).max() > 1e-6, key


@EACH
@FACE
def test_what_is_hidden_has_no_gradient(name, face):
    models = dict(zip((pytorch, tf), pair(name)[:2], strict=True))
    decoder = models[face].decoder
    memory, state, *_ = specified(name, get_parameters(models[face]))
    memory[~MASK] = 1e30
    targets, state, mask = to(face, TARGETS, state, MASK)
    assert np.isfinite(numbers(decoder(targets, tensor(face, memory), state, mask)[0])).all()
    found = gradients(face, lambda leaf: asked(face, decoder(targets, leaf, state, mask)), {"memory": memory})["memory"]
    assert not found[~MASK].any() and np.abs(found[MASK]).max() > 1e-3


@FACE
def test_a_one_way_encoder_is_caught(face):
    models = dict(zip((pytorch, tf), pair("BahdanauDecoder")[:2], strict=True))
    encoder = models[face].encoder
    expected = specified("BahdanauDecoder", get_parameters(models[face]))[0]
    close(encoder(*to(face, SOURCE, MASK))[0], expected)
    read = encoder._read
    encoder._read = lambda gru, x, mask, rank: read(gru, x, mask, abs(rank))
    with pytest.raises(AssertionError):
        close(encoder(*to(face, SOURCE, MASK))[0], expected)


@EACH
@FACE
def test_a_context_that_is_not_fed_is_caught(name, face):
    models = dict(zip((pytorch, tf), pair(name)[:2], strict=True))
    decoder = models[face].decoder
    memory, state, *expected = specified(name, get_parameters(models[face]))
    inputs = to(face, TARGETS, memory, state, MASK)
    close(decoder(*inputs), expected)
    attend = decoder.attend

    def unfed(*arguments):
        context, weights = attend(*arguments)
        return 0.0 * context, weights

    decoder.attend = unfed
    with pytest.raises(AssertionError):
        close(decoder(*inputs), expected)


@EACH
# PyTorch breaks its graph at a GRU, and warns about its own look at the input.
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")
def test_torch_compiles(name):
    in_torch, _, parameters = pair(name)
    _, _, *expected = specified(name, parameters)
    close(torch.compile(in_torch, backend="aot_eager")(*to(pytorch, SOURCE, TARGETS, MASK)), expected)


@EACH
def test_greedy_in_16_bits(name):
    model = build(tf, name, "mixed_float16")
    assert model.greedy(*to(tf, SOURCE, MASK), begin=BEGIN, max_length=T)[0].shape == (B, T)
