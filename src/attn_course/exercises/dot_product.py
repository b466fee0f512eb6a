"""Exercises of chapter 4."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
    strong,
    weak,
)


def _attention_cases(rng):
    def draw(T, S, K, V):
        mask = rng.random((T, S)) < 0.6
        mask[:, 0] |= ~mask.any(axis=1)
        query, key, value = (rng.normal(size=size) for size in ((T, K), (S, K), (S, V)))
        return query, key, value, mask

    def large(query, key, value, mask):
        return *strong(query, key), value, mask

    def low(query, key, value, mask):
        return *weak(query, key), value, mask

    def empty(query, key, value, mask):
        mask[-1] = False
        return query, key, value, mask

    def full(query, key, value, mask):
        return query, key, value, np.ones_like(mask)

    changes = {"large": large, "low": low, "empty": empty, "full": full}
    return fixed_cases(rng, draw, 4, long=(0, 1), **changes)


def attention(query, key, value, mask):
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
    highest = score.max(axis=1, keepdims=True)
    weights = np.exp(score - np.where(np.isinf(highest), 0.0, highest))
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total == 0, 1.0, total) @ value


def _cache_cases(rng):
    def draw(T, extra, K, V):
        sizes = (T, K), (T + extra, K), (T + extra, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value):
        return *strong(query, key), value

    def low(query, key, value):
        return *weak(query, key), value

    cases = fixed_cases(rng, draw, 4, long=(0, 1), large=large, low=low)
    return [*cases, Case("no cache yet", draw(7, 0, 3, 2))]


def with_cache(query, key, value):
    score = query @ key.T / np.sqrt(key.shape[1])
    T, S = score.shape
    allowed = np.tri(T, S, S - T, dtype=bool)
    return softmax(np.where(allowed, score, -np.inf)) @ value


def _mask_cases(rng):
    def draw(B, T, extra):
        S = T + extra
        return np.arange(S) < rng.integers(1, S + 1, B)[:, None], T

    def full(padding, T):
        return np.ones_like(padding), T

    def empty(padding, T):
        padding[0] = False
        return padding, T

    cases = fixed_cases(rng, draw, 3, long=(1, 2), full=full, empty=empty)
    return [*cases, Case("as many queries as keys", draw(3, 7, 0))]


def allowed(padding, T):
    S = padding.shape[1]
    causal = np.arange(S) <= np.arange(T)[:, None] + S - T
    return padding[:, None] & causal


def _entropy_cases(rng):
    def draw(T, S):
        return (softmax(3 * rng.normal(size=(T, S))),)

    def large(weights):
        return (np.eye(*weights.shape),)  # all the weight on one key: log(0) is -inf

    def empty(weights):
        weights[0] = 0
        return (weights,)

    return fixed_cases(rng, draw, 2, long=(1,), large=large, empty=empty)


def entropy(weights):
    logarithm = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logarithm).sum(axis=1).mean()


def _pool_cases(rng):
    def draw(B, S, D):
        memory = rng.normal(size=(B, S, D)).astype(np.float32)
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        return (D,), (memory, mask), {"query": rng.normal(size=D).astype(np.float32)}

    def large(sizes, inputs, weights):
        return sizes, inputs, {"query": 3000 * weights["query"]}

    def full(sizes, inputs, weights):
        return sizes, (inputs[0], np.ones_like(inputs[1])), weights

    return [
        Case("equal sizes", draw(3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5)),
        Case("an axis of size 1", draw(1, 5, 3)),
        Case("an axis of size 1", draw(3, 5, 1)),
        Case("everything allowed", full(*draw(2, 11, 3))),
        Case("scores of several hundred", large(*draw(3, 5, 7)), 100.0),
    ]


def pool(memory, mask, query):
    score = memory @ query / np.sqrt(query.shape[0])
    weights = softmax(np.where(mask, score, -np.inf))
    return (weights[:, None] @ memory)[:, 0]


EXERCISES = (
    Exercise(
        name="04.attention",
        level=2,
        minutes=15,
        before="00.soft_lookup, 02.masked_weights",
        statement=(
            "Write `attention(query, key, value, mask)` for one head: query "
            "(T, K), key "
            "(S, K), value (S, V), mask (T, S) bool, True may attend; output (T, V). A "
            "query that may see nothing gets zeros; scores may be of any size "
            "and sign. "
            'NumPy, or PyTorch or TensorFlow with framework="torch" or "tf".'
        ),
        cases=_attention_cases,
        solution=attention,
        mistakes={
            "the scale is missing: divide the scores by the root of K": (
                " / np.sqrt(key.shape[1])",
                "",
            ),
            "the scores are divided by K; it is the root of K": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the scores are divided by the square of K; it is the root": (
                "np.sqrt(key.shape[1])",
                "key.shape[1] ** 2",
            ),
            "the scores are divided by the root of S, the number of keys; it is K": (
                "key.shape[1]",
                "key.shape[0]",
            ),
            "the scores are divided by the root of T, the number of queries; it is K": (
                "key.shape[1]",
                "query.shape[0]",
            ),
            "the scores are divided by the root of V; it is the root of K": (
                "key.shape[1]",
                "value.shape[1]",
            ),
            "the softmax runs over the queries; every query has its own": (
                "axis=1",
                "axis=0",
            ),
            "the average runs over the queries: the weights are transposed": (
                "weights / np.where(total == 0, 1.0, total) @",
                "(weights / np.where(total == 0, 1.0, total)).T @",
            ),
            "the mask is inverted; True may attend": ("where(mask", "where(~mask"),
            "the mask comes after the softmax; the rest no longer sums to 1": (
                lambda q, k, v, mask: softmax(q @ k.T / np.sqrt(k.shape[1])) * mask @ v
            ),
            "the mask is ignored": (
                lambda q, k, v, mask: attention(q, k, v, np.ones_like(mask))
            ),
            "a query that may see nothing gets NaN; it should get 0": (
                "np.where(total == 0, 1.0, total)",
                "total",
            ),
            "a query that may see nothing gets the mean of all; it should get 0": (
                "-np.inf)",
                "-1e9)",
            ),
            "-1e4 is no low score, and a query that may see nothing should get 0": (
                "-np.inf)",
                "-1e4)",
            ),
            "blocked scores are set to 0, which is a score like any other": (
                "-np.inf)",
                "0.0)",
            ),
            "exp of a large score overflows: subtract each row's largest one first": (
                " - np.where(np.isinf(highest), 0.0, highest)",
                "",
            ),
            "the weights are not divided by their sum": (
                " / np.where(total == 0, 1.0, total)",
                "",
            ),
            "-1e4 is no low score: an allowed one may be lower": (
                lambda q, k, v, mask: _filled(q, k, v, mask, -1e4)
            ),
            "-50 is no low score: an allowed one may be lower": (
                lambda q, k, v, mask: _filled(q, k, v, mask, -50)
            ),
            "0 is a score like any other: blocked scores should be -inf": (
                lambda q, k, v, mask: _filled(q, k, v, mask, 0)
            ),
            "the keys are averaged, not the values": ("@ value", "@ key"),
            "the largest score of all is subtracted: rows far below it become 0": (
                "score.max(axis=1, keepdims=True)",
                "score.max()",
            ),
            "True adds 1 to a score; it should block where it is False": (
                lambda query, key, value, mask: (
                    softmax(query @ key.T / np.sqrt(key.shape[1]) + mask) @ value
                )
            ),
        },
        hints=(
            "Scores, mask, softmax, average: the mask comes before the softmax.",
            "Set blocked scores to -inf. A row of -inf alone has no maximum to "
            "subtract "
            "and no sum to divide by.",
            "highest = score.max(axis=1, keepdims=True); subtract it, or 0 where it is "
            "-inf; divide by the sum, or by 1 where it is 0.",
        ),
        starters={
            "numpy": (
                "def attention(query, key, value, mask):\n"
                "    ...  # (T, K), (S, K), (S, V), (T, S); return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="04.with_cache",
        level=2,
        minutes=10,
        kind="bug",
        before="00.soft_lookup",
        statement=(
            "Find the bug. Causal attention for a model that writes: the T new queries "
            "are the last of S positions. query (T, K), key (S, K), value (S, "
            "V), output "
            "(T, V). It is right as long as the cache is empty. "
            "`softmax(score)` is given."
        ),
        cases=_cache_cases,
        solution=with_cache,
        mistakes={
            **OVERFLOW,
            "queries and keys are aligned at the start; the last query stands on "
            "the last key": ("S - T, ", "0, "),
            "a query sees the key after its own position": ("S - T, ", "S - T + 1, "),
            "a query does not see its own position": (
                lambda q, k, v: _shifted(q, k, v, -1)
            ),
            "every query sees every key: nothing is causal": (
                "np.where(allowed, score, -np.inf)",
                "score",
            ),
            "the sign is wrong: the diagonal moves by S - T, not by T - S": (
                "S - T, ",
                "T - S, ",
            ),
            "the mask is inverted": ("where(allowed", "where(~allowed"),
            "-1e4 is no low score: an allowed one may be lower": ("-np.inf", "-1e4"),
            "-50 is no low score: an allowed one may be lower": ("-np.inf", "-50"),
            "blocked scores are set to 0, which is a score like any other": (
                "-np.inf",
                "0.0",
            ),
            "the diagonal moves by T; it is S - T": ("S - T, ", "T, "),
            "the mask comes after the softmax, so the rows no longer sum to 1": (
                "softmax(np.where(allowed, score, -np.inf))",
                "(softmax(score) * allowed)",
            ),
            "the scale is missing": (" / np.sqrt(key.shape[1])", ""),
            "the keys of the cache are never seen": (
                "allowed = np.tri(T, S, S - T, dtype=bool)",
                "allowed = np.tri(T, S, S - T, dtype=bool) & (np.arange(S) >= S - T)",
            ),
            "the scores are divided by K; it is the root of K": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the root is that of the value's width": ("key.shape[1]", "value.shape[1]"),
            "the softmax runs over the queries": ("-np.inf))", "-np.inf), axis=0)"),
            "the diagonal moves by a constant; it is S - T": ("S - T", "2"),
        },
        hints=(
            "With a cache, query 0 is not position 0.",
            "Print the mask for 2 queries and 5 keys. Which key belongs to the last "
            "query?",
            "np.tri has a third argument, which moves the diagonal.",
        ),
        starters={
            "numpy": (
                "def with_cache(query, key, value):\n"
                "    score = query @ key.T / np.sqrt(key.shape[1])\n"
                "    allowed = np.tri(*score.shape, dtype=bool)\n"
                "    return softmax(np.where(allowed, score, -np.inf)) @ value\n"
            ),
        },
    ),
    Exercise(
        name="04.allowed",
        level=2,
        minutes=10,
        before="01.padding_mask",
        statement=(
            "Write `allowed(padding, T)`: one mask from two. padding (B, S) bool, True "
            "where a token stands; T queries, the last of the S positions; output "
            "(B, T, S) bool: a query sees tokens, not after itself. A sentence without "
            "tokens gives False alone."
        ),
        cases=_mask_cases,
        solution=allowed,
        mistakes={
            "queries and keys are aligned at the start": (" + S - T", ""),
            "either is enough here; both are needed": (" & ", " | "),
            "nothing is causal": (
                "return padding[:, None] & causal",
                "return np.repeat(padding[:, None], T, axis=1)",
            ),
            "the padding is not used": (
                "padding[:, None] & causal",
                "np.ones_like(padding)[:, None] & causal",
            ),
            "the padding is inverted: True is a token": (
                "padding[:, None]",
                "~padding[:, None]",
            ),
            "a query does not see itself": ("<=", "<"),
            "a query sees the key after itself": ("<= np", "- 1 <= np"),
            "a query sees only what comes after it": ("<=", ">="),
            "the sign is wrong: query i stands at i + S - T": ("+ S - T", "- S + T"),
            "the mask is transposed: queries come before keys": (
                "padding[:, None] & causal",
                "(padding[:, None] & causal).swapaxes(1, 2)",
            ),
            "numbers come out; a mask is boolean": (
                "padding[:, None] & causal",
                "(padding[:, None] & causal).astype(float)",
            ),
            "everything is inverted: True should mean may attend": (
                "padding[:, None] & causal",
                "~(padding[:, None] & causal)",
            ),
            "every sentence gets the first one's padding": (
                "padding[:, None]",
                "padding[:1, None]",
            ),
            "query i stands at i + S - T, not at i + T - 1": ("+ S - T", "+ T - 1"),
            "there is one mask for all sentences: padding is not used": (
                "padding[:, None] & ",
                "",
            ),
        },
        hints=(
            "A pair is allowed if the key is a token and not after the query.",
            "Query i stands at position i + S - T. Make one mask (T, S) and "
            "join it with "
            "the padding.",
            "padding[:, None] & (np.arange(S) <= np.arange(T)[:, None] + S - T)",
        ),
        starters={
            "numpy": (
                "def allowed(padding, T):\n"
                "    ...  # (B, S) bool, a number; return (B, T, S) bool\n"
            ),
        },
    ),
    Exercise(
        name="04.entropy",
        level=2,
        minutes=10,
        kind="predict",
        before="logarithms",
        statement=(
            "Predict, then measure. A query gives all of 256 keys the same "
            "weight: what "
            "is the entropy of its weights, in nats? Enter your guess, then write "
            "`entropy(weights)`: the mean over the queries of -sum w log w, a number; "
            "weights (T, S). A weight of 0 adds 0, so a row of zeros has the entropy 0."
        ),
        cases=_entropy_cases,
        solution=entropy,
        ask=(np.full((1, 256), 1 / 256),),
        mistakes={
            "a weight of 0 gives NaN; it should add 0": (
                "np.where(weights > 0, weights, 1)",
                "weights",
            ),
            "these are bits; nats take the natural logarithm": ("np.log(", "np.log2("),
            "the sign is wrong: an entropy is not negative": ("-(weights", "(weights"),
            "this is the sum over the queries, not their mean": (
                ".sum(axis=1).mean()",
                ".sum()",
            ),
            "this is the mean over all pairs; sum over the keys first": (
                ".sum(axis=1).mean()",
                ".mean()",
            ),
            "the sum runs over the queries": ("axis=1", "axis=0"),
            "it returns one number per query; their mean was asked for": (
                ".mean()",
                "",
            ),
            "the logarithm isn't weighted": ("weights * logarithm", "logarithm"),
            "it is divided by its largest value, log S": (
                ".mean()",
                ".mean() / np.log(weights.shape[1])",
            ),
            "nats take the natural logarithm, not that to the base 10": (
                "np.log(",
                "np.log10(",
            ),
            "this is the largest row's entropy; the mean was asked for": (
                ".mean()",
                ".max()",
            ),
            "this is exp of the entropy": (
                "-(weights * logarithm).sum(axis=1).mean()",
                "np.exp(-(weights * logarithm).sum(axis=1).mean())",
            ),
            "that is the entropy of equal weights": (
                "-(weights * logarithm).sum(axis=1).mean()",
                "np.log(weights.shape[1])",
            ),
        },
        hints=(
            "For n equal weights of 1/n it is log n.",
            "np.log(0) is -inf, and 0 times -inf is NaN: replace the 0 inside the log.",
            "-(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=1).mean()",
        ),
        starters={
            "numpy": (
                "prediction = ...  # for 256 equal weights\n\n"
                "def entropy(weights):\n    ...  # (T, S); return a number\n"
            ),
        },
    ),
    Exercise(
        name="04.layer",
        level=3,
        minutes=20,
        kind="module",
        before="04.attention",
        statement=(
            "Write attention pooling as a layer, `Pooling(model_dim)`: one "
            "learned query "
            "sums up a sentence. Called with memory (B, S, D) and mask (B, S) "
            "bool, True "
            "where a token stands (at least one per sentence), it returns (B, D): the "
            "memory averaged with the weights of scores divided by the root of D. "
            "Trainable parameter: query (D). The gradients are checked too."
        ),
        cases=_pool_cases,
        solution=pool,
        mistakes={
            "the scale is missing": (" / np.sqrt(query.shape[0])", ""),
            "the mask is not used": ("np.where(mask, score, -np.inf)", "score"),
            "the mask is inverted: True is a token": ("where(mask", "where(~mask"),
            "blocked scores are set to 0, which is a score like any other": (
                "-np.inf",
                "0.0",
            ),
            "the softmax runs over the sentences": (
                "softmax(np.where(mask, score, -np.inf))",
                "softmax(np.where(mask, score, -np.inf), axis=0)",
            ),
            "every position has the same weight": ("score, -np.inf", "0.0, -np.inf"),
            **OVERFLOW,
        },
        hints=(
            "04.attention with one query for all sentences.",
            "memory times query, summed over D, gives scores (B, S).",
            "weights = softmax(masked score); then (weights[:, None] @ memory)[:, 0].",
        ),
        starters={
            "torch": (
                "class Pooling(torch.nn.Module):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # a torch.nn.Parameter\n\n"
                "    def forward(self, memory, mask):\n"
                "        ...  # (B, S, D), (B, S); return (B, D)\n"
            ),
            "tf": (
                "class Pooling(keras.layers.Layer):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight\n\n"
                "    def call(self, memory, mask):\n"
                "        ...  # (B, S, D), (B, S); return (B, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Pooling(torch.nn.Module):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        self.query = torch.nn.Parameter(torch.randn(model_dim))\n\n"
                "    def forward(self, memory, mask):\n"
                "        score = memory @ self.query / memory.shape[-1] ** 0.5\n"
                "        score = score.masked_fill(~mask, -torch.inf)\n"
                "        weights = torch.softmax(score, dim=-1)\n"
                "        return (weights[:, None] @ memory)[:, 0]\n"
            ),
            "tf": (
                "class Pooling(keras.layers.Layer):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        self.query = self.add_weight(\n"
                '            (model_dim,), initializer="normal")\n\n'
                "    def call(self, memory, mask):\n"
                '        score = tf.einsum("bsd,d->bs", memory, self.query)\n'
                "        score = score / memory.shape[-1] ** 0.5\n"
                "        score = tf.where(mask, score, -np.inf)\n"
                "        weights = tf.nn.softmax(score)\n"
                "        return (weights[:, None] @ memory)[:, 0]\n"
            ),
        },
    ),
)


def _filled(query, key, value, mask, fill):
    score = np.where(mask, query @ key.T / np.sqrt(key.shape[1]), fill)
    return softmax(score) * mask.any(axis=1)[:, None] @ value


def _shifted(query, key, value, by):
    T, S = len(query), len(key)
    mask = np.tri(T, S, S - T + by, dtype=bool)
    return attention(query, key, value, mask)
