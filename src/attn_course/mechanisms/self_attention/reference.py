"""Self-attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.shapes import check_parameters
from attn_course.mechanisms.dot_product.reference import (
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.mechanisms.self_attention.shared import (
    PARTS,
    Format,
    check_image,
    check_intra,
    check_intra_parameters,
    check_self_attention,
    check_tokens_of,
)

__all__ = [
    "feature_map_attention",
    "image_to_tokens",
    "intra_attention_lstm",
    "self_attention",
    "tokens_to_image",
]

DATA_FORMAT = "channels_last"
Parameters = dict[str, np.ndarray]


def self_attention(
    x: np.ndarray,
    parameters: Parameters,
    mask: np.ndarray | None = None,
    *,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Every position of a sequence asks all positions of the same sequence.

    query[t], key[t], value[t] = x[t] @ query_weight, x[t] @ key_weight,
                                 x[t] @ value_weight
    weight[t, :] = softmax over the allowed s of query[t] . key[s] / sqrt(K)
    output[t]    = sum over s of weight[t, s] * value[s], then @ output_weight if
                   there is one

    Shapes:
        x: (B, T, D).
        parameters: ``query_weight`` (D, K), ``key_weight`` (D, K), ``value_weight``
            (D, V) and perhaps ``output_weight`` (V, D).
        mask: boolean (T, T), (B, T, T), or (B, 1, T), padding; True = may attend.
        causal: True also blocks the positions after one's own.
        returns: output (B, T, V), or (B, T, D) with ``output_weight``; weights
            (B, T, T).

    Edge case: a position that may attend to nothing gets zeros. A position that none
        may see has no influence on the others, whatever finite numbers it holds.

    Raises:
        ValueError: a shape, dtype or mask is not as above.

    Source: Vaswani et al. 2017 (arXiv:1706.03762), sections 3.2.1 and 3.2.3.
    Differs: the paper has several heads at once; this is one of them.
    """
    check_self_attention(x, parameters, mask)
    x = np.asarray(x, np.float64)
    output, weights = scaled_dot_product_attention(
        x @ parameters["query_weight"],
        x @ parameters["key_weight"],
        x @ parameters["value_weight"],
        mask,
        causal=causal,
    )
    if "output_weight" in parameters:
        output = output @ parameters["output_weight"]
    return output, weights


def image_to_tokens(
    image: np.ndarray, *, data_format: Format | None = None
) -> np.ndarray:
    """The pixels of an image as a sequence, row by row.

    tokens[y * width + x] = the channels of pixel (y, x)

    Shapes:
        image: (B, height, width, C), or (B, C, height, width) if ``channels_first``.
        returns: (B, height * width, C).

    Raises:
        ValueError: the image has not four axes, or the data format is unknown.

    Differs: ``reshape`` alone does this only if the channels are last; if they are
        first, it mixes pixels and channels.
    """
    if check_image(image, data_format or DATA_FORMAT):
        image = np.moveaxis(image, 1, -1)
    return image.reshape(len(image), -1, image.shape[-1])


def tokens_to_image(
    tokens: np.ndarray, height: int, width: int, *, data_format: Format | None = None
) -> np.ndarray:
    """The inverse of ``image_to_tokens``.

    Shapes:
        tokens: (B, height * width, C).
        returns: (B, height, width, C), or (B, C, height, width) if ``channels_first``.

    Raises:
        ValueError: there are not height * width tokens, or the format is unknown.
    """
    first = check_tokens_of(tokens, height, width, data_format or DATA_FORMAT)
    image = tokens.reshape(len(tokens), height, width, -1)
    return np.moveaxis(image, -1, 1) if first else image


def feature_map_attention(
    image: np.ndarray,
    parameters: Parameters,
    mask: np.ndarray | None = None,
    *,
    data_format: Format | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Every pixel asks all pixels; with a gate, the answer is added to the pixel.

    output = image + gate * attended, or attended if there is no gate, where
    attended = tokens_to_image(self_attention(image_to_tokens(image)))

    Shapes:
        image: (B, height, width, C), or (B, C, height, width) if ``channels_first``.
        parameters: those of ``self_attention``, ``output_weight`` included, and perhaps
            ``gate`` (), which layers begin with 0.
        mask: as in ``self_attention``, with T = height * width.
        returns: output, shaped as the image; weights (B, T, T).

    Raises:
        ValueError: a shape, dtype, mask or the data format is not as above.

    Source: Zhang et al. 2019, "Self-Attention Generative Adversarial Networks"
        (arXiv:1805.08318), section 3. Their 1x1 convolutions are these linear maps.
    Differs: the scores are divided by sqrt(K), theirs are not; the weights have no
        spectral normalization.
    """
    check_parameters(parameters, "output_weight")
    format_ = data_format or DATA_FORMAT
    first = check_image(image, format_)
    tokens = image_to_tokens(np.asarray(image, np.float64), data_format=format_)
    height, width = image.shape[2:] if first else image.shape[1:3]
    output, weights = self_attention(tokens, parameters, mask)
    output = tokens_to_image(output, height, width, data_format=format_)
    if "gate" in parameters:
        output = image + parameters["gate"] * output
    return output, weights


def intra_attention_lstm(
    x: np.ndarray, parameters: Parameters, mask: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
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
    hidden, width = (check_intra_parameters(parameters)[letter] for letter in "HD")
    check_intra(x, width, mask)
    x = np.asarray(x, np.float64)
    batch, length = x.shape[:2]
    real = np.ones((batch, length), bool) if mask is None else mask
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
    # The sigmoid by way of tanh, which no large number overflows.
    input_, forget, output = ((1 + np.tanh(part / 2)) / 2 for part in parts[:3])
    cell = forget * past + input_ * np.tanh(parts[3])
    return output * np.tanh(cell), cell
