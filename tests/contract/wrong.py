"""A bank of wrong implementations of scaled dot-product attention, and the checks that must catch each by name.

``build()`` without a fault is right. A fault replaces one step, so each entry is one mistake and no other.
"""

import numpy as np

from attn_course.masks import causal_mask


def stable_softmax(score, axis=-1):
    highest = score.max(axis, keepdims=True)
    exponential = np.exp(score - np.where(np.isneginf(highest), 0.0, highest))
    total = exponential.sum(axis, keepdims=True)
    return exponential / np.where(total == 0, 1.0, total)


def blocked_softmax(score, mask):
    return stable_softmax(np.where(mask, score, -np.inf))


def build(scale=lambda K: K**-0.5, softmax=blocked_softmax, causal_rule=causal_mask, before=None):
    def attend(query, key, value, mask=None, *, causal=False):
        T, S = query.shape[-2], key.shape[-2]
        allowed = np.ones((*query.shape[:-1], S), bool) if mask is None else mask
        if causal:
            allowed = allowed & causal_rule(T, S)
        if before:
            query, key, value = before(query, key, value)
        score = scale(query.shape[-1]) * np.einsum("...tk,...sk->...ts", query, key)
        weights = softmax(score, allowed)
        return np.einsum("...ts,...sv->...tv", weights, value), weights

    return attend


def mask_after(score, mask):
    return stable_softmax(score) * mask


def over_queries(score, mask):
    return stable_softmax(np.where(mask, score, -np.inf), axis=-2)


def inverted(score, mask):
    return blocked_softmax(score, ~mask)


def zero_scores(score, mask):
    """Blocked scores become 0 and not minus infinity: exp(0) = 1 still counts."""
    return stable_softmax(score * mask)


def additive(score, mask):
    """The mask is added as 0 and 1, as if it were a bias."""
    return stable_softmax(score + mask)


def small_minus(score, mask):
    """Minus ten thousand instead of minus infinity: a huge score gets through."""
    return stable_softmax(score - 1e4 * ~mask)


def uniform_empty(score, mask):
    """The lowest finite number, without setting blocked weights to zero: an empty row averages everything."""
    return stable_softmax(np.where(mask, score, np.finfo(score.dtype).min))


def nan_empty(score, mask):
    with np.errstate(invalid="ignore"):
        score = np.where(mask, score, -np.inf)
        exponential = np.exp(score - score.max(-1, keepdims=True))
        return exponential / exponential.sum(-1, keepdims=True)


def overflowing(score, mask):
    with np.errstate(over="ignore", invalid="ignore"):
        exponential = np.exp(score) * mask
        total = exponential.sum(-1, keepdims=True)
        return exponential / np.where(total == 0, 1.0, total)


def over_everything(score, mask):
    """One softmax over queries and keys together."""
    score = np.where(mask, score, -np.inf)
    return stable_softmax(score.reshape(*score.shape[:-2], -1)).reshape(score.shape)


def best_key_alone(score, mask):
    """All weight on the key with the highest score."""
    score = np.where(mask, score, -np.inf)
    weights = np.zeros_like(score)
    np.put_along_axis(weights, score.argmax(-1)[..., None], 1.0, axis=-1)
    return weights * mask.any(-1, keepdims=True)


def plus_infinity(score, mask):
    """Blocked scores are set "to infinity", with the wrong sign."""
    with np.errstate(invalid="ignore"):
        score = np.where(mask, score, np.inf)
        exponential = np.exp(score - score.max(-1, keepdims=True))
        return exponential / exponential.sum(-1, keepdims=True)


def mixes_batch(query, key, value):
    return query, key, np.broadcast_to(value.mean(0, keepdims=True), value.shape)


def adds_positions(query, key, value):
    return query, key + np.arange(key.shape[-2])[:, None] / 5, value


def in_place(query, key, value):
    query += 0.0
    key *= 1.0 + 1e-9
    return query, key, value


# name: (implementation, the checks that must catch it)
WRONG = {
    "no scale": (build(scale=lambda K: 1.0), {"hand_worked"}),
    "divide by d": (build(scale=lambda K: 1 / K), {"hand_worked"}),
    "divide by d squared": (build(scale=lambda K: 1 / K**2), {"hand_worked"}),
    "softmax over the query axis": (
        build(softmax=over_queries),
        {"hand_worked", "rows_sum_to_one", "queries_are_independent"},
    ),
    "softmax over everything": (build(softmax=over_everything), {"rows_sum_to_one", "queries_are_independent"}),
    "inverted mask": (build(softmax=inverted), {"hand_worked", "blocked_keys_weigh_nothing"}),
    "mask after softmax": (build(softmax=mask_after), {"rows_sum_to_one", "blocked_values_cannot_matter"}),
    "mask as zero scores": (build(softmax=zero_scores), {"blocked_keys_weigh_nothing"}),
    "mask added as a bias": (build(softmax=additive), {"blocked_keys_weigh_nothing"}),
    "mask as plus infinity": (build(softmax=plus_infinity), {"blocked_keys_weigh_nothing"}),
    "a head takes its best key alone": (build(softmax=best_key_alone), {"hand_worked"}),
    "blocked by a small number": (build(softmax=small_minus), {"blocked_values_cannot_matter"}),
    "top-left causal for T != S": (
        build(causal_rule=lambda T, S: np.tri(T, S, dtype=bool)),
        {"causal_is_the_causal_mask", "an_empty_row_is_zero"},
    ),
    "future leaked": (
        build(causal_rule=lambda T, S: np.ones((T, S), bool)),
        {"causal_is_the_causal_mask", "no_look_into_the_future"},
    ),
    "future leaked by one": (
        build(causal_rule=lambda T, S: np.tri(T, S, S - T + 1, dtype=bool)),
        {"causal_is_the_causal_mask", "no_look_into_the_future"},
    ),
    "own position blocked": (
        build(causal_rule=lambda T, S: np.tri(T, S, S - T - 1, dtype=bool)),
        {"causal_is_the_causal_mask"},
    ),
    "empty row averages": (build(softmax=uniform_empty), {"an_empty_row_is_zero"}),
    "empty row is NaN": (build(softmax=nan_empty), {"an_empty_row_is_zero"}),
    "softmax overflows": (build(softmax=overflowing), {"large_scores_do_not_overflow"}),
    "values mixed over the batch": (build(before=mixes_batch), {"batch_rows_and_heads_are_independent"}),
    "keys told apart by place": (build(before=adds_positions), {"keys_in_any_order"}),
    "argument changed in place": (build(before=in_place), {"arguments_stay_as_they_are"}),
}
