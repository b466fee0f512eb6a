"""Exercises of chapter 15."""

import numpy as np

from attn_course.exercises.exercise import Case, Exercise, fixed_cases


def _position_cases(rng):
    # The trained length lies below, at and above the last position.
    def draw(T, half):
        first = float(rng.integers(0, 9))
        x = rng.normal(size=(T, 2 * half))
        return x, first + np.arange(T, dtype=float), int(rng.integers(2, 6))

    def case(name, T, half, positions, trained_length):
        positions = np.asarray(positions, float)
        return Case(name, (rng.normal(size=(T, 2 * half)), positions, trained_length))

    cases = fixed_cases(rng, draw, 2, long=(0,))
    cases.append(case("within the trained length", 5, 3, [0, 2, 3, 7, 9], 11))
    cases.append(case("exactly the trained length", 3, 2, [8, 9, 10], 11))
    cases.append(case("one beyond the trained length", 3, 2, [9, 10, 11], 11))
    return [*cases, case("positions in another order", 3, 5, [44, 3, 29], 13)]


def interpolated(x, positions, trained_length):
    half, length = x.shape[1] // 2, positions.max() + 1
    positions = positions * min(1.0, trained_length / length)
    angle = positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    left = first * np.cos(angle) - second * np.sin(angle)
    right = first * np.sin(angle) + second * np.cos(angle)
    return np.concatenate([left, right], axis=1)


def _yarn_cases(rng):
    def draw(width, base, factor, length):
        return 2 * width, float(base), float(factor), int(length)

    cases = [Case("the example of the text", draw(32, 10000, 4, 2048))]
    cases.append(Case("Llama 3's base", draw(64, 500000, 8, 8192)))
    cases.append(Case("trained on few positions", draw(8, 10000, 4, 64)))
    cases.append(Case("no factor", draw(32, 10000, 1, 2048)))
    cases.append(Case("every pair is kept", draw(16, 10, 3, 4096)))
    cases.append(Case("the ramp ends beyond the pairs", draw(16, 2, 3, 64)))
    for _ in range(3):
        width, factor = int(rng.integers(20, 60)), int(rng.integers(2, 17))
        length = int(rng.integers(1000, 9000))
        base = rng.choice([10000.0, 50000.0, 1e6])
        cases.append(Case("another width", draw(width, base, factor, length)))
    return cases


