"""Exercises of chapter 10."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
    strong,
)


def _mask_cases(rng):
    n, stride = (int(size) for size in rng.permutation([5, 7, 11])[:2])
    cases = [
        Case("sizes of different primes", (n, stride)),
        Case("sizes of different primes", (3 * stride + 2, stride)),
        Case("equal sizes", (5, 5)),
        Case("an axis of size 1", (1, 3)),
        Case("a stride of 1", (7, 1)),
        Case("a stride longer than the sequence", (5, 11)),
        Case("length 100", (100, int(rng.integers(3, 12)))),
    ]
    return cases


def allowed(n, stride):
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & ((back < stride) | (back % stride == 0))


def _window_cases(rng):
    def draw(n, K, V, w):
        return *(rng.normal(size=size) for size in ((n, K), (n, K), (n, V))), w

    def large(query, key, value, w):
        return *strong(query, key), value, w

    cases = fixed_cases(rng, draw, 4, long=(0,), large=large)
    wide = draw(5, 3, 2, 13)
    return [
        *cases,
        Case("a window longer than the sequence", wide),
        Case("length 100", draw(100, 3, 2, 7)),
    ]


def near(query, key, value, window):
    n, K = query.shape
    back = np.arange(n)[:, None] - np.arange(n)
    score = query @ key.T / np.sqrt(K)
    seen = (back >= 0) & (back < window)
    return softmax(np.where(seen, score, -np.inf)) @ value


def _fixed_cases(rng):
    def draw(n, K, V, stride, summary):
        shapes = (n, K), (n, K), (n, V)
        return *(rng.normal(size=size) for size in shapes), stride, summary

    def large(query, key, value, stride, summary):
        return *strong(query, key), value, stride, summary

    return [
        Case("sizes of different primes", draw(11, 3, 5, 4, 1)),
        Case("sizes of different primes", draw(13, 5, 2, 5, 2)),
        Case("blocks that fit", draw(12, 2, 3, 4, 2)),
        Case("an axis of size 1", draw(1, 3, 2, 3, 1)),
        Case("an axis of size 1", draw(7, 1, 3, 3, 1)),
        Case("an axis of size 1", draw(7, 3, 1, 2, 1)),
        Case("a stride longer than the sequence", draw(3, 2, 5, 7, 2)),
        Case("a summary as long as the block", draw(11, 3, 2, 3, 3)),
        Case("scores of several hundred", large(*draw(11, 3, 5, 3, 1))),
        Case("length 100", draw(100, 3, 2, int(rng.integers(5, 12)), 2)),
    ]


def fixed(query, key, value, stride, summary):
    n, K = query.shape
    output = np.zeros((n, value.shape[1]))
    for start in range(0, n, stride):
        stop = min(start + stride, n)
        i, j = np.arange(start, stop)[:, None], np.arange(stop)
        seen = (j >= start) | (j % stride >= stride - summary)
        score = query[start:stop] @ key[:stop].T / np.sqrt(K)
        score = np.where(seen & (j <= i), score, -np.inf)
        output[start:stop] = softmax(score) @ value[:stop]
    return output


def _reach_cases(rng):
    cases = [
        Case("the last layer reaches farther than it must", (32_768, 1024)),
        Case("the last layer reaches just far enough", (33, 5)),
        Case("one layer is enough", (7, 7)),
        Case("a window longer than the sequence", (5, 11)),
        Case("a window of 2", (9, 2)),
    ]
    for _ in range(3):
        window = int(rng.integers(3, 40))
        n = int(rng.integers(100, 2000))
        cases.append(Case("sizes of different primes", (n, window)))
    return cases


def layers(n, window):
    return -(-(n - 1) // (window - 1))


def _layer_cases(rng):
    def draw(B, T, D, w):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        weights = {
            f"{name}_weight": (rng.normal(size=(D, D)) / np.sqrt(D)).astype(np.float32)
            for name in ("query", "key", "value")
        }
        return (D, w), (x,), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 11, 5, 3)),
        Case("sizes of different primes", draw(3, 7, 2, 5)),
        Case("an axis of size 1", draw(1, 5, 3, 2)),
        Case("a window of 1", draw(2, 5, 3, 1)),
        Case("a window longer than the sequence", draw(2, 3, 5, 7)),
    ]


def layer(x, query_weight, key_weight, value_weight, sizes):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    back = np.arange(x.shape[1])[:, None] - np.arange(x.shape[1])
    seen = (back >= 0) & (back < sizes[1])
    score = query @ key.swapaxes(1, 2) / np.sqrt(x.shape[2])
    return softmax(np.where(seen, score, -np.inf)) @ value


EXERCISES = (
    Exercise(
        name="10.strided",
        level=1,
        minutes=10,
        before="indexing with arrays",
        statement=(
            "Write the mask of strided attention, causal, `allowed(n, stride)`: query "
            "i sees key j if j <= i, and i - j is below the stride or a multiple of "
            "it; output (n, n), True = may attend."
        ),
        cases=_mask_cases,
        solution=allowed,
        mistakes={
            "the future is seen: j may be i at most": ("(back >= 0) & ", ""),
            "the column is missing: multiples of the stride": (
                "((back < stride) | (back % stride == 0))",
                "(back < stride)",
            ),
            "the row is missing: distances below the stride": (
                "((back < stride) | (back % stride == 0))",
                "(back % stride == 0)",
            ),
            "row and column are joined by or": (
                "(back < stride) | (back % stride == 0)",
                "(back < stride) & (back % stride == 0)",
            ),
            "the multiples count from the query, not from the start": (
                "back % stride",
                "np.arange(n) % stride",
            ),
            "queries and keys are exchanged": (
                "np.arange(n)[:, None] - np.arange(n)",
                "np.arange(n) - np.arange(n)[:, None]",
            ),
            "True = may attend; here it blocks": (
                "return (back >= 0) & ((back < stride) | (back % stride == 0))",
                "return ~((back >= 0) & ((back < stride) | (back % stride == 0)))",
            ),
            "a query doesn't see itself": ("back >= 0", "back > 0"),
            "the next key is seen too": ("back >= 0", "back >= -1"),
            "the row is one key too short": ("back < stride", "back < stride - 1"),
            "the multiples are off by one": (
                "back % stride == 0",
                "back % stride == 1",
            ),
            "the column is that of the fixed pattern: it counts from the start": (
                "back % stride == 0",
                "np.arange(n) % stride == stride - 1",
            ),
            "the stride is a constant; it is handed over": (
                "back < stride",
                "back < 3",
            ),
            "the column's stride is a constant; it is handed over": ("% stride", "% 4"),
        },
        hints=(
            "Make all distances i - j at once, as an array (n, n).",
            "Three conditions on the distance; joined by `and`, then `or`.",
            "back = i[:, None] - j; (back >= 0) & ((back < stride) | (back % stride "
            "== 0))",
        ),
        starters={
            "numpy": (
                "def allowed(n, stride):\n"
                "    ...  # two numbers; return (n, n), True = may attend\n"
            ),
        },
    ),
    Exercise(
        name="10.window",
        level=2,
        minutes=15,
        before="04.attention",
        statement=(
            "Write causal attention with a sliding window, `near(query, key, value, "
            "window)`: query (n, K), key (n, K), value (n, V); each query sees "
            "`window` keys, its own position the last of them; output (n, V). "
            "`softmax(score)` is given."
        ),
        cases=_window_cases,
        solution=near,
        mistakes={
            **OVERFLOW,
            "the window has one key too many: its own position counts": (
                "back < window",
                "back <= window",
            ),
            "the window has one key too few": ("back < window", "back < window - 1"),
            "the future is seen": ("(back >= 0) & ", ""),
            "there is no window": (" & (back < window)", ""),
            "the mask stands after the softmax: rows no longer sum to 1": (
                "softmax(np.where(seen, score, -np.inf))",
                "np.where(seen, softmax(score), 0)",
            ),
            "blocked scores are 0, which is a score like others": ("-np.inf", "0.0"),
            "the scale is missing": (" / np.sqrt(K)", ""),
            "the softmax runs over the queries": (
                "-np.inf))",
                "-np.inf), axis=0)",
            ),
            "the window looks ahead": (
                "np.arange(n)[:, None] - np.arange(n)",
                "np.arange(n) - np.arange(n)[:, None]",
            ),
            "a query doesn't see itself": ("back >= 0", "back > 0"),
            "the window reaches into the future too": (
                "(back >= 0) & (back < window)",
                "np.abs(back) < window",
            ),
            "the root is that of the value's width": (
                "np.sqrt(K)",
                "np.sqrt(value.shape[1])",
            ),
            "the root is that of the window; it is K's": (
                "np.sqrt(K)",
                "np.sqrt(window)",
            ),
            "-50 is no low score: an allowed one may be lower": ("-np.inf", "-50"),
            "these are blocks; each query has a window of its own": (
                "(back >= 0) & (back < window)",
                "(back >= 0) & (back <= np.arange(n)[:, None] % window)",
            ),
            "the window is a constant; it is handed over": (
                "back < window",
                "back < 3",
            ),
        },
        hints=(
            "The distance i - j says all: 0 is the query itself.",
            "Block what is not 0 <= i - j < window before the softmax.",
            "np.where((back >= 0) & (back < window), score, -np.inf)",
        ),
        starters={
            "numpy": (
                "def near(query, key, value, window):\n"
                "    ...  # (n, K), (n, K), (n, V), a number; return (n, V)\n"
            ),
        },
    ),
    Exercise(
        name="10.fixed",
        level=3,
        minutes=20,
        kind="bug",
        before="10.window",
        statement=(
            "Find the bugs. Fixed attention, block by block, causal: query (n, K), key "
            "(n, K), value (n, V), stride and summary; a query sees its own block "
            "of `stride` up to itself, and the last `summary` positions of every block "
            "before. There are two faults; neither raises an error."
        ),
        cases=_fixed_cases,
        solution=fixed,
        mistakes={
            **OVERFLOW,
            "the future leaks inside a block: the own block needs a causal mask": (
                "seen & (j <= i)",
                "seen",
            ),
            "the last block is dropped when it is cut": (
                "range(0, n, stride)",
                "range(0, n - stride + 1, stride)",
            ),
            "the summary is the last of a block, not the first": (
                "j % stride >= stride - summary",
                "j % stride < summary",
            ),
            "there are no summaries": (
                "(j >= start) | (j % stride >= stride - summary)",
                "(j >= start)",
            ),
            "the own block is missing": (
                "(j >= start) | (j % stride >= stride - summary)",
                "(j % stride >= stride - summary) | (j == i)",
            ),
            "the scale is missing": (" / np.sqrt(K)", ""),
            "a position does not see itself": ("(j <= i)", "((j < i) | (j == start))"),
            "the summary has one position too few": (
                "% stride >= stride - summary",
                "% stride > stride - summary",
            ),
            "the summary is one position; it is handed over": (
                "stride - summary",
                "stride - 1",
            ),
            "the root is that of the value's width": (
                "np.sqrt(K)",
                "np.sqrt(value.shape[1])",
            ),
            "-50 is no low score: an allowed one may be lower": ("-np.inf", "-50"),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "own block and summaries are joined by or": (
                "(j >= start) |",
                "(j >= start) &",
            ),
            "blocked scores are 0, which is a score like others": ("-np.inf", "0"),
            "a window stands in place of the own block": (
                "(j >= start) |",
                "(i - j < stride) |",
            ),
            "the summaries are those of the query's place, not of the key's": (
                "(j % stride",
                "(i % stride",
            ),
        },
        hints=(
            "Change the last token of a block, and see which outputs move.",
            "One fault is in the mask of the own block, one in the range of the loop.",
            "seen & (j <= i); range(0, n, stride) with stop = min(start + stride, n).",
        ),
        starters={
            "numpy": (
                "def fixed(query, key, value, stride, summary):\n"
                "    n, K = query.shape\n"
                "    output = np.zeros((n, value.shape[1]))\n"
                "    for start in range(0, n - stride + 1, stride):\n"
                "        stop, j = start + stride, np.arange(start + stride)\n"
                "        seen = (j >= start) | (j % stride >= stride - summary)\n"
                "        score = query[start:stop] @ key[:stop].T\n"
                "        score = np.where(seen, score / np.sqrt(K), -np.inf)\n"
                "        output[start:stop] = softmax(score) @ value[:stop]\n"
                "    return output\n"
            ),
        },
    ),
    Exercise(
        name="10.reach",
        level=1,
        minutes=10,
        kind="predict",
        before="00.multiplications",
        statement=(
            "Predict, then measure. A window of 1,024, its own position counted, over "
            "32,768 tokens: how many layers until the last token can have heard of the "
            "first? Enter your guess, then write `layers(n, window)`, window at "
            "least 2."
        ),
        cases=_reach_cases,
        solution=layers,
        ask=(32_768, 1024),
        mistakes={
            "a layer reaches window - 1 back: the own position counts": (
                "(window - 1)",
                "window",
            ),
            "the last token is n - 1 away from the first": ("(n - 1)", "n"),
            "a layer that is begun is needed whole: round up": (
                "-(-(n - 1) // (window - 1))",
                "(n - 1) // (window - 1)",
            ),
            "reach does not double per layer; it adds up": (
                "-(-(n - 1) // (window - 1))",
                "int(np.ceil(np.log2((n - 1) / (window - 1) + 1)))",
            ),
            "a layer that is begun is needed: round up, not to the nearest": (
                "-(-(n - 1) // (window - 1))",
                "round((n - 1) / (window - 1))",
            ),
            "there is one layer too many": (
                "-(-(n - 1) // (window - 1))",
                "-(-(n - 1) // (window - 1)) + 1",
            ),
            "the last token is n - 1 away from the first, not n - 2": (
                "(n - 1)",
                "(n - 2)",
            ),
            "the window looks back alone, so it reaches window - 1": (
                "(window - 1)",
                "(2 * window - 1)",
            ),
            "a layer reaches window - 1 back, not window + 1": (
                "(window - 1)",
                "(window + 1)",
            ),
            "the window is one-sided: it isn't halved": (
                "(window - 1)",
                "(window // 2)",
            ),
            "layers and windows are mixed: the own position counts, and round up": (
                "-(-(n - 1) // (window - 1))",
                "n // window + 1",
            ),
        },
        hints=(
            "How far back does one layer reach? Its own position counts.",
            "The last token is n - 1 away from the first; a layer reaches window - 1.",
            "-(-(n - 1) // (window - 1)), a division rounded up",
        ),
        starters={
            "numpy": (
                "prediction = ...  # 32,768 tokens, a window of 1,024\n\n"
                "def layers(n, window):\n"
                "    ...  # two numbers; return one\n"
            ),
        },
    ),
    Exercise(
        name="10.layer",
        level=2,
        minutes=20,
        kind="module",
        before="10.window",
        statement=(
            "Write self-attention with a window as a layer, `Near(model_dim, window)`, "
            "causal, one head, no biases: x (B, T, D) -> (B, T, D). Trainable "
            "parameters: query_weight, key_weight, value_weight, (D, D) each. The "
            "gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the window has one key too many: its own position counts": (
                "back < sizes[1]",
                "back <= sizes[1]",
            ),
            "the future is seen": ("(back >= 0) & ", ""),
            "there is no window": (" & (back < sizes[1])", ""),
            "the scale is missing": (" / np.sqrt(x.shape[2])", ""),
            "blocked scores are 0, which is a score like others": ("-np.inf", "0.0"),
            "the window looks ahead": (
                "(back >= 0) & (back < sizes[1])",
                "(back <= 0) & (back > -sizes[1])",
            ),
        },
        hints=(
            "Project, score, block by the distance, softmax, average.",
            "back = i[:, None] - i; allowed where 0 <= back < window.",
            "torch.where(allowed, score, -torch.inf), or tf.where; then softmax over "
            "the last axis.",
        ),
        starters={
            "torch": (
                "class Near(torch.nn.Module):\n"
                "    def __init__(self, model_dim, window):\n"
                "        super().__init__()\n"
                "        ...  # three torch.nn.Parameter\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
            "tf": (
                "class Near(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, window):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Near(torch.nn.Module):\n"
                "    def __init__(self, model_dim, window):\n"
                "        super().__init__()\n"
                "        self.window = window\n"
                '        for name in ("query", "key", "value"):\n'
                "            start = torch.randn(model_dim, model_dim) / 8\n"
                '            setattr(self, f"{name}_weight",\n'
                "                    torch.nn.Parameter(start))\n\n"
                "    def forward(self, x):\n"
                "        query, key = x @ self.query_weight, x @ self.key_weight\n"
                "        i = torch.arange(x.shape[1])\n"
                "        back = i[:, None] - i\n"
                "        seen = (back >= 0) & (back < self.window)\n"
                "        score = query @ key.mT / x.shape[2] ** 0.5\n"
                "        score = torch.where(seen, score, -torch.inf)\n"
                "        return torch.softmax(score, -1) @ (x @ self.value_weight)\n"
            ),
            "tf": (
                "class Near(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, window):\n"
                "        super().__init__()\n"
                "        self.window, size = window, (model_dim, model_dim)\n"
                "        self.query_weight = self.add_weight(size)\n"
                "        self.key_weight = self.add_weight(size)\n"
                "        self.value_weight = self.add_weight(size)\n\n"
                "    def call(self, x):\n"
                "        query, key = x @ self.query_weight, x @ self.key_weight\n"
                "        back = tf.range(x.shape[1])[:, None] - tf.range(x.shape[1])\n"
                "        seen = (back >= 0) & (back < self.window)\n"
                "        score = tf.matmul(query, key, transpose_b=True)\n"
                "        score = score / x.shape[2] ** 0.5\n"
                "        score = tf.where(seen, score, -np.inf)\n"
                "        return tf.nn.softmax(score) @ (x @ self.value_weight)\n"
            ),
        },
    ),
)
