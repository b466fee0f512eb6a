"""Additive attention and its decoder in NumPy, float64: the specification."""

import numpy as np

from attn_course.dot_product.reference import hide_unseen, masked_softmax
from attn_course.recurrent.reference import check_inputs, decode
from attn_course.shapes import check_floats, check_memory_mask, check_shapes

__all__ = [
    "additive_attention",
    "bahdanau_decoder",
    "prepare_memory",
]


def additive_attention(query, memory, parameters, mask=None, *, prepared=None):
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
        prepared: what ``prepare_memory`` gave for this memory and mask;
            None computes it here.
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
    query = np.asarray(query, np.float64)
    memory, keys = prepared or prepare_memory(memory, parameters["memory_weight"], mask)
    hidden = np.tanh((query @ parameters["query_weight"])[:, :, None] + keys[:, None])
    score = hidden @ parameters["score_weight"]
    weights = masked_softmax(score, rows(mask))
    return weights @ memory, weights


def prepare_memory(memory, memory_weight, mask=None):
    """The part of the score that no query changes, U_a h[j]: once a sentence.

    Shapes:
        returns: memory (B, S, E), zero where no query may look, and its projection
            (B, S, A).
    """
    memory = np.asarray(memory, np.float64)
    if mask is not None:
        memory = hide_unseen(memory, rows(mask))
    return memory, memory @ memory_weight


def rows(mask):
    """A mask of padding (B, S) as one row for all queries, (B, 1, S)."""
    return mask[:, None] if mask is not None and len(mask.shape) == 2 else mask


def check_additive(query, memory, parameters, mask):
    """Raise ValueError unless all arguments fit ``additive_attention``."""
    check_floats(query=query, memory=memory, score_weight=parameters["score_weight"])
    sizes = check_shapes(
        query=(query, "BTD"),
        memory=(memory, "BSE"),
        query_weight=(parameters["query_weight"], "DA"),
        memory_weight=(parameters["memory_weight"], "EA"),
        score_weight=(parameters["score_weight"], "A"),
    )
    if mask is not None:
        check_memory_mask(mask, sizes["B"], sizes["T"], sizes["S"])


def bahdanau_decoder(targets, memory, initial_state, parameters, mask=None):
    """Read the targets one by one; before each step, look from the previous state.

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
    names = ("query_weight", "memory_weight", "score_weight")
    attention = {name: parameters[f"attention.{name}"] for name in names}
    prepared = prepare_memory(memory, attention["memory_weight"], mask)

    def look(previous_state):
        context, weights = additive_attention(
            previous_state[:, None], memory, attention, mask, prepared=prepared
        )
        return context[:, 0], weights[:, 0]

    return decode(targets, initial_state, parameters, look)
