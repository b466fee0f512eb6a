"""Encoder and decoders as whole models: the specification, greedy decoding, what is prepared once."""

import numpy as np
import pytest
import support
from support import FACE, close, numbers, to

from attn_course import pytorch, reference, tf
from attn_course.parity import get_parameters, nested, set_parameters

B, S, T, N, M, H, A = 3, 7, 5, 11, 2, 3, 5
E = 2 * H
BEGIN = 1
MASK = np.arange(S) < np.array([[7], [4], [0]])
MASK[0, [0, 3]] = False  # from the left, and a hole; the last row has no token at all
RNG = np.random.default_rng(0)
SOURCE, TARGETS = RNG.integers(0, N, (B, S)), RNG.integers(0, N, (B, T))
SIZES = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H}
DECODERS = {
    "FixedContextDecoder": (reference.fixed_context_decoder, {}, slice(None)),
    # the second half of the last state is the right reader's
    "BahdanauDecoder": (reference.bahdanau_decoder, {"attention_dim": A}, slice(H, None)),
}
EACH = pytest.mark.parametrize("name", DECODERS)
FEEDING = {"Luong": (None, True), "fed": ("monotonic", True), "not fed": ("predictive", False)}  # of a LuongDecoder


def build(face, name):
    more = {"memory_dim": E, **(DECODERS[name][1] if name in DECODERS else {})}
    if name not in DECODERS:
        kind, more["input_feeding"] = FEEDING[name]
        local = {"half_width": 2, "alignment": kind} if kind else {}
        attention = "LocalAttention" if kind else "LuongAttention"
        more["attention"] = support.build(face, attention, H, E, score="general", **local)
    encoder = support.build(face, "RecurrentEncoder", **SIZES)
    kind = name if name in DECODERS else "LuongDecoder"
    return face.EncoderDecoder(encoder, support.build(face, kind, **SIZES, **more))


def pair(name):
    """The model in both frameworks with the same parameters, and the parameters."""
    models = build(pytorch, name), build(tf, name)
    rng = np.random.default_rng(36)
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


@pytest.mark.parametrize("name", [*DECODERS, *FEEDING])
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
