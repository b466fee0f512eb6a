"""Additive attention and its decoder in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.parity import nested
from attn_course.mechanisms.bahdanau.shared import SPECS, check_additive
from attn_course.mechanisms.dot_product.reference import masked_softmax
from attn_course.mechanisms.recurrent.reference import (
    Arrays,
    Mask,
    check_inputs,
    decode,
)
from attn_course.mechanisms.recurrent.shared import as_rows, check_names

__all__ = ["additive_attention", "bahdanau_decoder"]


def additive_attention(
    query: np.ndarray, memory: np.ndarray, parameters: Arrays, mask: Mask = None
) -> tuple[np.ndarray, np.ndarray]:
    """Score every memory vector against every query with a small network, and average.

    hidden[t, s] = tanh(query[t] @ query_weight + memory[s] @ memory_weight)
    score[t, s]  = score_weight . hidden[t, s]
    weight[t, :] = softmax(score[t, :]) over the positions that the mask allows
    context[t]   = sum over s of weight[t, s] * memory[s]

    Shapes:
        query: (B, T, D), decoder states.
        memory: (B, S, E), encoder states: keys and values at once.
        parameters: ``query_weight`` (D, A), ``memory_weight`` (E, A),
            ``score_weight`` (A).
        mask: boolean (B, S), padding, or (B, T, S); True = may attend.
            None allows everything.
        returns: context (B, T, E), weights (B, T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero context.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Bahdanau, Cho & Bengio 2015 (arXiv:1409.0473), section 3.1, equations 5
        and 6, and appendix A.1.2.
    Differs: the paper's query is one previous decoder state; here any number of
        queries at once.

    >>> same = {"query_weight": np.eye(2), "memory_weight": np.eye(2)}
    >>> parameters = {**same, "score_weight": np.ones(2)}
    >>> memory = np.array([[[0.0, 0.0], [1.0, 1.0]]])
    >>> additive_attention(np.zeros((1, 1, 2)), memory, parameters)[1].round(3)
    array([[[0.179, 0.821]]])
    """
    check_additive(query, memory, parameters, mask)
    query, memory = np.asarray(query, np.float64), np.asarray(memory, np.float64)
    queries = query @ parameters["query_weight"]
    keys = memory @ parameters["memory_weight"]
    hidden = np.tanh(queries[:, :, None] + keys[:, None])
    score = hidden @ parameters["score_weight"]
    weights = masked_softmax(score, as_rows(mask))
    return weights @ memory, weights


def bahdanau_decoder(
    targets: np.ndarray,
    memory: np.ndarray,
    initial_state: np.ndarray,
    parameters: Arrays,
    mask: Mask = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Read the targets one by one; before each step, attend from the previous state.

    context[i] = additive_attention(s[i-1], memory)
    s[i]       = gru_step([embedding(y[i-1]); context[i]], s[i-1])
    logits[i]  = readout([s[i]; embedding(y[i-1]); context[i]])

    Shapes:
        targets: (B, T), the tokens before each output (teacher forcing).
        memory: (B, S, E). initial_state: (B, H). mask: (B, S).
        returns: logits (B, T, N), weights (B, T, S).

    Source: Bahdanau et al. 2015, section 3.1 and appendix A.2.2.
    """
    check_inputs(targets, memory, initial_state, parameters, mask)
    attention = nested(parameters, "attention")
    check_names(attention, *SPECS)

    def attend(state):
        found = additive_attention(state[:, None], memory, attention, mask)
        return tuple(x[:, 0] for x in found)

    return decode(targets, initial_state, parameters, attend)
