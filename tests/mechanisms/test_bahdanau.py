"""Bahdanau's encoder, attention and decoders: by hand, by the libraries; the query is the state before."""

import math

import numpy as np
import pytest
from support import close, pair, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.parity import get_parameters, set_parameters

B, S, T, N, M, H, A = 3, 7, 5, 11, 3, 13, 17
D, E = H, 2 * H


def masks():
    padding = np.arange(S) < np.array([[7], [4], [0]])
    holes = padding.copy()
    holes[0, [0, 3]] = False  # padding on the left and a hole
    return {"padding": padding, "holes": holes}


def tokens(seed=0, length=S):
    return np.random.default_rng(seed).integers(0, N, (B, length))


ENCODER = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H}
DECODER = ENCODER | {"memory_dim": E, "attention_dim": A}


def test_additive_by_hand():
    one = {"query_weight": np.eye(1), "memory_weight": np.eye(1), "score_weight": np.array([2.0])}
    memory = np.array([[[0.0], [math.atanh(0.5)]]])
    context, weights = reference.additive_attention(np.zeros((1, 1, 1)), memory, one)
    # tanh gives 0 and 1/2, the scores are 0 and 1, so the weights are 1 / (1 + e) and e / (1 + e).
    close(weights, [[[1 / (1 + math.e), math.e / (1 + math.e)]]])
    close(context, [[[math.e / (1 + math.e) * math.atanh(0.5)]]])


def test_gru_step_is_the_libraries():
    cell = torch.nn.GRUCell(M, H).double()
    parameters = {f"cell.{name}": array for name, array in get_parameters(cell).items()}
    rng = np.random.default_rng(0)
    x, state = rng.normal(size=(B, M)), rng.normal(size=(B, H))
    close(cell(*to(pytorch, x, state)), reference.gru_step(x, state, parameters, "cell"))


@pytest.mark.parametrize("mask", masks().values(), ids=masks())
def test_a_sentence_with_padding_is_read_like_the_sentence_alone(mask):
    parameters = get_parameters(pytorch.RecurrentEncoder(**ENCODER).double())
    memory, last = reference.recurrent_encoder(tokens(), parameters, mask=mask)
    assert not memory[2].any() and not last[2].any()  # no token at all
    for b in range(B - 1):
        kept = tokens()[b : b + 1, mask[b]]
        alone, end = reference.recurrent_encoder(kept, parameters)
        close(memory[b, mask[b]], alone[0])
        close(last[b], end[0])
        assert not memory[b, ~mask[b]].any()


def test_the_query_is_the_state_before_the_step():
    """A decoder that asks with the state after the step must not pass as Bahdanau's."""

    class Late(pytorch.BahdanauDecoder):
        def advance(self, embedded, state, *given):
            early, _ = self.attend(state, *given)
            state = self.cell(torch.cat([embedded, early], dim=-1), state)
            context, weights = self.attend(state, *given)
            return state, torch.cat([state, embedded, context], dim=-1), weights

    made, parameters = pair("BahdanauDecoder", **DECODER)
    late = Late(**DECODER).double()
    set_parameters(late, parameters)
    rng = np.random.default_rng(0)
    memory, state = rng.normal(size=(B, S, E)), rng.normal(size=(B, H))
    expected = reference.bahdanau_decoder(tokens(1, T), memory, state, parameters)[1]
    close(made[pytorch](*to(pytorch, tokens(1, T), memory, state))[1], expected)
    with pytest.raises(AssertionError):
        close(late(*to(pytorch, tokens(1, T), memory, state))[1], expected)
    first = reference.additive_attention(
        state[:, None],
        memory,
        {key.removeprefix("attention."): x for key, x in parameters.items() if "attention." in key},
    )[1]
    close(expected[:, :1], first)


@pytest.mark.parametrize("framework", [pytorch, tf])
def test_the_memory_is_projected_once_a_sentence(framework, monkeypatch):
    decoder = framework.BahdanauDecoder(**DECODER)
    model = framework.EncoderDecoder(framework.RecurrentEncoder(**ENCODER), decoder)
    calls = []
    prepare = decoder.attention.prepare
    monkeypatch.setattr(decoder.attention, "prepare", lambda *inputs: calls.append(1) or prepare(*inputs))
    source, targets = tokens(), tokens(1, T)
    if framework is pytorch:
        source, targets = to(pytorch, source, targets)
    model(source, targets)
    assert len(calls) == 1
    model.greedy(source, begin=1, max_length=T)
    assert len(calls) == 2
