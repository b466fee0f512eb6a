"""The encoder, and the decoder with one fixed context, in NumPy: the specification."""

from collections.abc import Callable

import numpy as np

from attn_course.mechanisms.recurrent.shared import (
    check_decoder,
    check_names,
    check_source,
)

__all__ = ["fixed_context_decoder", "gru_step", "recurrent_encoder"]

GRU = ("input_weight", "state_weight", "input_bias", "state_bias")
Arrays = dict[str, np.ndarray]
Mask = np.ndarray | None


def gru_step(
    x: np.ndarray, state: np.ndarray, parameters: Arrays, prefix: str
) -> np.ndarray:
    """One step of the libraries' gated recurrent unit.

    x part, s part = x @ input_weight + input_bias, state @ state_weight + state_bias
    reset, update  = sigmoid(x part + s part), each from its own third
    candidate      = tanh(x part + reset * s part)
    new state      = (1 - update) * candidate + update * state

    Shapes:
        x: (B, in). state: (B, H). returns: (B, H).
        The weights hold reset, update, candidate side by side.

    Source: Cho et al. 2014 (arXiv:1406.1078), section 2.3, as cuDNN, PyTorch and Keras
    write it.
    Differs: the paper applies the reset gate to the state before the matrix product.
    """

    check_names(parameters, *(f"{prefix}.{name}" for name in GRU))

    def thirds(of, name):
        weight, bias = (parameters[f"{prefix}.{name}_{x}"] for x in ("weight", "bias"))
        return np.split(of @ weight + bias, 3, axis=-1)

    reset_x, update_x, candidate_x = thirds(x, "input")
    reset_s, update_s, candidate_s = thirds(state, "state")
    reset = 1 / (1 + np.exp(-reset_x - reset_s))
    update = 1 / (1 + np.exp(-update_x - update_s))
    candidate = np.tanh(candidate_x + reset * candidate_s)
    return (1 - update) * candidate + update * state


def recurrent_encoder(
    tokens: np.ndarray, parameters: Arrays, *, mask: Mask = None
) -> tuple[np.ndarray, np.ndarray]:
    """Read a sentence in both directions.

    memory[s] = [hidden state of the forward GRU after token s;
                 hidden state of the backward GRU after token s]

    Shapes:
        tokens: (B, S), integers.
        mask: (B, S), True where there is a token; None means everywhere.
        returns: memory (B, S, 2H) and the last state (B, 2H): of the forward
            GRU after the last token, of the backward GRU after the first.

    Edge case: a position that holds no token, wherever it stands, is skipped: it
    changes no state, and its memory is zero.

    Raises:
        ValueError: tokens are not integers of shape (B, S), or the mask does not fit.

    Source: Bahdanau et al. 2015 (arXiv:1409.0473), section 3.2.
    """
    check_source(tokens, mask)
    check_names(parameters, "embedding.weight")
    mask = np.ones(tokens.shape, bool) if mask is None else mask
    embedded = parameters["embedding.weight"][tokens]
    position = np.arange(tokens.shape[1])
    left = _read("forward_gru", position, embedded, parameters, mask)
    right = _read("backward_gru", position[::-1], embedded, parameters, mask)
    # (memory, last state) of each direction, put side by side
    return tuple(
        np.concatenate(pair, axis=-1) for pair in zip(left, right, strict=True)
    )


def _read(prefix, order, embedded, parameters, mask):
    check_names(parameters, f"{prefix}.state_weight")
    width = parameters[f"{prefix}.state_weight"].shape[0]
    state, states = np.zeros((len(mask), width)), np.zeros((*mask.shape, width))
    for s in order:
        here = mask[:, s, None]
        moved = gru_step(embedded[:, s], state, parameters, prefix)
        state = np.where(here, moved, state)
        states[:, s] = np.where(here, state, 0.0)
    return states, state


def fixed_context_decoder(
    targets: np.ndarray,
    memory: np.ndarray,
    initial_state: np.ndarray,
    parameters: Arrays,
    mask: Mask = None,
) -> tuple[np.ndarray, None]:
    """Read the targets one by one; every step sees the same vector.

    context   = [forward GRU's state after the last token;
                 backward GRU's state after the first token], out of the memory
    s[i]      = gru_step([embedding(y[i-1]); context], s[i-1])
    logits[i] = readout([s[i]; embedding(y[i-1]); context])

    Shapes:
        as in ``bahdanau_decoder``; the weights are None: there are none.

    Source: Cho et al. 2014 (arXiv:1406.1078), section 2.2.
    """
    check_inputs(targets, memory, initial_state, parameters, mask)
    context = summary(memory, mask)
    return decode(targets, initial_state, parameters, lambda state: (context, None))


def summary(memory, mask=None):
    """The last states of both directions, out of the memory: (B, S, E) -> (B, E)."""
    batch, positions, width = memory.shape
    mask = np.ones((batch, positions), bool) if mask is None else mask
    first, last = mask.argmax(axis=1), positions - 1 - mask[:, ::-1].argmax(axis=1)
    example, half = np.arange(batch), width // 2
    found = np.concatenate(
        [memory[example, last, :half], memory[example, first, half:]], axis=-1
    )
    return np.where(mask.any(axis=1)[:, None], found, 0.0)


def check_inputs(targets, memory, initial_state, parameters, mask):
    """Raise ValueError unless all arguments fit a decoder with these parameters."""
    names = ("embedding.weight", "cell.input_weight", "cell.state_weight")
    for part in ("readout", "output_layer"):
        check_names(parameters, *names, f"{part}.weight", f"{part}.bias")
    (_, M), (inputs, _), (H, _) = (parameters[name].shape for name in names)
    given = {"memory": memory, "initial_state": initial_state}
    sizes = {"memory_dim": inputs - M, "hidden_dim": H}
    check_decoder(sizes, mask, targets=targets, **given)


def decode(
    targets: np.ndarray, initial_state: np.ndarray, parameters: Arrays, attend: Callable
) -> tuple[np.ndarray, np.ndarray | None]:
    """The loop of the decoders whose context is there before the step.

    ``attend(previous state)`` gives the context and the weights for one step.
    """
    embedded, state = parameters["embedding.weight"][targets], initial_state
    logits, weights = [], []
    for i in range(targets.shape[1]):
        context, weight = attend(state)
        x = np.concatenate([embedded[:, i], context], axis=-1)
        state = gru_step(x, state, parameters, "cell")
        seen = np.concatenate([state, embedded[:, i], context], axis=-1)
        logits.append(readout(seen, parameters))
        weights.append(weight)
    logits = np.stack(logits, axis=1)
    return logits, None if weights[0] is None else np.stack(weights, axis=1)


def readout(x, parameters):
    """Deep output: a maxout layer, then a linear map to the vocabulary.

    Maxout takes the larger of each two neighbors.

    Source: Bahdanau et al. 2015, appendix A.2.2.
    """
    pairs = x @ parameters["readout.weight"] + parameters["readout.bias"]
    largest = pairs.reshape(*pairs.shape[:-1], -1, 2).max(axis=-1)
    return largest @ parameters["output_layer.weight"] + parameters["output_layer.bias"]
