"""Recall of growing numbers of pairs by softmax, linear attention and the delta rule.

Names with a value each are written down, then asked for: what Arora et al. 2023
(arXiv:2312.04927) call MQAR, with a name and its value in one position. One layer, one
head, and a state of KEY_DIMS x VALUE_DIM numbers where there is a state. A model is
trained on all numbers of pairs in turn, and tested on each. Where all names are written
twice, the second value counts.

python -m experiments.associative --seeds 0 1 2
"""

from typing import NamedTuple

import numpy as np

from attn_course.course.training import ramped
from attn_course.mechanisms.delta_rule import pytorch as torch_rule, tf as tf_rule
from experiments import draw_from, run_plan
from experiments.models import in_both

NAMES, VALUES, ASKED = 128, 32, 16
UNKNOWN = VALUES  # what stands for the value of a name that is asked for
MODEL_DIM, VALUE_DIM, BATCH, RATE, STEPS = 64, 32, 64, 5e-3, 1200
PAIRS, KEY_DIMS = (4, 8, 16, 32, 64), (16, 32)
# What remembers, written once and twice. "additive" is the delta rule without its
# correction: queries and keys of length 1, a learned strength, no normalizer.
STATES = ("elu", "additive", "delta", "gated delta")
MEMORIES = ("softmax", "softmax, ALiBi", *STATES)
AGAIN = 16  # the width of a key where names are written twice
RULES = {"pytorch": torch_rule, "tf": tf_rule}
TESTED, RECENT = 8, 8  # batches; names that were written last


class Recall(NamedTuple):
    """A batch of rows, int64: what is written, then what is asked.

    names, values: (B, T), values UNKNOWN where a name is asked for; answer: (B, A), the
    last value written for each of the last A names; old: (B, A), the first one.
    """

    names: np.ndarray
    values: np.ndarray
    answer: np.ndarray
    old: np.ndarray


def recall(batch_size, *, pairs, times=1, seed=0):
    """An endless iterator of `Recall`; the same seed gives the same.

    pairs: how many names are written, or a list that is gone through, a batch each.
    times: how often each name is written, every time with another value.
    """
    rng, rows = np.random.default_rng(seed), np.arange(batch_size)[:, None]
    while True:
        for n in np.atleast_1d(pairs):
            held = rng.random((batch_size, NAMES)).argsort(axis=1)[:, :n]
            orders = rng.random((times, batch_size, n)).argsort(axis=2)
            first = rng.integers(VALUES, size=(batch_size, n))
            steps = rng.integers(1, VALUES, size=(times, batch_size, n))
            steps[0] = 0
            given = (first + steps.cumsum(axis=0)) % VALUES
            asked = rng.random((batch_size, n)).argsort(axis=1)[:, :ASKED]
            names = [held[rows, order] for order in orders]
            values = [x[rows, order] for x, order in zip(given, orders, strict=True)]
            unknown = np.full(asked.shape, UNKNOWN)
            yield Recall(
                np.concatenate([*names, held[rows, asked]], axis=1),
                np.concatenate([*values, unknown], axis=1),
                given[-1][rows, asked],
                first[rows, asked],
            )


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


def attention(face, rule, memory, key_dim):
    """The layer that remembers; of softmax with ALiBi four heads, else one.

    face: ``attn_course.pytorch`` or ``.tf``; rule: its module of the delta rule.
    """
    sizes = {"key_dim": key_dim, "value_dim": VALUE_DIM}
    if memory.startswith("softmax"):
        heads = 4 if "ALiBi" in memory else 1
        return face.MultiHeadAttention(MODEL_DIM, heads, **sizes)
    if memory == "elu":
        return face.LinearAttention(MODEL_DIM, 1, **sizes)
    if memory == "additive":
        return additive(face, rule.unit)(MODEL_DIM, 1, **sizes)
    decay = "learned" if memory == "gated delta" else None
    return face.DeltaRuleAttention(MODEL_DIM, 1, decay=decay, **sizes)


class Recaller:
    """Names and values (B, T) -> logits (B, T, VALUES)."""

    def __init__(self, memory, key_dim):
        super().__init__()
        self.written = self.table(NAMES, MODEL_DIM)
        self.value = self.table(UNKNOWN + 1, MODEL_DIM)
        rule = RULES[self.framework]
        self.attention = attention(self.face, rule, memory, key_dim)
        self.bias = self.face.AlibiBias(4) if "ALiBi" in memory else None
        self.logits = self.linear(MODEL_DIM, VALUES)

    def call(self, names, values):
        x = self.written(names) + self.value(values)
        options = {"causal": True, "need_weights": False}
        if self.bias is not None:
            options["bias"] = self.bias(*2 * [self.length(x)])
        return self.logits(self.attention(x, **options)[0])


MODELS = in_both(Recaller)


def train(model, *, steps, times=1, seed=0, pairs=PAIRS, every=50):
    """Train with Adam on the cross-entropy; returns the log: loss, share right."""
    data = recall(BATCH, pairs=pairs, times=times, seed=seed)
    options = {"steps": steps, "rate": RATE, "every": every, "schedule": rate_at}

    def loss(model, names, values, answer, old):
        asked = model(names, values)[:, -model.length(answer) :]
        return model.loop.scored(asked, answer)

    return model.loop.train(model, data, loss, clip=1.0, **options)


def test(model, *, pairs, times=1):
    """The shares of answers that are right, the first value written, right if recent.

    Recent are the last RECENT names that were written.
    """
    data = recall(BATCH, pairs=pairs, times=times, seed=1000)
    found = []
    for batch, _ in zip(data, range(TESTED), strict=False):
        names, values, answer, old = batch
        count = answer.shape[1]
        guess = model.loop.read(model, names, values).argmax(axis=-1)[:, -count:]
        recent = names[:, -count - RECENT : -count]
        recent = (names[:, -count:, None] == recent[:, None]).any(axis=-1)
        right = guess == answer
        late = (right * recent).sum() / recent.sum()
        found.append([right.mean(), (guess == old).mean(), late])
    return np.mean(found, axis=0).round(4).tolist()


def run(framework, memory, key_dim, times, seed):
    """Train one model; a row of the record for each number of pairs."""
    draw_from(seed)
    model = MODELS[framework](memory, key_dim)
    log = train(model, steps=STEPS, times=times, seed=seed)
    row = {"framework": framework, "memory": memory, "key_dim": key_dim}
    row |= {"times": times, "steps": STEPS}
    row |= {"state": None if "softmax" in memory else key_dim * VALUE_DIM}
    rows = []
    for pairs in PAIRS:
        exact, first, recent = test(model, pairs=pairs, times=times)
        found = {"exact": exact, "first": first, "recent": recent}
        found["loss"] = [round(line.loss, 3) for line in log[-3:]]
        rows.append(row | {"pairs": pairs, "seed": seed} | found)
    return rows


if __name__ == "__main__":
    kinds = [(memory, key_dim, 1) for key_dim in KEY_DIMS for memory in STATES]
    kinds += [("softmax", AGAIN, 1)]
    kinds += [(memory, AGAIN, 2) for memory in MEMORIES]
    plan, beside = ([(name, *kind) for kind in kinds] for name in MODELS)
    run_plan("associative", plan, run, beside)
