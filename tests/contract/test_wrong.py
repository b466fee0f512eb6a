"""Wrong implementations of scaled dot-product attention, by name: what the right ones pass, each of them fails."""

import numpy as np
import pytest
from support import caught, close, numbers

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.masks import causal_mask

B, H, T, S, K, V = 2, 3, 5, 7, 11, 13
LENGTHS = ((T, S), (S, S), (S, T))  # behind a cache, whole sequence, more queries than keys


def calls():
    """(arrays, causal): masks with an empty row, scores of ten thousands, a blocked key and value that are huge."""
    for T, S in LENGTHS:
        rng = np.random.default_rng(T)
        heads = [rng.normal(size=(B, H, *shape)) for shape in ((T, K), (S, K), (S, V))]
        mask = rng.random((B, H, T, S)) < 0.6
        mask[..., 0], mask[..., 3], mask[0, 1, 2] = True, False, False
        huge = [x.copy() for x in heads]
        huge[1][:, :, 3], huge[2][:, :, 3] = 1e5, 1e30
        for causal in (False, True):
            yield from ((arrays, causal) for arrays in ((*heads, None), (*heads, mask), (*huge, mask)))
        yield (heads[0] * 1e4, *heads[1:], None), False


def check(attend):
    """From NumPy to NumPy: the specification's numbers, and arguments that stay as they are."""
    for arrays, causal in calls():
        given = [None if x is None else x.copy() for x in arrays]
        close(list(attend(*given, causal=causal)), list(reference.scaled_dot_product_attention(*arrays, causal=causal)))
        for one, other in zip(given, arrays, strict=True):
            np.testing.assert_array_equal(one, other)


def stable_softmax(score, axis=-1):
    highest = score.max(axis, keepdims=True)
    exponential = np.exp(score - np.where(np.isneginf(highest), 0.0, highest))
    total = exponential.sum(axis, keepdims=True)
    return exponential / np.where(total == 0, 1.0, total)


def hidden(score, mask, value=-np.inf):
    return np.where(mask, score, value)


def unguarded(score, mask, blocked=-np.inf):
    """What an empty row, or plus infinity, makes NaN."""
    exponential = np.exp(hidden(score, mask, blocked) - hidden(score, mask, blocked).max(-1, keepdims=True))
    return exponential / exponential.sum(-1, keepdims=True)


def overflowing(score, mask):
    total = (np.exp(score) * mask).sum(-1, keepdims=True)
    return np.exp(score) * mask / np.where(total == 0, 1.0, total)


def best_key_alone(score, mask):
    score, weights = hidden(score, mask), np.zeros_like(score)
    np.put_along_axis(weights, score.argmax(-1)[..., None], 1.0, axis=-1)
    return weights * mask.any(-1, keepdims=True)


def in_place(query, key, value):
    key *= 1.0 + 1e-9
    return query, key, value


def build(
    scale=lambda K: K**-0.5,
    softmax=lambda score, mask: stable_softmax(hidden(score, mask)),
    causal_rule=causal_mask,
    before=lambda *heads: heads,
):
    """Right without a fault; a fault takes the place of one step."""

    def attend(query, key, value, mask=None, *, causal=False):
        T, S = query.shape[-2], key.shape[-2]
        allowed = np.ones((*query.shape[:-1], S), bool) if mask is None else mask
        if causal:
            allowed = allowed & causal_rule(T, S)
        query, key, value = before(query, key, value)
        weights = softmax(scale(query.shape[-1]) * query @ key.swapaxes(-1, -2), allowed)
        return weights @ value, weights

    return attend


def by_face(face):
    def attend(*arrays, causal):
        # Not copied: what changes its argument changes the array that the check looks at.
        given = (x if x is None or face is tf else torch.from_numpy(x) for x in arrays)
        return [numbers(x) for x in face.scaled_dot_product_attention(*given, causal=causal)]

    return attend


WRONG = {
    "no scale": {"scale": lambda K: 1.0},
    "divide by d": {"scale": lambda K: 1 / K},
    "divide by d squared": {"scale": lambda K: 1 / K**2},
    "softmax over the query axis": {"softmax": lambda score, mask: stable_softmax(hidden(score, mask), -2)},
    "softmax over everything": {
        "softmax": lambda score, mask: stable_softmax(hidden(score, mask).reshape(B, H, -1)).reshape(score.shape)
    },
    "inverted mask": {"softmax": lambda score, mask: stable_softmax(hidden(score, ~mask))},
    "mask after softmax": {"softmax": lambda score, mask: stable_softmax(score) * mask},
    "mask as zero scores": {"softmax": lambda score, mask: stable_softmax(score * mask)},
    "mask added as a bias": {"softmax": lambda score, mask: stable_softmax(score + mask)},
    "mask as plus infinity": {"softmax": lambda score, mask: unguarded(score, mask, np.inf)},
    "a head takes its best key alone": {"softmax": best_key_alone},
    "blocked by a small number": {
        "softmax": lambda score, mask: mask.any(-1)[..., None] * stable_softmax(score - 1e4 * ~mask)
    },
    "top-left causal for T != S": {"causal_rule": lambda T, S: np.tri(T, S, dtype=bool)},
    "future leaked": {"causal_rule": lambda T, S: np.ones((T, S), bool)},
    "future leaked by one": {"causal_rule": lambda T, S: np.tri(T, S, S - T + 1, dtype=bool)},
    "own position blocked": {"causal_rule": lambda T, S: np.tri(T, S, S - T - 1, dtype=bool)},
    "empty row averages": {"softmax": lambda score, mask: stable_softmax(hidden(score, mask, np.finfo(float).min))},
    "empty row is NaN": {"softmax": unguarded},
    "softmax overflows": {"softmax": overflowing},
    "values mixed over the batch": {"before": lambda q, k, v: (q, k, np.broadcast_to(v.mean(0), v.shape))},
    "keys told apart by place": {"before": lambda q, k, v: (q, k + np.arange(k.shape[-2])[:, None] / 5, v)},
    "argument changed in place": {"before": in_place},
}
RIGHT = {"pytorch": by_face(pytorch), "tf": by_face(tf), "the bank without a fault": build()}


@pytest.mark.parametrize("name", RIGHT)
def test_right_passes(name):
    check(RIGHT[name])


@pytest.mark.parametrize("name", WRONG)
def test_wrong_is_caught_by_name(name):
    with np.errstate(all="ignore"):
        caught(check, build(**WRONG[name]))
