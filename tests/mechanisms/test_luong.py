"""Luong's scores, windows, attentions and decoder: by hand, by loops, alike in three; a fault is caught."""

import math

import numpy as np
import pytest
from support import FACE, build, close, numbers, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.mechanisms.luong.shared import LuongState
from attn_course.parity import get_parameters, set_parameters

B, T, S, N, M, H, E, A, LONGEST = 3, 5, 7, 11, 2, 3, 13, 17, 8
MASK = np.arange(S) < np.array([[7], [4], [0]])
SCORES = ("dot", "general", "concat", "location")
ALIGNMENTS = ("monotonic", "predictive")
EACH_SCORE = pytest.mark.parametrize("score", SCORES)
GAPS = np.arange(S) >= np.array([[0], [3], [7]])
GAPS[0, [1, 4]] = False
MASKS = pytest.mark.parametrize("mask", [None, MASK, GAPS], ids=["all", "on the right", "on the left, and holes"])
HALF_WIDTH = 2


def width(score):
    return H if score == "dot" else E


def inputs(score, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(B, T, H)), rng.normal(size=(B, S, width(score)))


def attention(face, score, local=None, dtype="float64"):
    """A layer of either kind; ``local`` is an alignment."""
    sizes = {"query_dim": H, "memory_dim": width(score), "score": score, "hidden_dim": A, "max_length": LONGEST}
    name = "LuongAttention"
    if local:
        name, sizes = "LocalAttention", {**sizes, "half_width": HALF_WIDTH, "alignment": local}
    return build(face, name, **sizes, dtype=dtype)


def pair(made):
    """The same thing in both frameworks with the same parameters, and the parameters."""
    both, rng = {face: made(face) for face in (pytorch, tf)}, np.random.default_rng(3)
    parameters = {name: rng.normal(size=x.shape) for name, x in get_parameters(both[pytorch]).items()}
    for item in both.values():
        set_parameters(item, parameters)
    return both, parameters


def specified(score, local, parameters, mask, **more):
    query, memory = inputs(score)
    if local is None:
        return reference.luong_attention(query, memory, parameters, mask, score=score)
    options = {"score": score, "half_width": HALF_WIDTH, "alignment": local, **more}
    return reference.local_attention(query, memory, parameters, mask, **options)


# --- by hand ---------------------------------------------------------------------------


def test_scores_by_hand():
    query, memory = np.array([[[1.0, 2.0]]]), np.array([[[3.0, 4.0], [0.0, 1.0]]])

    def score(kind, **parameters):
        return reference.luong_score(query, memory, parameters, score=kind)[0, 0]

    close(score("dot"), [11.0, 2.0])
    # (1, 2) @ [[1, 2], [0, 1]] = (1, 4), against (3, 4) and (0, 1)
    close(score("general", weight=np.array([[1.0, 2.0], [0.0, 1.0]])), [19.0, 4.0])
    # tanh(1 * 0.5 + 3 * 1) and tanh(1 * 0.5 + 0), times 2
    half = {"query_weight": np.array([[0.5], [0.0]]), "memory_weight": np.array([[1.0], [0.0]])}
    expected = [2 * math.tanh(3.5), 2 * math.tanh(0.5)]
    close(score("concat", **half, score_weight=np.array([2.0])), expected)
    # (1, 2) @ columns (1, 1), (0, 3), (9, 9): the third place is beyond the sentence
    close(score("location", location_weight=np.array([[1.0, 0.0, 9.0], [1.0, 3.0, 9.0]])), [3.0, 6.0])


def test_concat_is_one_matrix_over_the_pair():
    """The paper's v . tanh(W [h; m]), with W put together from its halves."""
    rng, (query, memory) = np.random.default_rng(0), inputs("concat")
    halves = {"query_weight": rng.normal(size=(H, A)), "memory_weight": rng.normal(size=(E, A))}
    vector = rng.normal(size=A)
    found = reference.luong_score(query, memory, {**halves, "score_weight": vector}, score="concat")
    whole = np.concatenate([halves["query_weight"], halves["memory_weight"]])
    for b, t, s in np.ndindex(B, T, S):
        joined = np.concatenate([query[b, t], memory[b, s]])
        assert found[b, t, s] == pytest.approx(vector @ np.tanh(joined @ whole), rel=1e-12)


