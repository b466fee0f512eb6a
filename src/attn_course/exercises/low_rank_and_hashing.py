"""Exercises of chapter 12."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)


def _bucket_cases(rng):
    def draw(S, K, N, R):
        return rng.normal(size=(S, K)), rng.normal(size=(R, K, N))

    cases = fixed_cases(rng, draw, 4)
    x, directions = draw(11, 3, 2, 5)
    return [*cases, Case("scores of several hundred", (300 * x, directions))]


def buckets(x, directions):
    product = x @ directions
    return np.argmax(np.concatenate([product, -product], axis=2), axis=2)


def _merge_cases(rng):
    def draw(R, T, V):
        return rng.normal(size=(R, T, V)), 2 * rng.normal(size=(R, T))

    def large(outputs, log_sums):
        return outputs, log_sums + rng.choice([-900.0, 900.0], size=log_sums.shape[1:])

    def empty(outputs, log_sums):
        outputs, log_sums = outputs.copy(), log_sums.copy()
        outputs[1:, 0], log_sums[1:, 0] = 0, -np.inf  # one round alone found something
        return outputs, log_sums

    return fixed_cases(rng, draw, 3, long=(1,), large=large, empty=empty)


def merged(outputs, log_sums):
    share = softmax(log_sums, axis=0)
    return (share[:, :, None] * outputs).sum(axis=0)


def _allowed_cases(rng):
    def draw(S, N, size):
        return rng.integers(0, N, size=S), size

    cases = fixed_cases(rng, draw, 3)
    cases.append(Case("all in one bucket", (np.zeros(11, int), 3)))
    cases.append(Case("each in its own bucket", (rng.permutation(7), 2)))
    cases.append(Case("one position", (np.zeros(1, int), 2)))
    return [*cases, Case("chunks that hold all", (rng.integers(0, 3, size=13), 13))]


def allowed(bucket, size):
    place = np.argsort(np.argsort(bucket, kind="stable"))
    chunk = place // size
    back = chunk[:, None] - chunk
    near = (back == 0) | (back == 1)
    may = near & (bucket[:, None] == bucket) & ~np.eye(len(bucket), dtype=bool)
    return may | np.diag(~may.any(axis=1))


def _round_cases(rng):
    cases = [Case("the prediction", (0.6, 0.99)), Case("one is enough", (0.7, 0.5))]
    for _ in range(4):
        p, rounds = float(rng.uniform(0.05, 0.8)), int(rng.integers(2, 12))
        wanted = 1 - (1 - p) ** (rounds - float(rng.uniform(0.2, 0.8)))
        cases.append(Case("another chance", (p, wanted)))
    return cases


def rounds(p, wanted):
    return int(np.ceil(np.log(1 - wanted) / np.log(1 - p)))


def _layer_cases(rng):
    def draw(B, T, D, more, R):
        names = ("query_weight", "key_weight", "value_weight")
        parameters = {name: rng.normal(size=(D, D)) / 2 for name in names}
        for name in ("key_projection", "value_projection"):
            parameters[name] = rng.normal(size=(R, T + more)) / 2
        parameters = {k: x.astype(np.float32) for k, x in parameters.items()}
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, T + more, R), (x,), parameters

    return [
        Case("equal sizes", draw(3, 3, 3, 0, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 0, 3)),
        Case("shorter than the projections", draw(2, 5, 3, 6, 2)),
        Case("an axis of size 1", draw(2, 5, 3, 2, 1)),
        Case("an axis of size 1", draw(1, 1, 3, 4, 2)),
    ]


def layer(
    x, query_weight, key_weight, value_weight, key_projection, value_projection
):  # fmt: skip
    query, T = x @ query_weight, x.shape[1]
    key = key_projection[:, :T] @ (x @ key_weight)
    value = value_projection[:, :T] @ (x @ value_weight)
    score = query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2])
    return softmax(score) @ value


EXERCISES = (
    Exercise(
        name="12.buckets",
        level=1,
        minutes=10,
        before="argmax",
        statement=(
            "Write `buckets(x, directions)`: x (S, K), directions (R, K, N), N of each "
            "round; output (R, S), whole numbers from 0 to 2 N - 1. Every direction "
            "has an opposite: the bucket is the number of the one that x is most "
            "alike, first the N directions of the round, then their N opposites."
        ),
        cases=_bucket_cases,
        solution=buckets,
        mistakes={
            "the opposites are missing": (
                "np.concatenate([product, -product], axis=2)",
                "product",
            ),
            "the directions come first, and the largest product wins": (
                "[product, -product]",
                "[-product, product]",
            ),
            "the largest in size is the direction or its opposite: say which": (
                "np.concatenate([product, -product], axis=2)",
                "np.abs(product)",
            ),
            "the numbers count from 0, not from 1": (
                "axis=2), axis=2)",
                "axis=2), axis=2) + 1",
            ),
            "the choice is among directions, not among positions": (
                "axis=2), axis=2)",
                "axis=2), axis=1)",
            ),
            "the signs are read as a number; the most alike direction was asked for": (
                lambda x, directions: (
                    ((x @ directions) > 0) @ 2 ** np.arange(directions.shape[2])
                )
            ),
            "the result is transposed: one row per round": (
                "axis=2), axis=2)",
                "axis=2), axis=2).T",
            ),
            "every round uses the first one's directions": (
                "x @ directions",
                "x @ directions[:1]",
            ),
            "the opposites stand below the directions, not beside them": (
                "axis=2), axis=2)",
                "axis=1), axis=2)",
            ),
        },
        hints=(
            "Which of 2 N directions has the largest product with x?",
            "The products with the opposites are the negative products.",
            "np.argmax(np.concatenate([product, -product], axis=2), axis=2)",
        ),
        starters={
            "numpy": (
                "def buckets(x, directions):\n"
                "    ...  # (S, K), (R, K, N); return (R, S)\n"
            ),
        },
    ),
    Exercise(
        name="12.merged",
        level=2,
        minutes=15,
        before="04.attention",
        statement=(
            "Write `merged(outputs, log_sums)`: outputs (R, T, V) of R rounds, each a "
            "softmax over other keys, and log_sums (R, T), the log of each round's sum "
            "of exponentials, which may be several hundred, or -inf where a round "
            "found nothing; output (T, V), one softmax over all keys. "
            "`softmax(score, axis)` is given."
        ),
        cases=_merge_cases,
        solution=merged,
        mistakes={
            "the rounds are not equal: weigh them by their sums of exponentials": (
                "share = softmax(log_sums, axis=0)",
                "share = np.ones_like(log_sums) / len(log_sums)",
            ),
            "the shares of the rounds add up to 1, not those of the queries": (
                "axis=0)\n    return",
                "axis=1)\n    return",
            ),
            "the shares have to add up to 1": (
                "softmax(log_sums, axis=0)",
                "np.exp(log_sums)",
            ),
            **OVERFLOW,
            "the logarithms are the shares: take their softmax": (
                "softmax(log_sums, axis=0)",
                "(log_sums / log_sums.sum(axis=0))",
            ),
            "the largest round takes all": lambda outputs, log_sums: outputs[
                log_sums.argmax(axis=0), np.arange(log_sums.shape[1])
            ],
            "the weighted rounds are averaged; they should be added": (
                "outputs).sum(axis=0)",
                "outputs).mean(axis=0)",
            ),
            "the rounds are not added": (
                "(share[:, :, None] * outputs).sum(axis=0)",
                "share[:, :, None] * outputs",
            ),
            "the sum runs over the queries, not over the rounds": (
                "outputs).sum(axis=0)",
                "outputs).sum(axis=1)",
            ),
            "the shares are not divided by their sum": (
                "softmax(log_sums, axis=0)",
                "np.exp(log_sums - log_sums.max(axis=0))",
            ),
            "the logarithms are clipped: subtract the largest instead": (
                "softmax(log_sums, axis=0)",
                "softmax(np.clip(log_sums, -50, 50), axis=0)",
            ),
            "the shares are divided by the number of rounds, not by their sum": (
                "softmax(log_sums, axis=0)",
                "(np.exp(log_sums - log_sums.max(axis=0)) / len(log_sums))",
            ),
            "a share above a half counts as all": (
                "softmax(log_sums, axis=0)",
                "(softmax(log_sums, axis=0) > 0.5)",
            ),
        },
        hints=(
            "A round whose keys score higher counts for more.",
            "Its share is exp(log_sum) over the sum of all rounds' exp(log_sum).",
            "softmax(log_sums, axis=0)[:, :, None] * outputs, added up over the rounds",
        ),
        starters={
            "numpy": (
                "def merged(outputs, log_sums):\n"
                "    ...  # (R, T, V), (R, T); return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="12.allowed",
        level=3,
        minutes=20,
        kind="bug",
        before="12.buckets",
        statement=(
            "Find the bugs; there are two. One round of LSH attention: bucket (S) and "
            "a chunk size; output (S, S), True where a position may attend to another: "
            "the same bucket, and the same chunk or the one before, of the positions "
            "sorted by bucket; itself only when there is nobody else."
        ),
        cases=_allowed_cases,
        solution=allowed,
        mistakes={
            "argsort gives who stands at a place; the place of each is wanted": (
                'np.argsort(np.argsort(bucket, kind="stable"))',
                'np.argsort(bucket, kind="stable")',
            ),
            "a chunk looks back to the one before, not ahead": (
                "chunk[:, None] - chunk",
                "chunk - chunk[:, None]",
            ),
            "only the same bucket is allowed": (" & (bucket[:, None] == bucket)", ""),
            "the chunk before is missing": (" | (back == 1)", ""),
            "who is alone attends to itself": (
                "may | np.diag(~may.any(axis=1))",
                "may",
            ),
            "nobody attends to itself unless alone": (
                " & ~np.eye(len(bucket), dtype=bool)",
                "",
            ),
            "the own chunk is missing": ("(back == 0) | (back == 1)", "back == 1"),
            "the chunk after is allowed too": (
                "(back == 0) | (back == 1)",
                "np.abs(back) < 2",
            ),
            "chunks are not looked at": ("near & ", ""),
            "the mask is inverted: True may attend": (
                "return may | np.diag(~may.any(axis=1))",
                "return ~(may | np.diag(~may.any(axis=1)))",
            ),
            "who is alone is asked of the columns, not of the rows": (
                "may.any(axis=1)",
                "may.any(axis=0)",
            ),
            "two chunks back are allowed, not one": ("back == 1", "back == 2"),
            "it is causal; here it is not": (
                "~np.eye(len(bucket), dtype=bool)",
                "np.tri(len(bucket), k=-1, dtype=bool)",
            ),
            "positions are cut as they stand; they are sorted by bucket first": (
                'np.argsort(np.argsort(bucket, kind="stable"))',
                "np.arange(len(bucket))",
            ),
            "the chunk's size is a constant; it is handed over": ("// size", "// 4"),
        },
        hints=(
            "Print order, place and chunk for five positions and compare by hand.",
            "np.argsort(bucket) lists positions; which place has position 3? And "
            "whose chunk is subtracted from whose?",
            "The argsort of the argsort; chunk[:, None] - chunk",
        ),
        starters={
            "numpy": (
                "def allowed(bucket, size):\n"
                '    place = np.argsort(bucket, kind="stable")\n'
                "    chunk = place // size\n"
                "    back = chunk - chunk[:, None]\n"
                "    near = (back == 0) | (back == 1)\n"
                "    may = near & (bucket[:, None] == bucket)\n"
                "    may &= ~np.eye(len(bucket), dtype=bool)\n"
                "    return may | np.diag(~may.any(axis=1))\n"
            ),
        },
    ),
    Exercise(
        name="12.rounds",
        level=1,
        minutes=10,
        kind="predict",
        before="logarithms",
        statement=(
            "Predict, then compute. One round finds a key with probability 0.6. How "
            "many rounds find it with at least 0.99? Enter your guess, then write "
            "`rounds(p, wanted)`, the smallest whole number of rounds."
        ),
        cases=_round_cases,
        solution=rounds,
        ask=(0.6, 0.99),
        mistakes={
            "rounds are whole: round up": ("int(np.ceil(", "(("),
            "round up, not to the nearest": ("np.ceil(", "np.round("),
            "round up, not down": ("np.ceil(", "np.floor("),
            "a key is missed with probability 1 - p per round": (
                "np.log(1 - p)",
                "np.log(p)",
            ),
            "it may be missed with probability 1 - wanted": (
                "np.log(1 - wanted)",
                "np.log(wanted)",
            ),
            "chances of rounds are not added up": (
                "np.log(1 - wanted) / np.log(1 - p)",
                "wanted / p",
            ),
            "there is one round too many": (
                "int(np.ceil(np.log(1 - wanted) / np.log(1 - p)))",
                "int(np.ceil(np.log(1 - wanted) / np.log(1 - p))) + 1",
            ),
            "1 / p is the mean number of rounds": (
                "np.log(1 - wanted) / np.log(1 - p)",
                "1 / p",
            ),
            "p is a constant; it is handed over": ("1 - p", "0.4"),
            "what is wanted is a constant; it is handed over": ("1 - wanted", "0.01"),
            "both logarithms have the same base": (
                "np.log(1 - wanted)",
                "np.log10(1 - wanted)",
            ),
        },
        hints=(
            "What is the chance that r rounds all miss it?",
            "(1 - p)^r has to be at most 1 - wanted.",
            "np.ceil(np.log(1 - wanted) / np.log(1 - p))",
        ),
        starters={
            "numpy": (
                "prediction = ...  # p = 0.6, 0.99 wanted\n\n"
                "def rounds(p, wanted):\n"
                "    ...  # two numbers; return a whole number\n"
            ),
        },
    ),
    Exercise(
        name="12.layer",
        level=3,
        minutes=25,
        kind="module",
        before="05.layer",
        statement=(
            "Write a Linformer with one head as a layer, `Mixtures(model_dim, length, "
            "rank)`, called with x (B, T, D), T at most length; it returns (B, T, D). "
            "Trainable parameters: query_weight, key_weight, value_weight, each (D, "
            "D); key_projection and value_projection, each (rank, length), of which a "
            "shorter input takes the first columns. The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the scale is the root of the width of a key": (
                "np.sqrt(query.shape[2])",
                "np.sqrt(key.shape[1])",
            ),
            "the scale is missing": (" / np.sqrt(query.shape[2])", ""),
            "a shorter input takes the first columns, not the last": (
                "[:, :T]",
                "[:, -T:]",
            ),
            "keys and values have a projection each": (
                "value_projection[:, :T] @",
                "key_projection[:, :T] @",
            ),
            "each query's weights add up to 1": ("softmax(score)", "softmax(score, 1)"),
            "the values are not mapped by their matrix": ("(x @ value_weight)", "x"),
        },
        hints=(
            "Map, then mix the positions of keys and values, then attend.",
            "key_projection[:, :T] @ (x @ key_weight) is (B, rank, D).",
            "softmax(query @ mixed_key^T / sqrt(D)) @ mixed_value",
        ),
        starters={
            "torch": (
                "class Mixtures(torch.nn.Module):\n"
                "    def __init__(self, model_dim, length, rank):\n"
                "        super().__init__()\n"
                "        ...  # five torch.nn.Parameter\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
            "tf": (
                "class Mixtures(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, length, rank):\n"
                "        super().__init__()\n"
                "        ...  # five times self.add_weight\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Mixtures(torch.nn.Module):\n"
                "    def __init__(self, model_dim, length, rank):\n"
                "        super().__init__()\n"
                "        new = lambda *shape: torch.nn.Parameter(\n"
                "            torch.randn(shape) / 4)\n"
                "        square = model_dim, model_dim\n"
                "        self.query_weight = new(*square)\n"
                "        self.key_weight = new(*square)\n"
                "        self.value_weight = new(*square)\n"
                "        self.key_projection = new(rank, length)\n"
                "        self.value_projection = new(rank, length)\n\n"
                "    def forward(self, x):\n"
                "        T, D = x.shape[1:]\n"
                "        query = x @ self.query_weight\n"
                "        key = self.key_projection[:, :T] @ (x @ self.key_weight)\n"
                "        value = x @ self.value_weight\n"
                "        value = self.value_projection[:, :T] @ value\n"
                "        score = query @ key.mT / D ** 0.5\n"
                "        return torch.softmax(score, dim=-1) @ value\n"
            ),
            "tf": (
                "class Mixtures(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, length, rank):\n"
                "        super().__init__()\n"
                "        square = model_dim, model_dim\n"
                "        self.query_weight = self.add_weight(square)\n"
                "        self.key_weight = self.add_weight(square)\n"
                "        self.value_weight = self.add_weight(square)\n"
                "        self.key_projection = self.add_weight((rank, length))\n"
                "        self.value_projection = self.add_weight((rank, length))\n\n"
                "    def call(self, x):\n"
                "        T, D = x.shape[1:]\n"
                "        query = x @ self.query_weight\n"
                "        key = self.key_projection[:, :T] @ (x @ self.key_weight)\n"
                "        value = x @ self.value_weight\n"
                "        value = self.value_projection[:, :T] @ value\n"
                "        score = tf.matmul(query, key, transpose_b=True)\n"
                "        return tf.nn.softmax(score / D ** 0.5) @ value\n"
            ),
        },
    ),
)
