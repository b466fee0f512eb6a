"""The recurrent encoder and the decoder with one fixed context in NumPy, float64: the specification."""

import numpy as np

from attn_course.shapes import check_mask_dtype, check_shapes, check_tokens


def gru_step(x, state, parameters, prefix):
    """One step of the libraries' gated recurrent unit.

    reset, update = sigmoid of their thirds of x @ input_weight + input_bias + state @ state_weight + state_bias
    candidate     = tanh(x part + reset * state part)
    new state     = (1 - update) * candidate + update * state

    Shapes:
        x: (B, in). state: (B, H). returns: (B, H). The weights hold reset, update, candidate side by side.

    Source: Cho et al. 2014 (arXiv:1406.1078), section 2.3, as cuDNN, PyTorch and Keras write it.
    Differs: the paper applies the reset gate to the state before the matrix product.
    """
    of_input = x @ parameters[f"{prefix}.input_weight"] + parameters[f"{prefix}.input_bias"]
    of_state = state @ parameters[f"{prefix}.state_weight"] + parameters[f"{prefix}.state_bias"]
    (reset_x, update_x, candidate_x), (reset_s, update_s, candidate_s) = (
        np.split(part, 3, axis=-1) for part in (of_input, of_state)
    )
    reset, update = 1 / (1 + np.exp(-reset_x - reset_s)), 1 / (1 + np.exp(-update_x - update_s))
    candidate = np.tanh(candidate_x + reset * candidate_s)
    return (1 - update) * candidate + update * state


def recurrent_encoder(tokens, parameters, *, mask=None):
    """Read a sentence in both directions.

    memory[s] = [state of the reader from the left after token s; state of the reader from the right after token s]

    Shapes:
        tokens: (B, S), integers. mask: (B, S), True where there is a token; None means everywhere.
        returns: memory (B, S, 2H) and the last state (B, 2H): left reader after the last token, right reader
        after the first.

    Edge case: a position that holds no token, wherever it stands, is skipped: it changes no state, and its
    memory is zero.

    Raises:
        ValueError: tokens are not integers of shape (B, S), or the mask does not fit.

    Source: Bahdanau et al. 2015 (arXiv:1409.0473), section 3.2.
    """
    check_tokens("tokens", tokens)
    sizes = check_shapes(tokens=(tokens, "BS"))
    mask = np.ones(tokens.shape, bool) if mask is None else mask
    check_mask_dtype(mask)
    check_shapes(tokens=(tokens, "BS"), mask=(mask, "BS"))
    embedded = parameters["embedding.weight"][tokens]
    columns, last = [], []
    for prefix, order in (("forward_gru", range(sizes["S"])), ("backward_gru", reversed(range(sizes["S"])))):
        width = parameters[f"{prefix}.state_weight"].shape[0]
        state, states = np.zeros((sizes["B"], width)), np.zeros((sizes["B"], sizes["S"], width))
        for s in order:
            here = mask[:, s, None]
            state = np.where(here, gru_step(embedded[:, s], state, parameters, prefix), state)
            states[:, s] = np.where(here, state, 0.0)
        columns.append(states)
        last.append(state)
    return np.concatenate(columns, axis=-1), np.concatenate(last, axis=-1)


def fixed_context_decoder(targets, memory, initial_state, parameters, mask=None):
    """Read the targets one by one; every step sees the same vector, the encoder's last states.

    context   = [memory at the last token, left reader's half; memory at the first token, right reader's half]
    s[i]      = gru_step([embedding(y[i-1]); context], s[i-1])
    logits[i] = readout([s[i]; embedding(y[i-1]); context])

    Shapes:
        as in ``bahdanau_decoder``; the weights are None: nothing is looked at.

    Source: Cho et al. 2014 (arXiv:1406.1078), section 2.2.
    """
    context = summary(memory, mask)
    return decode(targets, initial_state, parameters, lambda previous_state: (context, None))


def summary(memory, mask=None):
    """The two readers' last states, out of the memory: (B, S, E) -> (B, E)."""
    batch, positions, width = memory.shape
    mask = np.ones((batch, positions), bool) if mask is None else mask
    first, last = mask.argmax(axis=1), positions - 1 - mask[:, ::-1].argmax(axis=1)
    example, half = np.arange(batch), width // 2
    found = np.concatenate([memory[example, last, :half], memory[example, first, half:]], axis=-1)
    return np.where(mask.any(axis=1)[:, None], found, 0.0)


def start(last_state, parameters):
    """The decoder's first state, tanh of a linear map: (B, in) -> (B, H)."""
    return np.tanh(last_state @ parameters["bridge.weight"] + parameters["bridge.bias"])


def decode(targets, initial_state, parameters, look):
    """The loop that both decoders share. ``look(previous state)`` gives the context and the weights of a step."""
    check_tokens("targets", targets)
    embedded, state = parameters["embedding.weight"][targets], initial_state
    logits, weights = [], []
    for i in range(targets.shape[1]):
        context, weight = look(state)
        state = gru_step(np.concatenate([embedded[:, i], context], axis=-1), state, parameters, "cell")
        logits.append(readout(np.concatenate([state, embedded[:, i], context], axis=-1), parameters))
        weights.append(weight)
    return np.stack(logits, axis=1), None if weights[0] is None else np.stack(weights, axis=1)


def readout(x, parameters):
    """Deep output with a maxout layer: the larger of each two neighbours, then a linear map to the vocabulary.

    Source: Bahdanau et al. 2015, appendix A.2.2.
    """
    pairs = x @ parameters["readout.weight"] + parameters["readout.bias"]
    largest = pairs.reshape(*pairs.shape[:-1], -1, 2).max(axis=-1)
    return largest @ parameters["output_layer.weight"] + parameters["output_layer.bias"]
