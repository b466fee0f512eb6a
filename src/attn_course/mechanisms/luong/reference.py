"""Luong's global and local attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.parity import nested
from attn_course.core.shapes import check_positive
from attn_course.mechanisms.dot_product.reference import masked_softmax
from attn_course.mechanisms.luong.shared import (
    Alignment,
    Score,
    check_local,
    check_score_inputs,
)
from attn_course.mechanisms.recurrent.reference import Arrays, Mask, gru_step
from attn_course.mechanisms.recurrent.shared import as_rows, check_decoder, check_names

__all__ = [
    "local_attention",
    "local_window",
    "luong_attention",
    "luong_decoder",
    "luong_score",
]


def luong_score(
    query: np.ndarray, memory: np.ndarray, parameters: Arrays, *, score: Score
) -> np.ndarray:
    """Score every memory vector against every query, in one of four ways.

    dot:      score[t, s] = query[t] . memory[s]
    general:  score[t, s] = query[t] @ weight . memory[s]
    concat:   score[t, s] = score_weight
                            . tanh(query[t] @ query_weight + memory[s] @ memory_weight)
    location: score[t, s] = (query[t] @ location_weight)[s], whatever memory[s] holds

    Shapes:
        query: (B, T, D). memory: (B, S, E); E = D for dot, S <= L for location.
        parameters: general ``weight`` (D, E); concat ``query_weight`` (D, A),
            ``memory_weight`` (E, A), ``score_weight`` (A); location
            ``location_weight`` (D, L).
        returns: (B, T, S).

    Raises:
        ValueError: the score is unknown, or a shape or dtype is not as above.

    Source: Luong, Pham & Manning 2015 (arXiv:1508.04025), section 3.1, equation 8
        (location) and the three content-based scores above it.
    Differs: the paper writes concat as v . tanh(W [query; memory]); query_weight and
        memory_weight are the two halves of that W.
    """
    check_score_inputs(query, memory, parameters, score)
    query, memory = np.asarray(query, np.float64), np.asarray(memory, np.float64)
    if score == "general":
        query = query @ parameters["weight"]
    if score == "location":
        return (query @ parameters["location_weight"])[:, :, : memory.shape[1]]
    if score == "concat":
        keys = memory @ parameters["memory_weight"]
        queries = query @ parameters["query_weight"]
        hidden = np.tanh(queries[:, :, None] + keys[:, None])
        return hidden @ parameters["score_weight"]
    return np.einsum("btd,bsd->bts", query, memory)


def local_window(
    center: np.ndarray, size: int, *, half_width: float, gaussian: bool
) -> np.ndarray:
    """How much each position counts: nothing outside the window around a center.

    window[t, s] = exp(-(s - center[t])^2 / (2 sigma^2)) with sigma = half_width / 2,
                   or 1 if not gaussian, where |s - center[t]| <= half_width; else 0

    Shapes:
        center: (..., T), real numbers; positions count from 0. size: S.
        returns: (..., T, S).

    Raises:
        ValueError: half_width is not positive.

    Source: Luong et al. 2015, section 3.2, equation 10.
    """
    check_positive(half_width=half_width)
    distance = np.arange(size) - np.asarray(center, np.float64)[..., None]
    inside = np.abs(distance) <= half_width
    sigma = half_width / 2
    height = np.exp(-(distance**2) / (2 * sigma**2)) if gaussian else 1.0
    return np.where(inside, height, 0.0)


def by_rank(x: np.ndarray, mask: Mask) -> np.ndarray:
    """For every position what x (B, T, S) has at its rank, as the mask counts them.

    The rank of a position is how many positions before it the mask (B, 1, S) or
    (B, T, S) allows: a sentence stands where it does without its padding.
    """
    rank = np.maximum(np.cumsum(mask, axis=-1) - 1, 0)
    return np.take_along_axis(x, np.broadcast_to(rank, (*x.shape[:2], x.shape[2])), -1)


def luong_attention(
    query: np.ndarray,
    memory: np.ndarray,
    parameters: Arrays,
    mask: Mask = None,
    *,
    score: Score,
) -> tuple[np.ndarray, np.ndarray]:
    """Global attention: every position is scored.

    weight[t, :] = softmax(luong_score[t, :]) over the positions that the mask allows
    context[t]   = sum over s of weight[t, s] * memory[s]

    Shapes:
        query: (B, T, D), decoder states after the step. memory: (B, S, E).
        mask: boolean (B, S), padding, or (B, T, S); True = may attend.
        returns: context (B, T, E), weights (B, T, S).

    Edge case: a query that may attend to nothing gets zero weights and a zero context.
        The location score counts the positions that the mask allows (``by_rank``).
    Raises:
        ValueError: a shape, dtype or mask is not as above, or the score is unknown.

    Source: Luong et al. 2015, section 3.1, equation 7.
    """
    check_score_inputs(query, memory, parameters, score, mask)
    scores = luong_score(query, memory, parameters, score=score)
    if score == "location" and mask is not None:
        scores = by_rank(scores, as_rows(mask))
    weights = masked_softmax(scores, as_rows(mask))
    return weights @ memory, weights


def local_attention(
    query: np.ndarray,
    memory: np.ndarray,
    parameters: Arrays,
    mask: Mask = None,
    *,
    score: Score,
    half_width: float,
    alignment: Alignment,
    first_position: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Local attention: attend only to a window around one position.

    center[t]    = first_position + t                               (monotonic)
                   S * sigmoid(position_score_weight
                               . tanh(query[t] @ position_weight))  (predictive)
    weight[t, :] = softmax over the window, times exp(-(s - center)^2 / (2 sigma^2))
                   if predictive, sigma = half_width / 2; not normalized again
    context[t]   = sum over s of weight[t, s] * memory[s]

    Shapes:
        as in ``luong_attention``; S in the formula is the number of positions that
        the mask allows, and s a position's rank among them. parameters also:
        ``position_weight`` (D, A) and ``position_score_weight`` (A) if predictive.

    Edge case: a window without any allowed position gives zeros.

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.

    Source: Luong et al. 2015, section 3.2, equations 9 and 10.
    """
    sizes = check_score_inputs(query, memory, parameters, score, mask)
    check_local(half_width, alignment)
    allowed = np.ones((1, 1, sizes["S"]), bool) if mask is None else as_rows(mask)
    if alignment == "monotonic":
        steps = first_position + np.arange(sizes["T"])
        center = np.broadcast_to(steps, query.shape[:2])
    else:
        check_names(parameters, "position_weight", "position_score_weight")
        hidden = np.tanh(query @ parameters["position_weight"])
        share = 1 / (1 + np.exp(-(hidden @ parameters["position_score_weight"])))
        center = allowed.sum(axis=-1) * share
    gaussian = alignment == "predictive"
    window = local_window(center, sizes["S"], half_width=half_width, gaussian=gaussian)
    window = by_rank(window, allowed)
    scores = luong_score(query, memory, parameters, score=score)
    scores = by_rank(scores, allowed) if score == "location" else scores
    weights = masked_softmax(scores, (window > 0) & allowed) * window
    return weights @ memory, weights