def test_window_by_hand():
    """Half width 2, so sigma is 1: e^(-d^2 / 2) at distances up to 2, nothing beyond."""
    found = reference.local_window(np.array([3.0]), S, half_width=2, gaussian=True)
    e = math.exp
    close(found, [[0.0, e(-2), e(-0.5), 1.0, e(-0.5), e(-2), 0.0]])
    close(reference.local_window(np.array([3.0]), S, half_width=2, gaussian=False), [[0, 1, 1, 1, 1, 1, 0]])
    # The center is a real number: 2.5 has four positions within 2, at distances 0.5 and 1.5.
    found = reference.local_window(np.array([2.5]), S, half_width=2, gaussian=True)
    close(found, [[0.0, e(-1.125), e(-0.125), e(-0.125), e(-1.125), 0.0, 0.0]])


def test_predicted_position_by_hand():
    """sigmoid(0) = 1/2 of the 4 real positions is 2; 7 would count the padding too."""
    parameters = {"position_weight": np.zeros((H, A)), "position_score_weight": np.ones(A)}
    query, memory = inputs("dot")
    mask = np.arange(S) < np.array([[4]] * B)
    options = {"score": "dot", "half_width": 1, "alignment": "predictive"}
    _, weights = reference.local_attention(query, 0 * memory, parameters, mask, **options)
    # Equal scores over positions 1, 2, 3, times e^(-d^2 / (2 / 4)); not normalized again
    edge = math.exp(-2) / 3
    close(weights[0, 0], [0, edge, 1 / 3, edge, 0, 0, 0])


# --- loops -----------------------------------------------------------------------------


def one_score(kind, p, h, m, s):
    if kind == "dot":
        return h @ m
    if kind == "general":
        return sum(h[d] * p["weight"][d, e] * m[e] for d in range(len(h)) for e in range(len(m)))
    if kind == "location":
        return h @ p["location_weight"][:, s]
    return p["score_weight"] @ np.tanh(h @ p["query_weight"] + m @ p["memory_weight"])


def by_loops(score, local, p, mask):
    query, memory = inputs(score)
    context, weights = np.zeros((B, T, width(score))), np.zeros((B, T, S))
    for b, t in np.ndindex(B, T):
        h = query[b, t]
        allowed = [s for s in range(S) if mask is None or mask[b, s]]
        rank = {s: number for number, s in enumerate(allowed)}  # where it stands without padding
        center = float(t)
        if local == "predictive":
            hidden = p["position_score_weight"] @ np.tanh(h @ p["position_weight"])
            center = len(allowed) / (1 + math.exp(-hidden))
        if local:
            allowed = [s for s in allowed if abs(rank[s] - center) <= HALF_WIDTH]
        found = {s: math.exp(one_score(score, p, h, memory[b, s], rank[s])) for s in allowed}
        for s in allowed:
            weight = found[s] / sum(found.values())
            if local == "predictive":
                weight *= math.exp(-((rank[s] - center) ** 2) / (2 * (HALF_WIDTH / 2) ** 2))
            weights[b, t, s] = weight
            context[b, t] += weight * memory[b, s]
    return context, weights


@EACH_SCORE
@MASKS
@pytest.mark.parametrize("local", [None, *ALIGNMENTS])
def test_three_implementations_and_the_loops(score, local, mask):
    layers, parameters = pair(lambda face: attention(face, score, local))
    expected = by_loops(score, local, parameters, mask)
    close(specified(score, local, parameters, mask), expected)
    for face, layer in layers.items():
        close(layer(*to(face, *inputs(score), mask)), expected)


@FACE
def test_a_row_a_query(face):
    """A mask (B, T, S): each query has its own length, also for the predicted position."""
    layers, parameters = pair(lambda face: attention(face, "general", "predictive"))
    rows = np.arange(S) < np.arange(1, T + 1)[:, None] + np.zeros((B, 1, 1), int)
    context, weights = layers[face](*to(face, *inputs("general"), rows))
    for t in range(T):
        expected = specified("general", "predictive", parameters, rows[:, t])
        close(context[:, t], expected[0][:, t])
        close(weights[:, t], expected[1][:, t])


# --- the decoder -----------------------------------------------------------------------

TARGETS = np.random.default_rng(1).integers(0, N, (B, T))
DECODERS = [(None, True), (None, False), ("monotonic", True), ("monotonic", False), ("predictive", True)]


def decoder(face, local=None, feeding=True, dtype="float64"):
    sizes = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H, "memory_dim": E}
    sizes |= {"attention": attention(face, "general", local, dtype), "input_feeding": feeding}
    return build(face, "LuongDecoder", **sizes, dtype=dtype)


def decoder_inputs():
    rng = np.random.default_rng(2)
    return TARGETS, rng.normal(size=(B, S, E)), rng.normal(size=(B, H))


