"""Exercises of chapter 14."""

import numpy as np

from attn_course.exercises.exercise import (
    Case,
    Exercise,
    fixed_cases,
    softmax,
    strong,
)


def _merge_cases(rng):
    def draw(T, V):
        parts = []
        for _ in range(2):
            highest, total = rng.normal(size=T), 1 + rng.random(T)
            parts += [highest, total, rng.normal(size=(T, V))]
        return tuple(parts)

    def large(m1, l1, c1, m2, l2, c2):
        # By turns the first part is far above, the second, and both are far below.
        one = np.resize([800, -800, -800], m1.shape)
        two = np.resize([-800, 800, -900], m1.shape)
        return one + m1, l1, c1, two + m2, l2, c2

    def empty(m1, l1, c1, m2, l2, c2):
        m1[0], l1[0], c1[0] = -np.inf, 0, 0
        return m1, l1, c1, m2, l2, c2

    cases = fixed_cases(rng, draw, 2, large=large, empty=empty)
    m1, l1, c1, m2, l2, c2 = draw(7, 3)
    return [
        *cases,
        Case(
            "one of the parts is empty", (m2, l2, c2, *empty(m1, l1, c1, 0, 0, 0)[:3])
        ),
    ]


def merge(m1, l1, c1, m2, l2, c2):
    new = np.maximum(m1, m2)
    one, two = np.exp(m1 - new)[:, None], np.exp(m2 - new)[:, None]
    return (one * c1 + two * c2) / (one * l1[:, None] + two * l2[:, None])


def _tiled_cases(rng):
    def draw(T, S, K, V):
        sizes = (T, K), (S, K), (S, V)
        return *(rng.normal(size=size) for size in sizes), 3

    def large(query, key, value, size):
        return *strong(query, key), value, size

    cases = fixed_cases(rng, draw, 4, long=(0, 1), large=large)
    query, key, value, _ = draw(5, 7, 3, 2)
    falling = 800 * np.ones((5, 3)), key - 3 * np.arange(7)[:, None]
    return [
        *cases,
        Case("scores that fall from block to block", (*falling, value, 2)),
        Case("one key at a time", (query, key, value, 1)),
        Case("one block of all keys", (query, key, value, 7)),
    ]


def tiled(query, key, value, size):
    score = query @ key.T / np.sqrt(key.shape[1])
    highest, total, context = np.full((len(query), 1), -np.inf), 0, 0
    for start in range(0, len(key), size):
        block = score[:, start : start + size]
        new = np.maximum(highest, block.max(axis=1, keepdims=True))
        kept, part = np.exp(highest - new), np.exp(block - new)
        total = kept * total + part.sum(axis=1, keepdims=True)
        context = kept * context + part @ value[start : start + size]
        highest = new
    return context / total


def _visited_cases(rng):
    sizes = [(12, 4), (13, 4), (1, 7), (7, 1), (100, 11), (5, 100)]
    drawn = rng.integers((20, 2), (500, 19), (3, 2))
    sizes += [(int(length), int(size)) for length, size in drawn]
    return [
        Case(f"{length} positions, blocks of {size}", (length, size))
        for length, size in sizes
    ]


