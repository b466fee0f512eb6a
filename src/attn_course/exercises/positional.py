"""Exercises of chapter 7."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
    strong,
)
from attn_course.reference import rotate


def _rotation_cases(rng):
    def draw(T, half):
        first = float(rng.integers(0, 50))
        return rng.normal(size=(T, 2 * half)), first + np.arange(T, dtype=float)

    def gaps(x, positions):
        jumps = rng.integers(1, 9, len(positions)).astype(float)
        return x, np.cumsum(jumps) + jumps[0]

    cases = fixed_cases(rng, draw, 2, long=(0,), gaps=gaps)
    backwards = draw(7, 3)
    cases.append(
        Case("positions in another order", (backwards[0], backwards[1][::-1].copy()))
    )
    between = draw(5, 2)
    cases.append(Case("positions between whole numbers", (between[0], between[1] / 3)))
    return [*cases, Case("position 0 alone", (rng.normal(size=(1, 6)), np.zeros(1)))]


def turned(x, positions):
    half = x.shape[1] // 2
    angle = positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    left = first * np.cos(angle) - second * np.sin(angle)
    right = first * np.sin(angle) + second * np.cos(angle)
    return np.concatenate([left, right], axis=1)


def _distance_cases(rng):
    # The vectors of the distances -k to k in a table of 2 k + 1 rows.
    def draw(T, K, k):
        return rng.normal(size=(T, K)), rng.normal(size=(2 * k + 1, K))

    cases = fixed_cases(rng, draw, 3, equal=3, long=(0,))
    cases.append(Case("no distance is clipped", draw(3, 2, 7)))
    return [*cases, Case("a table of one row", draw(5, 3, 0))]


def by_distance(query, table):
    T, k = len(query), len(table) // 2
    distance = np.arange(T) - np.arange(T)[:, None]
    rows = np.clip(distance, -k, k) + k
    return np.einsum("tk,tsk->ts", query, table[rows])


def _linear_cases(rng):
    def draw(H, T, extra, K, V):
        S = T + extra
        return tuple(
            rng.normal(size=size) for size in ((H, T, K), (H, S, K), (H, S, V))
        )

    def large(query, key, value):
        return *strong(query, key), value

    cases = fixed_cases(rng, draw, 5, long=(1,), large=large)
    for heads in (4, 6, 12, 15, int(rng.choice([8, 16, 20]))):
        cases.append(Case("another number of heads", draw(heads, 3, 2, 5, 7)))
    return [*cases, Case("no cache yet", draw(3, 7, 0, 2, 5))]


def with_alibi(query, key, value):
    H, T, K = query.shape
    S, near = key.shape[1], 2 ** int(np.log2(H))
    slopes = 2.0 ** (-8 * np.arange(1, near + 1) / near)
    between = 2.0 ** (-8 * np.arange(1, 2 * near + 1) / (2 * near))
    slopes = np.concatenate([slopes, between[0::2]])[:H]
    distance = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
    score = query @ key.swapaxes(1, 2) / np.sqrt(K)
    return softmax(score - slopes[:, None, None] * distance) @ value


def _wave_cases(rng):
    cases = []
    for _ in range(3):
        width = 2 * int(rng.integers(2, 40))
        pair = int(rng.integers(1, width // 2))
        cases.append(Case("another width", (pair, width, 10000.0)))
    cases.append(Case("the first pair", (0, 6, 10000.0)))
    cases.append(Case("the last pair", (31, 64, 10000.0)))
    return [*cases, Case("another base", (3, 10, float(rng.choice([10, 500, 500000]))))]


def wavelength(pair, width, base):
    return 2 * np.pi * base ** (2 * pair / width)


def _layer_cases(rng):
    def draw(B, T, L, D):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        positions = np.sort(rng.permutation(L)[:T]) if L >= T else rng.integers(0, L, T)
        return (
            (L, D),
            (x, positions),
            {"table": rng.normal(size=(L, D)).astype(np.float32)},
        )

    def repeated(sizes, inputs, weights):
        return sizes, (inputs[0], np.zeros_like(inputs[1])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("positions with gaps", draw(2, 5, 13, 7)),
        Case("sizes of different primes", draw(3, 2, 7, 5)),
        Case("an axis of size 1", draw(1, 1, 5, 3)),
        Case("an axis of size 1", draw(2, 3, 5, 1)),
        Case("a position that comes more than once", repeated(*draw(2, 3, 5, 7))),
    ]


def layer(x, positions, table):
    return x + table[positions]


EXERCISES = (
    Exercise(
        name="07.rotate",
        level=2,
        minutes=15,
        before="cosine and sine",
        statement=(
            "Write rotary positions in the layout *half*, base 10000, `turned(x, "
            "positions)`: x (T, K), K even, positions (T) real numbers, in any "
            "order and "
            "with gaps; output (T, K). Columns i and i + K/2 turn together by "
            "the angle "
            "position * base^(-2 i / K). NumPy, or PyTorch or TensorFlow with "
            'framework="torch" or "tf".'
        ),
        cases=_rotation_cases,
        solution=turned,
        mistakes={
            "the layout is mixed up: turn column i with i + K/2, not neighbors": (
                lambda x, t: rotate(x, t, layout="interleaved")
            ),
            "cosine and sine are exchanged": (
                ("np.cos(", "np.TMP("),
                ("np.sin(", "np.cos("),
                ("np.TMP(", "np.sin("),
            ),
            "it turns the other way: the minus stands at the first column": (
                "angle = positions",
                "angle = -positions",
            ),
            "the frequencies fall too slowly: the exponent is -2 i / K": (
                "(-2 *",
                "(-1 *",
            ),
            "the frequencies fall too fast: the exponent is -2 i / K": (
                "(-2 *",
                "(-4 *",
            ),
            "the sign of the exponent is wrong: frequencies fall": ("(-2 *", "(2 *"),
            "the base is 1000; it is 10000": ("10000.0", "1000.0"),
            "positions are counted from 1; they are given": (
                "positions[:, None]",
                "(positions[:, None] + 1)",
            ),
            "positions are counted from 0 on; they are given": (
                "positions[:, None]",
                "np.arange(len(x))[:, None]",
            ),
            "positions may have gaps: use them, not the first one and a count": (
                "positions[:, None]",
                "(positions[0] + np.arange(len(x)))[:, None]",
            ),
            "the second column takes the first one after it was turned": (
                "right = first *",
                "right = left *",
            ),
            "every column turns by the angle of the first pair": (
                "(-2 * np.arange(half) / x.shape[1])",
                "(0 * np.arange(half))",
            ),
            "both signs are plus: the first column has a minus": (
                "np.cos(angle) - second",
                "np.cos(angle) + second",
            ),
            "the two halves are joined in the other order": (
                "[left, right]",
                "[right, left]",
            ),
            "it is added to x; rotation replaces it": (
                "np.concatenate([left, right], axis=1)",
                "x + np.concatenate([left, right], axis=1)",
            ),
        },
        hints=(
            "Two columns are a point in the plane; a position turns it.",
            "angle (T, K/2) = positions[:, None] * 10000.0 ** (-2 i / K), i from 0 to "
            "K/2 - 1.",
            "first * cos - second * sin, beside first * sin + second * cos.",
        ),
        starters={
            "numpy": (
                "def turned(x, positions):\n    ...  # (T, K), (T); return (T, K)\n"
            ),
        },
    ),
    Exercise(
        name="07.distances",
        level=2,
        minutes=15,
        before="indexing with arrays",
        statement=(
            "Write Shaw's bias, `by_distance(query, table)`: query (T, K), table "
            "(2 k + 1, K) with a row for each distance j - i from -k to k, "
            "farther words "
            "take the row at the end; output (T, T): query i times the row of "
            "j - i, not "
            "divided by the root of K."
        ),
        cases=_distance_cases,
        solution=by_distance,
        mistakes={
            "the sign of the distance is wrong: key minus query, j - i": (
                "np.arange(T) - np.arange(T)[:, None]",
                "np.arange(T)[:, None] - np.arange(T)",
            ),
            "the distances are not clipped: far ones take a wrong row": (
                "np.clip(distance, -k, k) + k",
                "(distance + k) % len(table)",
            ),
            "distance 0 takes row 0; it is row k, in the middle": (
                "np.clip(distance, -k, k) + k",
                "np.clip(distance, -k, k)",
            ),
            "it is transposed: a row for every query": ('"tk,tsk->ts"', '"tk,tsk->st"'),
            "the table's rows are multiplied with the key's place, not the query's": (
                '"tk,tsk->ts"',
                '"sk,tsk->ts"',
            ),
            "it is divided by the root of K; here it is not": (
                "query, table[rows])",
                "query / np.sqrt(query.shape[1]), table[rows])",
            ),
            "the distances are absolute; left and right differ": (
                "np.arange(T) - np.arange(T)[:, None]",
                "np.abs(np.arange(T) - np.arange(T)[:, None])",
            ),
            "they are clipped at k - 1; the last row is for k": (
                "np.clip(distance, -k, k)",
                "np.clip(distance, -k, max(k - 1, 0))",
            ),
            "far words get no bias; they take the row at the end": (
                "np.einsum(",
                "(np.abs(distance) <= k) * np.einsum(",
            ),
            "distances are capped on one side alone": (
                "np.clip(distance, -k, k) + k",
                "np.maximum(np.minimum(distance, k) + k, -len(table)) % len(table)",
            ),
            "a softmax was taken; this is a part of the score": (
                'np.einsum("tk,tsk->ts", query, table[rows])',
                'softmax(np.einsum("tk,tsk->ts", query, table[rows]))',
            ),
            "distances are capped on the right alone": (
                "np.clip(distance, -k, k)",
                "np.minimum(distance, k)",
            ),
            "they are clipped at k - 1 on both sides": ("-k, k)", "1 - k, k - 1)"),
            "these are the rows; their product with the query was asked for": (
                'np.einsum("tk,tsk->ts", query, table[rows])',
                "table[rows]",
            ),
            "far distances begin again; they take the row at the end": (
                "np.clip(distance, -k, k)",
                "distance % (k + 1)",
            ),
        },
        hints=(
            "Which row of the table belongs to a pair? Make the row numbers first.",
            "Distance j - i, clipped to -k..k, plus k: a (T, T) array of row numbers.",
            "rows = np.clip(distance, -k, k) + k; then the product of query i with "
            "table[rows[i, j]].",
        ),
        starters={
            "numpy": (
                "def by_distance(query, table):\n"
                "    ...  # (T, K), (2 k + 1, K); return (T, T)\n"
            ),
        },
    ),
    Exercise(
        name="07.alibi",
        level=3,
        minutes=20,
        kind="bug",
        before="04.with_cache",
        statement=(
            "Find the bugs. Attention with ALiBi for any number of heads: query "
            "(H, T, K), key (H, S, K), value (H, S, V), the last query on the "
            "last key, "
            "not causal; output (H, T, V). There are two faults, and with 8 heads only "
            "one would show. `softmax(score)` is given."
        ),
        cases=_linear_cases,
        solution=with_alibi,
        mistakes={
            **OVERFLOW,
            "the slopes of a number that is no power of two are those of the power "
            "below, and every other of twice that many": (
                "slopes = np.concatenate([slopes, between[0::2]])[:H]",
                "slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)",
            ),
            "the bias is divided by the root of K": (
                "* distance)",
                "* distance / np.sqrt(K))",
            ),
            "queries and keys are aligned at the start; the last query stands on the "
            "last key": ("np.arange(S - T, S)", "np.arange(T)"),
            "the bias rewards distance: its sign is wrong": ("- slopes", "+ slopes"),
            "there is no bias": (" - slopes[:, None, None] * distance", ""),
            "the scale is missing": (" / np.sqrt(K)", ""),
            "the slopes are in the wrong order": ("[:H]", "[:H][::-1]"),
            "the slopes between are taken from the second on; the first comes first": (
                "between[0::2]",
                "between[1::2]",
            ),
            "the slopes are sorted; the ones between come after the others": (
                "[:H]",
                "[:H]\n    slopes = np.sort(slopes)[::-1]",
            ),
            "the slopes are those of the power above, cut off": (
                "np.concatenate([slopes, between[0::2]])[:H]",
                "(slopes if near == H else between[:H])",
            ),
            "the slope of the first head is 1; it is 2^(-8 / H)": (
                "-8 * np.arange(1, near + 1)",
                "-8 * np.arange(near)",
            ),
            "the distance is not absolute": (
                "np.abs(np.arange(S) - np.arange(S - T, S)[:, None])",
                "(np.arange(S - T, S)[:, None] - np.arange(S))",
            ),
            "the distance is squared": (
                "np.abs(np.arange(S) - np.arange(S - T, S)[:, None])",
                "(np.arange(S) - np.arange(S - T, S)[:, None]) ** 2",
            ),
            "the softmax runs over the queries": ("* distance)", "* distance, axis=1)"),
            "the exponents are half as large: it is 2^(-8 h / H)": ("-8", "-4"),
            "the slopes are the first ones of twice as many heads": (
                "np.concatenate([slopes, between[0::2]])[:H]",
                "between[:H]",
            ),
        },
        hints=(
            "ALiBi has two rules: how slopes are chosen, and where the bias is added.",
            "The paper's rule for H that is no power of two; and the root divides the "
            "products, not the bias.",
            "The slopes of n = 2 ** int(log2(H)) heads, then every other slope of 2 n "
            "heads, H in all; product / np.sqrt(K) - slopes * distance.",
        ),
        starters={
            "numpy": (
                "def with_alibi(query, key, value):\n"
                "    H, T, K = query.shape\n"
                "    S = key.shape[1]\n"
                "    slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)\n"
                "    distance = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])\n"
                "    score = query @ key.swapaxes(1, 2) - slopes[:, None, "
                "None] * distance\n"
                "    return softmax(score / np.sqrt(K)) @ value\n"
            ),
        },
    ),
    Exercise(
        name="07.wavelength",
        level=1,
        minutes=10,
        kind="predict",
        before="07.rotate",
        statement=(
            "Predict, then measure. A rotary head of width 64, base 10000: "
            "after how many "
            "positions has its slowest pair completed one turn? Enter your guess, then "
            "write `wavelength(pair, width, base)`: the positions of one full turn of "
            "the pair, counted from 0."
        ),
        cases=_wave_cases,
        solution=wavelength,
        ask=(31, 64, 10000.0),
        mistakes={
            "a full turn is 2 pi, not 1": ("2 * np.pi * ", ""),
            "a full turn is 2 pi, not pi": ("2 * np.pi", "np.pi"),
            "this is the angle per position; a turn takes 2 pi over it": (
                "2 * np.pi * base ** (2 * pair / width)",
                "base ** (-2 * pair / width)",
            ),
            "these are turns per position; positions per turn were asked for": (
                "2 * np.pi * base ** (2 * pair / width)",
                "base ** (-2 * pair / width) / (2 * np.pi)",
            ),
            "the exponent is 2 i / K: each pair has two columns": (
                "(2 * pair /",
                "(pair /",
            ),
            "the pairs count from 0": ("2 * pair", "2 * (pair + 1)"),
            "the base is a constant; it is handed over": ("base **", "10000.0 **"),
            "the sign of the exponent is wrong": ("** (2", "** (-2"),
            "the exponent divides by the number of pairs; it is the width": (
                "/ width",
                "/ (width // 2)",
            ),
            "a full turn is 2 pi, not 360": ("2 * np.pi", "360"),
            "the pairs count from 0, not from 1": ("2 * pair", "2 * (pair - 1)"),
            "the width is a constant; it is handed over": ("/ width", "/ 64"),
            "the exponent is missing: every pair turns as the slowest": (
                "base ** (2 * pair / width)",
                "base",
            ),
            "the result is rounded": (
                "2 * np.pi * base ** (2 * pair / width)",
                "round(2 * np.pi * base ** (2 * pair / width))",
            ),
        },
        hints=(
            "The angle grows by base^(-2 i / K) per position; a turn is 2 pi.",
            "Positions per turn = 2 pi / angle per position.",
            "2 * np.pi * base ** (2 * pair / width)",
        ),
        starters={
            "numpy": (
                "prediction = ...  # the last pair of width 64, base 10000\n\n"
                "def wavelength(pair, width, base):\n"
                "    ...  # three numbers; return one\n"
            ),
        },
    ),
    Exercise(
        name="07.layer",
        level=2,
        minutes=15,
        kind="module",
        before="indexing with arrays",
        statement=(
            "Write learned positions as a layer, `Learned(length, model_dim)`, called "
            "with x (B, T, D) and positions (T), whole numbers below length, with gaps "
            "and repetitions; it returns x plus the table's row of each position. "
            "Trainable parameter: table (length, D). The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the positions are counted from 0 on; they are given": (
                "table[positions]",
                "table[np.arange(len(positions))]",
            ),
            "positions may have gaps: use them, not the first one and a count": (
                "table[positions]",
                "table[(positions[0] + np.arange(len(positions))) % len(table)]",
            ),
            "x is missing: the table is added to it": ("x + ", "0 * x + "),
            "every position gets the same row": (
                "table[positions]",
                "table[positions[0]]",
            ),
            "x is multiplied; the table is added": ("x + ", "x * "),
            "the table is scaled": (
                "table[positions]",
                "table[positions] * np.sqrt(x.shape[2])",
            ),
            "x is scaled": ("x + ", "x * np.sqrt(x.shape[2]) + "),
        },
        hints=(
            "A table with a row per position, looked up and added.",
            "Indexing with an array of positions gives (T, D), which fits (B, T, D).",
            "x + self.table[positions], or tf.gather(self.table, positions)",
        ),
        starters={
            "torch": (
                "class Learned(torch.nn.Module):\n"
                "    def __init__(self, length, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # a torch.nn.Parameter\n\n"
                "    def forward(self, x, positions):\n"
                "        ...  # (B, T, D), (T); return (B, T, D)\n"
            ),
            "tf": (
                "class Learned(keras.layers.Layer):\n"
                "    def __init__(self, length, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight\n\n"
                "    def call(self, x, positions):\n"
                "        ...  # (B, T, D), (T); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Learned(torch.nn.Module):\n"
                "    def __init__(self, length, model_dim):\n"
                "        super().__init__()\n"
                "        start = torch.randn(length, model_dim) / 4\n"
                "        self.table = torch.nn.Parameter(start)\n\n"
                "    def forward(self, x, positions):\n"
                "        return x + self.table[positions]\n"
            ),
            "tf": (
                "class Learned(keras.layers.Layer):\n"
                "    def __init__(self, length, model_dim):\n"
                "        super().__init__()\n"
                "        self.table = self.add_weight((length, model_dim))\n\n"
                "    def call(self, x, positions):\n"
                "        return x + tf.gather(self.table, positions)\n"
            ),
        },
    ),
)