def decoded(parameters, local, feeding, mask=MASK, **changed):
    options = {"score": "general", "input_feeding": feeding}
    if local:
        options |= {"half_width": HALF_WIDTH, "alignment": local}
    return reference.luong_decoder(*decoder_inputs(), parameters, mask, **{**options, **changed})


@pytest.mark.parametrize(("local", "feeding"), DECODERS)
@MASKS
def test_decoder(local, feeding, mask):
    decoders, parameters = pair(lambda face: decoder(face, local, feeding))
    logits, weights = decoded(parameters, local, feeding, mask)
    for face, item in decoders.items():
        close(item(*to(face, *decoder_inputs(), mask)), (logits, weights))


@FACE
@pytest.mark.parametrize("feeding", [True, False])
def test_one_recurrent_call_where_nothing_waits(face, feeding, monkeypatch):
    decoders, _ = pair(lambda face: decoder(face, None, feeding))
    item, calls = decoders[face], []
    owner = pytorch.LuongDecoder if face is pytorch else tf.LuongDecoder
    advance = owner.advance
    monkeypatch.setattr(owner, "advance", lambda *inputs: calls.append(1) or advance(*inputs))
    item(*to(face, *decoder_inputs(), MASK))
    sizes = face is tf  # a scan asks for the sizes of a step's results first
    assert len(calls) == (T + sizes if feeding else 0)


@FACE
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_keeps_its_place_in_a_long_sentence(face, dtype):
    """bfloat16 rounds 401 to 400, float16 rounds 2049 to 2048: positions need float32."""
    layer = attention(face, "dot", "monotonic", dtype)
    place, size = (401, 409) if dtype == "bfloat16" else (2049, 2053)
    query, memory = to(face, np.zeros((1, 1, H)), np.zeros((1, size, H)), dtype=dtype)
    weights = numbers(layer(query, memory, first_position=place)[1])
    expected = np.arange(place - HALF_WIDTH, place + HALF_WIDTH + 1)
    np.testing.assert_array_equal(weights[0, 0].nonzero()[0], expected)


# --- planted faults --------------------------------------------------------------------


def caught(found, expected):
    with pytest.raises(AssertionError):
        close(found, expected)


def test_asking_with_the_state_before_the_step_is_caught():
    class Early(pytorch.LuongDecoder):
        def advance(self, embedded, state, *given):
            if not isinstance(state, LuongState):
                state = LuongState(state, torch.zeros_like(state), 0)
            found, _, weights = super().advance(embedded, state, *given)
            query, hidden = state.hidden[:, None], found.hidden[:, None]
            context, _ = self.attention.attend(query, *given)
            early = torch.tanh(self.combine(torch.cat([context, hidden], dim=-1)))[:, 0]
            return found._replace(attentional=early), early, weights

    decoders, parameters = pair(decoder)
    expected = decoded(parameters, None, True)[0]
    decoders[pytorch].__class__ = Early
    caught(decoders[pytorch](*to(pytorch, *decoder_inputs(), MASK))[0], expected)


def test_feeding_the_state_instead_of_the_attentional_state_is_caught():
    class Plain(pytorch.LuongDecoder):
        def advance(self, embedded, state, *given):
            if isinstance(state, LuongState):
                state = state._replace(attentional=state.hidden)
            return super().advance(embedded, state, *given)

    decoders, parameters = pair(decoder)
    expected = decoded(parameters, None, True)[0]
    decoders[pytorch].__class__ = Plain
    caught(decoders[pytorch](*to(pytorch, *decoder_inputs(), MASK))[0], expected)


def test_normalizing_again_is_caught():
    _, parameters = pair(lambda face: attention(face, "general", "predictive"))
    weights = specified("general", "predictive", parameters, None)[1]
    caught(weights / weights.sum(-1, keepdims=True), by_loops("general", "predictive", parameters, None)[1])


# --- wrong arguments -------------------------------------------------------------------


@FACE
def test_wrong_inputs(face):
    query, memory = np.zeros((2, 4, 3), np.float32), np.zeros((2, 6, 5), np.float32)
    with pytest.raises(ValueError, match=r"memory must have shape \(B, S, D\) with D = 3 as in query"):
        face.luong_score(*to(face, query, memory), {}, score="dot")
    located = face.LuongAttention(3, 5, score="location", max_length=5)
    with pytest.raises(ValueError, match="memory must have at most max_length = 5 positions, got 6"):
        located(*to(face, query, memory))