def visited(length, size):
    blocks = -(-length // size)
    return blocks * (blocks + 1) // 2


def _backward_cases(rng):
    def draw(T, S, K, V):
        query, key, value, grad = (
            rng.normal(size=size) for size in ((T, K), (S, K), (S, V), (T, V))
        )
        return with_forward(query, key, value, grad)

    def with_forward(query, key, value, grad):
        score = query @ key.T / np.sqrt(key.shape[1])
        highest = score.max(axis=1)
        log_total = highest + np.log(np.exp(score - highest[:, None]).sum(axis=1))
        return query, key, value, softmax(score) @ value, log_total, grad

    def large(query, key, value, output, log_total, grad):
        # Scores of hundreds of one sign: their exp alone is out of range.
        query, key = query.copy(), key.copy()
        query[:, 0], key[:, 0] = 900 * np.sqrt(key.shape[1]), 1
        return with_forward(query, key, value, grad)

    return fixed_cases(rng, draw, 4, long=(0, 1), large=large)


def backward(query, key, value, output, log_total, grad):
    scale = 1 / np.sqrt(key.shape[1])
    weights = np.exp(scale * query @ key.T - log_total[:, None])
    dot = (grad * output).sum(axis=1, keepdims=True)
    return scale * (weights * (grad @ value.T - dot)) @ key


def _sink_cases(rng):
    def draw(B, S, D):
        memory = rng.normal(size=(B, S, D)).astype(np.float32)
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        query, sink = (rng.normal(size=n).astype(np.float32) for n in (D, 1))
        return (D,), (memory, mask), {"query": query, "sink": sink}

    def large(sizes, inputs, weights):
        return sizes, inputs, {**weights, "query": 3000 * weights["query"]}

    def high(sizes, inputs, weights):
        return sizes, inputs, {**weights, "sink": np.float32([300])}

    return [
        Case("equal sizes", draw(3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5)),
        Case("an axis of size 1", draw(1, 5, 3)),
        Case("an axis of size 1", draw(3, 5, 1)),
        Case("scores of several hundred", large(*draw(3, 5, 7)), 100.0),
        Case("a sink far above all scores", high(*draw(3, 5, 7))),
    ]


def sink_pool(memory, mask, query, sink):
    score = memory @ query / np.sqrt(query.shape[0])
    score = np.where(mask, score, -np.inf)
    highest = np.maximum(score.max(axis=1, keepdims=True), sink)
    part = np.exp(score - highest)
    total = part.sum(axis=1, keepdims=True) + np.exp(sink - highest)
    return ((part / total)[:, None] @ memory)[:, 0]


EXERCISES = (
    Exercise(
        name="14.merge",
        level=2,
        minutes=15,
        before="04.attention",
        statement=(
            "Write `merge(m1, l1, c1, m2, l2, c2)`. Two machines attended to a half of "
            "the keys each. For every query each knows its highest score m (T), "
            "the sum l (T) of exp(score - m), and c (T, V), the sum of exp(score - "
            "m) * value. "
            "Return the output (T, V) over all keys. Scores may be of any size; a part "
            "that saw no key has m = -inf, l = 0, c = 0."
        ),
        cases=_merge_cases,
        solution=merge,
        mistakes={
            "the parts have different maxima: bring both to one before you add": (
                lambda m1, l1, c1, m2, l2, c2: (c1 + c2) / (l1 + l2)[:, None]
            ),
            "each part's output is averaged; the parts weigh by their sums": (
                lambda m1, l1, c1, m2, l2, c2: (c1 / l1[:, None] + c2 / l2[:, None]) / 2
            ),
            "the sums are not brought to the new maximum, only the contexts": (
                "(one * l1[:, None] + two * l2[:, None])",
                "(l1 + l2)[:, None]",
            ),
            "the contexts are not brought to the new maximum, only the sums": (
                "(one * c1 + two * c2)",
                "(c1 + c2)",
            ),
            "exp of a large score overflows: subtract the higher maximum first": (
                "np.maximum(m1, m2)",
                "np.zeros_like(m1)",
            ),
            "the sign is wrong: exp(old - new) shrinks, exp(new - old) grows": (
                "np.exp(m1 - new)[:, None], np.exp(m2 - new)[:, None]",
                "np.exp(new - m1)[:, None], np.exp(new - m2)[:, None]",
            ),
            "this is the sum; divide it by the total": (
                " / (one * l1[:, None] + two * l2[:, None])",
                "",
            ),
            "the larger maximum belongs under both, not the smaller": (
                "np.maximum(m1, m2)",
                "np.minimum(m1, m2)",
            ),
            "the first maximum is under both; it may be the smaller": (
                "np.maximum(m1, m2)",
                "m1",
            ),
            "the sums are exchanged": (
                "one * l1[:, None] + two * l2[:, None]",
                "two * l1[:, None] + one * l2[:, None]",
            ),
            "the outputs are added; they are to be weighed": (
                "(one * c1 + two * c2) / (one * l1[:, None] + two * l2[:, None])",
                "c1 / l1[:, None] + c2 / l2[:, None]",
            ),
            "1 is added to the total": ("two * l2[:, None])", "two * l2[:, None] + 1)"),
            "the part with the higher score takes all": (
                "(one * c1 + two * c2) / (one * l1[:, None] + two * l2[:, None])",
                "np.where(m1 > m2, c1.T / l1, c2.T / l2).T",
            ),
        },
        hints=(
            "It is one step of the online softmax, with a part in place of a block.",
            "new = max(m1, m2); what was summed with m1 is multiplied by "
            "exp(m1 - new).",
            "(a * c1 + b * c2) / (a * l1 + b * l2), with a = exp(m1 - new)[:, None] "
            "and b likewise.",
        ),
        starters={
            "numpy": (
                "def merge(m1, l1, c1, m2, l2, c2):\n"
                "    ...  # (T), (T), (T, V), twice; return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="14.tiled",
        level=2,
        minutes=10,
        kind="bug",
        before="04.attention",
        statement=(
            "Find the bug. Attention over blocks of `size` keys: query (T, K), "
            "key (S, K), value (S, V), output (T, V). It is right when one block holds "
            "all keys."
        ),
        cases=_tiled_cases,
        solution=tiled,
        mistakes={
            "the context is not rescaled when a larger score comes": (
                "kept * context + part",
                "context + part",
            ),
            "the total is not rescaled when a larger score comes": (
                "kept * total + part",
                "total + part",
            ),
            "every block is averaged by itself": (
                "kept * context + part @ value[start : start + size]",
                "context + part @ value[start : start + size] "
                "/ part.sum(axis=1, keepdims=True)",
            ),
            "the scale is missing": (" / np.sqrt(key.shape[1])", ""),
            "the values of the first block serve all blocks": (
                "value[start : start + size]",
                "value[:size][: block.shape[1]]",
            ),
            "the scores are divided by K; it is the root of K": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the root is that of the block's size": (
                "np.sqrt(key.shape[1])",
                "np.sqrt(size)",
            ),
            "the highest score so far is not kept": ("        highest = new\n", ""),
            "the sign is wrong: exp(old - new) shrinks": (
                "np.exp(highest - new)",
                "np.exp(new - highest)",
            ),
            "it is not divided by the total": ("context / total", "context"),
            "the last block, which may be shorter, is left out": (
                "range(0, len(key), size)",
                "range(0, len(key) - size + 1, size)",
            ),
            "the earlier blocks are lost": ("kept * context + part", "part"),
            "the block's scores are not brought to the maximum": (
                "np.exp(block - new)",
                "np.exp(block)",
            ),
            "the total is that of all queries together": (
                "part.sum(axis=1, keepdims=True)",
                "part.sum()",
            ),
            "the highest score is that of all queries together": (
                "block.max(axis=1, keepdims=True)",
                "block.max()",
            ),
            "only the first block is seen": (
                lambda query, key, value, size: (
                    softmax(query @ key[:size].T / np.sqrt(key.shape[1])) @ value[:size]
                )
            ),
            "blocks have a constant size; it is handed over": (
                "range(0, len(key), size)",
                "range(0, len(key), 4)",
            ),
        },
        hints=(
            "Print total and context after the second block. Which maximum belongs "
            "to each?",
            "Everything that was summed up with the old maximum has to shrink.",
            "total is multiplied by kept. What else was summed up?",
        ),
        starters={
            "numpy": (
                "def tiled(query, key, value, size):\n"
                "    score = query @ key.T / np.sqrt(key.shape[1])\n"
                "    highest, total, context = "
                "np.full((len(query), 1), -np.inf), 0, 0\n"
                "    for start in range(0, len(key), size):\n"
                "        block = score[:, start : start + size]\n"
                "        new = np.maximum(highest, block.max(axis=1, keepdims=True))\n"
                "        kept, part = np.exp(highest - new), np.exp(block - new)\n"
                "        total = kept * total + part.sum(axis=1, keepdims=True)\n"
                "        context = context + part @ value[start : start + size]\n"
                "        highest = new\n"
                "    return context / total\n"
            ),
        },
    ),
    Exercise(
        name="14.visited",
        level=1,
        minutes=5,
        kind="predict",
        before="whole numbers",
        statement=(
            "Predict, then count. Causal attention of 4096 queries over 4096 keys, in "
            "tiles of 128 x 128: how many tiles hold a pair that may be seen? "
            "Enter your guess, then write `visited(length, size)`, a number; the last "
            "block may be shorter."
        ),
        cases=_visited_cases,
        solution=visited,
        ask=(4096, 128),
        mistakes={
            "these are all tiles; those in the future are not visited": (
                lambda length, size: (-(-length // size)) ** 2
            ),
            "the last block, which may be shorter, is not counted": (
                "-(-length // size)",
                "length // size",
            ),
            "the tiles on the diagonal are visited too": ("blocks + 1", "blocks - 1"),
            "half of all tiles leaves out half of the diagonal": (
                lambda length, size: (-(-length // size)) ** 2 // 2
            ),
            "these are pairs of positions; pairs of blocks were asked for": (
                lambda length, size: length * (length + 1) // 2
            ),
            "this is one row of tiles": ("blocks * (blocks + 1) // 2", "blocks"),
            "half of them lie in the future": (
                "blocks * (blocks + 1) // 2",
                "blocks * (blocks + 1)",
            ),
            "there is one block too many where the size divides the length": (
                "-(-length // size)",
                "length // size + 1",
            ),
            "the size is a constant; it is handed over": ("// size", "// 128"),
            "these are the diagonal and the tiles beside it": (
                "blocks * (blocks + 1) // 2",
                "2 * blocks - 1",
            ),
            "there is a block too many": (
                "blocks * (blocks + 1) // 2",
                "(blocks + 1) * (blocks + 2) // 2",
            ),
            "the pairs are shared out evenly; a tile on the diagonal is half empty": (
                "blocks * (blocks + 1) // 2",
                "length * (length + 1) // 2 // size**2",
            ),
        },
        hints=(
            "The first block of queries sees one block of keys, the second two.",
            "With n blocks it is 1 + 2 + ... + n.",
            "n * (n + 1) // 2, where n is length / size, rounded up.",
        ),
        starters={
            "numpy": (
                "prediction = ...  # for 4096 positions in blocks of 128\n\n"
                "def visited(length, size):\n    ...  # two numbers; return a number\n"
            ),
        },
    ),
    Exercise(
        name="14.backward",
        level=3,
        minutes=20,
        before="14.merge",
        statement=(
            "Write `backward(query, key, value, output, log_total, grad)`: the "
            "gradient of the queries (T, K), as a flash kernel finds it. Kept from the "
            "forward pass: output (T, V) and log_total (T), the logarithm of the sum "
            "of exp(score), scores divided by the root of K. grad (T, V) is the "
            "gradient of the output."
        ),
        cases=_backward_cases,
        solution=backward,
        mistakes={
            "the scale of the scores belongs to the gradient too": (
                "return scale * ",
                "return ",
            ),
            "the scale is missing in the scores": ("np.exp(scale * ", "np.exp("),
            "the softmax takes away what all keys have in common: subtract dot": (
                " - dot",
                "",
            ),
            "dot is added; it is subtracted": (" - dot", " + dot"),
            "dot is a sum over the values' width, one number per query": (
                "sum(axis=1",
                "sum(axis=0",
            ),
            "exp of a large score overflows: subtract log_total inside of exp": (
                "np.exp(scale * query @ key.T - log_total[:, None])",
                "(np.exp(scale * query @ key.T) / np.exp(log_total)[:, None])",
            ),
            "the weights are not multiplied in": ("weights * (grad", "(grad"),
            "dot is a sum over the width, not a mean": (
                "(grad * output).sum(axis=1, keepdims=True)",
                "(grad * output).mean(axis=1, keepdims=True)",
            ),
            "the keys count by their weights in dot, not all the same": (
                "(grad * output).sum(axis=1, keepdims=True)",
                "(grad @ value.T).mean(axis=1, keepdims=True)",
            ),
            "each query has a dot of its own": (
                "(grad * output).sum(axis=1, keepdims=True)",
                "(grad * output).sum()",
            ),
            "the gradient of the queries is made of keys": (") @ key", ") @ query"),
            "the scale is 1 over the root of K, not 1 over K": (
                "1 / np.sqrt(key.shape[1])",
                "1 / key.shape[1]",
            ),
            "the root is that of the value's width": ("key.shape[1]", "value.shape[1]"),
            "log_total is not subtracted": (" - log_total[:, None]", ""),
            "log_total is added; it is subtracted": ("- log_total", "+ log_total"),
            "grad meets the values, not the output": (
                "grad @ value.T",
                "output @ value.T",
            ),
            "log_total is one number per query, so a column": (
                "log_total[:, None]",
                "log_total",
            ),
        },
        hints=(
            "The weights are made again: exp(score - log_total). No sum is needed.",
            "The gradient of a weight is grad @ value.T; that of a score is the weight "
            "times (that minus its average over the keys), and the average is "
            "(grad * output).sum().",
            "scale * (weights * (grad @ value.T - dot)) @ key",
        ),
        starters={
            "numpy": (
                "def backward(query, key, value, output, log_total, grad):\n"
                "    ...  # output and grad (T, V), log_total (T); return (T, K)\n"
            ),
        },
    ),
    Exercise(
        name="14.layer",
        level=3,
        minutes=20,
        kind="module",
        before="04.layer",
        statement=(
            "Write attention pooling with a sink, `Pooling(model_dim)`: the total of "
            "the softmax begins at exp(sink) in place of 0, so a sentence may be given "
            "less than its whole weight. Called with memory (B, S, D) and mask (B, S) "
            "bool, True where a token stands (at least one per sentence), it returns "
            "(B, D): the sum of exp(score) * memory, divided by exp(sink) + the sum "
            "of exp(score); scores divided by the root of D. Trainable: query (D), "
            "sink (1). The gradients are checked too."
        ),
        cases=_sink_cases,
        solution=sink_pool,
        mistakes={
            "the scale is missing": (" / np.sqrt(query.shape[0])", ""),
            "the mask is not used": ("np.where(mask, score, -np.inf)", "score"),
            "the sink is missing from the total": (
                " + np.exp(sink - highest)",
                "",
            ),
            "the sink is added as it is; the total takes its exp": (
                "np.exp(sink - highest)",
                "sink",
            ),
            "the sink needs the maximum subtracted as well": (
                "np.exp(sink - highest)",
                "np.exp(sink)",
            ),
        },
        hints=(
            "A sink is one more key with the score `sink` and a value of zeros.",
            "The maximum is over the scores and the sink.",
            "Concatenate the sink to the scores, take the softmax, drop the last "
            "weight.",
        ),
        starters={
            "torch": (
                "class Pooling(torch.nn.Module):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # two of torch.nn.Parameter\n\n"
                "    def forward(self, memory, mask):\n"
                "        ...  # (B, S, D), (B, S); return (B, D)\n"
            ),
            "tf": (
                "class Pooling(keras.layers.Layer):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight, twice\n\n"
                "    def call(self, memory, mask):\n"
                "        ...  # (B, S, D), (B, S); return (B, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Pooling(torch.nn.Module):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        self.query = torch.nn.Parameter(torch.randn(model_dim))\n"
                "        self.sink = torch.nn.Parameter(torch.zeros(1))\n\n"
                "    def forward(self, memory, mask):\n"
                "        score = memory @ self.query / memory.shape[-1] ** 0.5\n"
                "        score = score.masked_fill(~mask, -torch.inf)\n"
                "        sink = self.sink.expand(len(score), 1)\n"
                "        weights = torch.softmax(torch.cat([score, sink], 1), 1)\n"
                "        return (weights[:, None, :-1] @ memory)[:, 0]\n"
            ),
            "tf": (
                "class Pooling(keras.layers.Layer):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        self.query = self.add_weight(\n"
                '            (model_dim,), initializer="normal")\n'
                "        self.sink = self.add_weight((1,))\n\n"
                "    def call(self, memory, mask):\n"
                '        score = tf.einsum("bsd,d->bs", memory, self.query)\n'
                "        score = score / memory.shape[-1] ** 0.5\n"
                "        score = tf.where(mask, score, -np.inf)\n"
                "        sink = tf.repeat(self.sink[None], tf.shape(score)[0], 0)\n"
                "        weights = tf.nn.softmax(tf.concat([score, sink], 1))\n"
                "        return (weights[:, None, :-1] @ memory)[:, 0]\n"
            ),
        },
    ),
)