def luong_decoder(
    targets: np.ndarray,
    memory: np.ndarray,
    initial_state: np.ndarray,
    parameters: Arrays,
    mask: Mask = None,
    *,
    score: Score,
    half_width: float | None = None,
    alignment: Alignment | None = None,
    input_feeding: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Read the targets one by one; after each step, attend to the memory.

    h[t]           = gru_step([embedding(y[t-1]); attentional[t-1]], h[t-1]), without
                     the second part if not input_feeding; attentional[-1] = 0
    context[t]     = attention(h[t], memory), local if half_width is given
    attentional[t] = tanh([context[t]; h[t]] @ combine)
    logits[t]      = output_layer(attentional[t])

    Shapes:
        targets: (B, T), the tokens before each output (teacher forcing).
        memory: (B, S, E). initial_state: (B, H). mask: (B, S).
        returns: logits (B, T, N), weights (B, T, S).

    Source: Luong et al. 2015 (arXiv:1508.04025), section 3, equations 5 and 6, and
        section 3.3 (input feeding).
    """
    names = ("embedding.weight", "combine.weight")
    check_names(parameters, *names, "output_layer.weight", "output_layer.bias")
    embedding, combine = (parameters[name] for name in names)
    H = combine.shape[1]
    sizes = {"hidden_dim": H, "memory_dim": combine.shape[0] - H}
    given = {"memory": memory, "initial_state": initial_state}
    check_decoder(sizes, mask, targets=targets, **given)
    learned, options = nested(parameters, "attention"), {"score": score}
    if half_width is not None:
        options |= {"half_width": half_width, "alignment": alignment}
    embedded, hidden = embedding[targets], initial_state
    attentional, logits, weights = np.zeros_like(initial_state), [], []
    for t in range(targets.shape[1]):
        fed = [embedded[:, t], attentional] if input_feeding else [embedded[:, t]]
        hidden = gru_step(np.concatenate(fed, axis=-1), hidden, parameters, "cell")
        attend = luong_attention
        if half_width is not None:
            attend, options["first_position"] = local_attention, t
        context, weight = attend(hidden[:, None], memory, learned, mask, **options)
        seen = np.concatenate([context[:, 0], hidden], axis=-1)
        attentional = np.tanh(seen @ combine)
        output = parameters["output_layer.weight"], parameters["output_layer.bias"]
        logits.append(attentional @ output[0] + output[1])
        weights.append(weight[:, 0])
    return np.stack(logits, axis=1), np.stack(weights, axis=1)
