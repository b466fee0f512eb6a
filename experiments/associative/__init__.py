"""Recall of growing numbers of pairs by softmax, linear attention and the delta rule.

One layer, one head, and a state of KEY_DIMS x VALUE_DIM numbers where there is a state.
A model is trained on all numbers of pairs in turn, and tested on each. Where all names
are written twice, the second value counts. ``associative.pytorch`` and ``.tf`` have the
model.

python -m experiments.associative --seeds 0 1 2
"""

import numpy as np

from attn_course.course.training import ramped
from experiments.tasks.recall import recall

MODEL_DIM, VALUE_DIM, BATCH, RATE, STEPS = 64, 32, 64, 5e-3, 1200
PAIRS, KEY_DIMS = (4, 8, 16, 32, 64), (16, 32)
# What remembers, written once and twice. "additive" is the delta rule without its
# correction: queries and keys of length 1, a learned strength, no normalizer.
STATES = ("elu", "additive", "delta", "gated delta")
MEMORIES = ("softmax", "softmax, ALiBi", *STATES)
AGAIN = 16  # the width of a key where names are written twice
TESTED, RECENT = 8, 8  # batches; names that were written last


def rate_at(step, steps, rate):
    """The learning rate of a step: it rises for a tenth of the steps, then falls."""
    return ramped(step, steps, rate, steps / 10, 0.5 * steps)


def additive(face, unit):
    """The delta rule without its correction: S_t = S_{t-1} + beta_t k_t v_t^T."""

    class Additive(face.DeltaRuleAttention):
        def attend(self, query, key, value, mask, *, beta, **options):
            pair = unit(query), unit(key)
            plain = {"feature_map": "identity", "normalize": False, "causal": True}
            written = beta[..., None] * value
            return face.linear_attention(*pair, written, mask, **plain)

    return Additive


def attention(face, unit, memory, key_dim):
    """The layer that remembers; of softmax with ALiBi four heads, else one."""
    sizes = {"key_dim": key_dim, "value_dim": VALUE_DIM}
    if memory.startswith("softmax"):
        heads = 4 if "ALiBi" in memory else 1
        return face.MultiHeadAttention(MODEL_DIM, heads, **sizes)
    if memory == "elu":
        return face.LinearAttention(MODEL_DIM, 1, **sizes)
    if memory == "additive":
        return additive(face, unit)(MODEL_DIM, 1, **sizes)
    decay = "learned" if memory == "gated delta" else None
    return face.DeltaRuleAttention(MODEL_DIM, 1, decay=decay, **sizes)


def train(module, model, *, steps, times=1, seed=0, pairs=PAIRS, every=50):
    """Train with Adam on the cross-entropy; returns the log: loss, share right."""
    data = recall(BATCH, pairs=pairs, times=times, seed=seed)
    options = {"steps": steps, "rate": RATE, "every": every, "schedule": rate_at}
    return module.loop.train(model, data, module.loss, clip=1.0, **options)


def test(module, model, *, pairs, times=1):
    """The shares of answers that are right, the first value written, right if recent.

    Recent are the last RECENT names that were written.
    """
    data = recall(BATCH, pairs=pairs, times=times, seed=1000)
    found = []
    for batch, _ in zip(data, range(TESTED), strict=False):
        names, values, answer, old = batch
        count = answer.shape[1]
        guess = module.guess(model, names, values)[:, -count:]
        recent = names[:, -count - RECENT : -count]
        recent = (names[:, -count:, None] == recent[:, None]).any(axis=-1)
        right = guess == answer
        late = (right * recent).sum() / recent.sum()
        found.append([right.mean(), (guess == old).mean(), late])
    return np.mean(found, axis=0).round(4).tolist()
