"""An LSTM with attention over its own past in NumPy, float64: the specification."""

import numpy as np

from attn_course.dot_product.reference import masked_softmax
from attn_course.self_attention.intra.checks import PARTS, check_intra


def intra_attention_lstm(x, parameters, mask=None):
    """An LSTM whose step starts from a mean of all its states, not from the last one.

    score[t, i]  = score_weight . tanh(state[i] @ memory_weight + x[t] @ query_weight
                                       + summary[t-1] @ summary_weight), i < t
    weight[t, :] = softmax(score[t, :])
    summary[t]   = sum over i < t of weight[t, i] * state[i]
    past[t]      = sum over i < t of weight[t, i] * cell[i]
    input, forget, output, candidate
                 = x[t] @ input_weight + summary[t] @ state_weight + bias
    cell[t]      = sigmoid(forget) * past[t] + sigmoid(input) * tanh(candidate)
    state[t]     = sigmoid(output) * tanh(cell[t])

    Shapes:
        x: (B, T, D). mask: boolean (B, T), padding; True = a real position.
        parameters: ``query_weight`` (D, A), ``memory_weight`` and ``summary_weight``
            (H, A), ``score_weight`` (A), ``input_weight`` (D, 4H), ``state_weight``
            (H, 4H), ``bias`` (4H).
        returns: states (B, T, H), weights (B, T, T).

    Edge case: the first position has no past: its weights, summary and past are zero.
        A padded position has a zero state, is never looked at, and changes nothing.

    Raises:
        ValueError: a shape, dtype or the mask is not as above.

    Source: Cheng, Dong & Lapata 2016, "Long Short-Term Memory-Networks for Machine
        Reading" (arXiv:1601.06733), section 3.1.
    Differs: there is a bias; layers start the forget gate's with 1.
    """
    check_intra(x, parameters, mask)
    x = np.asarray(x, np.float64)
    batch, length = x.shape[:2]
    real = np.ones((batch, length), bool) if mask is None else mask
    x = np.where(real[..., None], x, 0.0)
    hidden = parameters["state_weight"].shape[0]
    states, cells = np.zeros((2, batch, length, hidden))
    weights, summary = np.zeros((batch, length, length)), np.zeros((batch, hidden))
    for t in range(length):
        query = x[:, t] @ parameters["query_weight"]
        query = query + summary @ parameters["summary_weight"]
        keys = states[:, :t] @ parameters["memory_weight"]
        score = np.tanh(keys + query[:, None]) @ parameters["score_weight"]
        weight = masked_softmax(score, real[:, :t] & real[:, t, None])
        found = np.einsum("bi,bih->bh", weight, states[:, :t])
        past = np.einsum("bi,bih->bh", weight, cells[:, :t])
        state, cell = _step(x[:, t], found, past, parameters)
        states[:, t] = np.where(real[:, t, None], state, 0.0)
        cells[:, t] = np.where(real[:, t, None], cell, 0.0)
        summary = np.where(real[:, t, None], found, summary)
        weights[:, t, :t] = weight
    return states, weights


def _step(x, summary, past, parameters):
    """The LSTM's own equations, from the summary and the past."""
    gates = x @ parameters["input_weight"] + summary @ parameters["state_weight"]
    parts = np.split(gates + parameters["bias"], PARTS, axis=-1)
    input_, forget, output = (1 / (1 + np.exp(-part)) for part in parts[:3])
    cell = forget * past + input_ * np.tanh(parts[3])
    return output * np.tanh(cell), cell