def yarn(width, base, factor, trained_length):
    pairs = np.arange(width // 2)
    theta = base ** (-2 * pairs / width)
    turns = np.array([32, 1])
    ends = np.log(trained_length / (2 * np.pi * turns)) / np.log(base)
    ends = ends * width / 2
    first, last = max(np.floor(ends[0]), 0), min(np.ceil(ends[1]), width - 1)
    slowed = np.clip((pairs - first) / (last - first), 0, 1)
    return theta * (1 - slowed) + theta / factor * slowed


def _base_cases(rng):
    cases = [Case("Llama 3's base", (128, 500000.0, 8.0))]
    cases.append(Case("no factor", (64, 10000.0, 1.0)))
    cases.append(Case("the smallest width", (4, 100.0, 3.0)))
    for _ in range(4):
        width, factor = 2 * int(rng.integers(3, 90)), float(rng.integers(2, 33))
        base = float(rng.choice([10.0, 10000.0, 1e6]))
        cases.append(Case("another width", (width, base, factor)))
    return cases


def slower_base(width, base, factor):
    return base * factor ** (width / (width - 2))


def _turn_cases(rng):
    cases = [Case("Llama 3", (128, 500000.0, 8192)), Case("all turn", (8, 4.0, 90))]
    cases.append(Case("none turns", (8, 10000.0, 6)))
    cases.append(Case("the fastest pair alone", (8, 10000.0, 7)))
    for _ in range(5):
        width, length = 2 * int(rng.integers(3, 90)), int(rng.integers(20, 9000))
        base = float(rng.choice([100.0, 10000.0, 1e6]))
        cases.append(Case("another width", (width, base, length)))
    return cases


def never_turned(width, base, trained_length):
    theta = base ** (-2 * np.arange(width // 2) / width)
    return int((trained_length * theta < 2 * np.pi).sum())


def _scale_cases(rng):
    def draw(B, H, T, K):
        query = rng.normal(size=(B, H, T, K)).astype(np.float32)
        positions = np.sort(rng.choice(90, size=T, replace=False))
        scale, bias = rng.normal(size=(2, H)).astype(np.float32)
        return (H,), (query, positions), {"scale": scale, "bias": bias}

    def zero(sizes, inputs, weights):
        return sizes, (inputs[0], np.zeros_like(inputs[1])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 5, 7)),
        Case("other sizes", draw(3, 5, 2, 11)),
        Case("an axis of size 1", draw(1, 1, 3, 5)),
        Case("an axis of size 1", draw(2, 3, 1, 1)),
        Case("position 0 alone", zero(*draw(2, 3, 5, 7))),
    ]


def query_scale(query, positions, scale, bias):
    grown = np.log(positions + 1.0)
    factor = scale[:, None] * grown + bias[:, None]
    return query * factor[:, :, None]


EXERCISES = (
    Exercise(
        name="15.interpolate",
        level=2,
        minutes=15,
        before="07.rotate",
        statement=(
            "Write position interpolation, `interpolated(x, positions, "
            "trained_length)`: RoPE in the layout half, base 10000, x (T, K), "
            "positions (T) in any order. The length is the largest position plus 1. If "
            "it is above trained_length, every position is multiplied by "
            "trained_length / length; otherwise nothing changes. Output (T, K)."
        ),
        cases=_position_cases,
        solution=interpolated,
        mistakes={
            "short inputs are stretched; only longer ones are squeezed": (
                "min(1.0, trained_length / length)",
                "trained_length / length",
            ),
            "the length is the largest position plus 1": (
                "positions.max() + 1",
                "positions.max()",
            ),
            "the length is not the number of rows: positions have gaps": (
                "positions.max() + 1",
                "len(x)",
            ),
            "positions are not in order: the last is not the largest": (
                "positions.max() + 1",
                "positions[-1] + 1",
            ),
            "the factor is upside down": (
                "min(1.0, trained_length / length)",
                "max(1.0, length / trained_length)",
            ),
            "the base is interpolated; the position is": (
                (
                    "positions = positions * min(1.0, trained_length / length)",
                    "base = 10000.0 * max(1.0, length / trained_length)",
                ),
                ("10000.0 **", "base **"),
            ),
            "nothing is interpolated": ("min(1.0, trained_length / length)", "1.0"),
            "positions are cut off at the trained length; they are squeezed": (
                "positions * min(1.0, trained_length / length)",
                "np.minimum(positions, trained_length - 1)",
            ),
            "it turns the other way: the minus stands at the first column": (
                "angle = positions",
                "angle = -positions",
            ),
            "the exponent is -2 i / K": ("(-2 *", "(-1 *"),
        },
        hints=(
            "Positions need not be whole: squeeze them into the trained range.",
            "positions * min(1, trained_length / length), then RoPE as before.",
            "length = positions.max() + 1; then 07.rotate with the new positions.",
        ),
        starters={
            "numpy": (
                "def interpolated(x, positions, trained_length):\n"
                "    ...  # (T, K), (T), a number; return (T, K)\n"
            ),
        },
    ),
    Exercise(
        name="15.yarn",
        level=3,
        minutes=20,
        kind="bug",
        before="15.interpolate",
        statement=(
            "Find the bugs. YaRN's frequencies, `yarn(width, base, factor, "
            "trained_length)`: pairs that turn at least 32 times in training keep "
            "theirs, pairs that turn at most once are divided by the factor, with a "
            "ramp over the pairs between; output (width / 2). There are two faults; "
            "the first one was in a compiler's library."
        ),
        cases=_yarn_cases,
        solution=yarn,
        mistakes={
            "the ramp is reversed: fast pairs keep their frequency, slow ones are "
            "divided": (
                "theta * (1 - slowed) + theta / factor * slowed",
                "theta * slowed + theta / factor * (1 - slowed)",
            ),
            "the factor stands in the power: it divides the frequency, not the base": (
                "theta / factor * slowed",
                "(factor * base) ** (-2 * pairs / width) * slowed",
            ),
            "there is no ramp: all pairs are slowed": (
                "np.clip((pairs - first) / (last - first), 0, 1)",
                "np.ones(len(pairs))",
            ),
            "the ramp is a step": (
                "np.clip((pairs - first) / (last - first), 0, 1)",
                "(pairs >= last) * 1.0",
            ),
            "the ends of the ramp are not rounded: down and up": (
                ("np.floor(ends[0])", "ends[0]"),
                ("np.ceil(ends[1])", "ends[1]"),
            ),
            "the ends are rounded the wrong way": (
                ("np.floor(", "np.TMP("),
                ("np.ceil(", "np.floor("),
                ("np.TMP(", "np.ceil("),
            ),
            "a turn is 2 pi": ("(2 * np.pi * turns)", "turns"),
            "the ramp counts columns; it counts pairs": (
                "ends * width / 2",
                "ends * width",
            ),
            "the ramp is not clipped": (
                "np.clip((pairs - first) / (last - first), 0, 1)",
                "(pairs - first) / (last - first)",
            ),
            "the exponent is -2 i / K": ("(-2 * pairs / width)", "(-pairs / width)"),
        },
        hints=(
            "Which pairs does the ramp slow, and what does the factor divide?",
            "slowed is 0 for the fast pairs and 1 for the slow ones; the factor "
            "divides the frequency, outside the power.",
            "theta * (1 - slowed) + theta / factor * slowed",
        ),
        starters={
            "numpy": (
                "def yarn(width, base, factor, trained_length):\n"
                "    pairs = np.arange(width // 2)\n"
                "    theta = base ** (-2 * pairs / width)\n"
                "    slow = (factor * base) ** (-2 * pairs / width)\n"
                "    ends = np.log(trained_length / (2 * np.pi * np.array([32, 1])))\n"
                "    ends = ends / np.log(base) * width / 2\n"
                "    first = max(np.floor(ends[0]), 0)\n"
                "    last = min(np.ceil(ends[1]), width - 1)\n"
                "    slowed = np.clip((pairs - first) / (last - first), 0, 1)\n"
                "    return theta * slowed + slow * (1 - slowed)\n"
            ),
        },
    ),
    Exercise(
        name="15.base",
        level=2,
        minutes=10,
        kind="predict",
        before="07.wavelength",
        statement=(
            "Predict, then measure. Width 64, base 10000: which base makes the slowest "
            "pair 4 times slower? Enter your guess, then write `slower_base(width, "
            "base, factor)`: the base whose last pair has its frequency divided by the "
            "factor."
        ),
        cases=_base_cases,
        solution=slower_base,
        ask=(64, 10000.0, 4.0),
        mistakes={
            "the last pair has the exponent (K - 2) / K, not 1": (
                "factor ** (width / (width - 2))",
                "factor",
            ),
            "the exponent is upside down": (
                "(width / (width - 2))",
                "((width - 2) / width)",
            ),
            "the last pair is pair K / 2 - 1, and has two columns": (
                "(width - 2)",
                "(width - 1)",
            ),
            "the base grows, it is not divided": ("base * factor", "base / factor"),
            "the factor is squared": ("/ (width - 2))", "/ (width - 2) * 2)"),
            "the old base counts too": ("base * factor", "factor"),
        },
        hints=(
            "The last pair turns by base^(-(K - 2) / K) per position.",
            "new^(-(K - 2) / K) = base^(-(K - 2) / K) / factor",
            "base * factor ** (width / (width - 2))",
        ),
        starters={
            "numpy": (
                "prediction = ...  # width 64, base 10000, factor 4\n\n"
                "def slower_base(width, base, factor):\n"
                "    ...  # three numbers; return one\n"
            ),
        },
    ),
    Exercise(
        name="15.turns",
        level=1,
        minutes=10,
        kind="predict",
        before="07.wavelength",
        statement=(
            "Predict, then measure. Width 128, base 500000, trained on 8,192 "
            "positions: how many of the 64 pairs never complete a turn? Enter your "
            "guess, then write `never_turned(width, base, trained_length)`: the count "
            "of pairs whose angle at position trained_length is below 2 pi."
        ),
        cases=_turn_cases,
        solution=never_turned,
        ask=(128, 500000.0, 8192),
        mistakes={
            "a full turn is 2 pi, not 1": ("< 2 * np.pi", "< 1"),
            "a full turn is 2 pi, not pi": ("< 2 * np.pi", "< np.pi"),
            "these are the pairs that did turn": ("theta < 2", "theta >= 2"),
            "a pair has two columns": (
                "-2 * np.arange(width // 2)",
                "-np.arange(width)",
            ),
            "the exponent is -2 i / K": ("(-2 *", "(-1 *"),
            "the base is handed over": ("base **", "10000.0 **"),
            "a share was returned; the count is asked for": (
                "int((trained_length * theta < 2 * np.pi).sum())",
                "(trained_length * theta < 2 * np.pi).mean()",
            ),
        },
        hints=(
            "After n positions pair i has turned by n base^(-2 i / K).",
            "Compare all angles at trained_length with 2 pi, and count.",
            "(trained_length * theta < 2 * np.pi).sum()",
        ),
        starters={
            "numpy": (
                "prediction = ...  # width 128, base 500000, 8,192 positions\n\n"
                "def never_turned(width, base, trained_length):\n"
                "    ...  # three numbers; return a count\n"
            ),
        },
    ),
    Exercise(
        name="15.layer",
        level=2,
        minutes=15,
        kind="module",
        before="indexing with arrays",
        statement=(
            "Write the learned log-length scale of Mistral Large 4, "
            "`QueryScale(num_heads)`, called with query (B, H, T, K) and positions "
            "(T), whole numbers from 0; it returns the query times scale_h ln(t + 1) + "
            "bias_h. Trainable parameters: scale (H) and bias (H). The gradients are "
            "checked too."
        ),
        cases=_scale_cases,
        solution=query_scale,
        mistakes={
            "position 0 has the logarithm of 1, not of 0: add 1 first": (
                "np.log(positions + 1.0)",
                "np.log(np.maximum(positions, 1.0))",
            ),
            "the bias is missing": (" + bias[:, None]", ""),
            "the bias is added to the query; it belongs to the factor": (
                ("grown + bias[:, None]", "grown"),
                (
                    "query * factor[:, :, None]",
                    "query * factor[:, :, None] + bias[:, None, None]",
                ),
            ),
            "positions are counted from 0 on; they are given": (
                "np.log(positions + 1.0)",
                "np.log(np.arange(len(positions)) + 1.0)",
            ),
            "all heads take the first head's scale": (
                "scale[:, None]",
                "scale[:1, None]",
            ),
            "there is no logarithm": ("np.log(positions + 1.0)", "(positions + 1.0)"),
            "it is divided; the query grows": ("query * factor", "query / factor"),
        },
        hints=(
            "A factor per head and position, (H, T), then the query times it.",
            "scale[:, None] * ln(positions + 1) + bias[:, None] is (H, T).",
            "query * factor[:, :, None]",
        ),
        starters={
            "torch": (
                "class QueryScale(torch.nn.Module):\n"
                "    def __init__(self, num_heads):\n"
                "        super().__init__()\n"
                "        ...  # two torch.nn.Parameter\n\n"
                "    def forward(self, query, positions):\n"
                "        ...  # (B, H, T, K), (T); return (B, H, T, K)\n"
            ),
            "tf": (
                "class QueryScale(keras.layers.Layer):\n"
                "    def __init__(self, num_heads):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight, twice\n\n"
                "    def call(self, query, positions):\n"
                "        ...  # (B, H, T, K), (T); return (B, H, T, K)\n"
            ),
        },
        answers={
            "torch": (
                "class QueryScale(torch.nn.Module):\n"
                "    def __init__(self, num_heads):\n"
                "        super().__init__()\n"
                "        self.scale = torch.nn.Parameter(torch.zeros(num_heads))\n"
                "        self.bias = torch.nn.Parameter(torch.ones(num_heads))\n\n"
                "    def forward(self, query, positions):\n"
                "        grown = torch.log(positions + 1.0)\n"
                "        factor = self.scale[:, None] * grown + self.bias[:, None]\n"
                "        return query * factor[:, :, None]\n"
            ),
            "tf": (
                "class QueryScale(keras.layers.Layer):\n"
                "    def __init__(self, num_heads):\n"
                "        super().__init__()\n"
                '        self.scale = self.add_weight((num_heads,), "zeros")\n'
                '        self.bias = self.add_weight((num_heads,), "ones")\n\n'
                "    def call(self, query, positions):\n"
                "        grown = tf.math.log(tf.cast(positions, query.dtype) + 1)\n"
                "        factor = self.scale[:, None] * grown + self.bias[:, None]\n"
                "        return query * factor[:, :, None]\n"
            ),
        },
    ),
)
