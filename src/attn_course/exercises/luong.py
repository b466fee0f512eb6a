"""Exercises of chapter 3."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)


def _local_cases(rng):
    def draw(T, S):
        center = rng.uniform(0, max(S - 1, 0.1), T)
        return rng.normal(size=(T, S)), center, int(rng.integers(2, 5))

    def whole(score, center, half_width):
        # Whole centers, so that positions stand exactly on the window's edge.
        return score, np.round(center), half_width

    def large(score, center, half_width):
        # The largest scores of all stand outside the window, which is empty nowhere.
        near = np.abs(np.arange(score.shape[1]) - center[:, None]) <= half_width
        return np.where(near, score + 800, score + 3000), center, half_width

    def low(score, center, half_width):
        return score - 12000, center, half_width

    cases = fixed_cases(rng, draw, 2, long=(1,), low=low)
    cases += [
        Case("whole centers", whole(*draw(7, 11))),
        Case("a half width that is not whole", (*draw(3, 13)[:2], 2.5)),
        Case("scores of several hundred", large(*draw(5, 23))),
        Case("window of 7", (*draw(5, 19)[:2], 7)),
    ]
    return cases


def local_weights(score, center, half_width):
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    weights = softmax(np.where(inside, score, -np.inf))
    return weights * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))


def _general_cases(rng):
    def draw(B, T, S, D, E):
        sizes = (B, T, D), (B, S, E), (D, E)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, memory, weight):
        return 30 * query, 30 * memory, weight

    return fixed_cases(rng, draw, 5, long=(1, 2), large=large)


def general_score(query, memory, weight):
    return query @ weight @ memory.swapaxes(1, 2)


def _step_cases(rng):
    def draw(B, S, X, H):
        sizes = (B, X), (B, H), (B, H), (B, S, H), (X + H, H), (H, H), (2 * H, H)
        given = [rng.normal(size=size) for size in sizes]
        given[4:] = [weight / np.sqrt(len(weight)) for weight in given[4:]]
        return tuple(given)

    def large(x, state, fed, memory, W, U, C):
        return x, state, fed, 1500 * memory, W, U, C / 1500

    return fixed_cases(rng, draw, 4, long=(1,), large=large)


def step(x, state, attentional, memory, input_weight, state_weight, combine):
    seen = np.concatenate([x, attentional], axis=1)
    hidden = np.tanh(seen @ input_weight + state @ state_weight)
    score = (memory @ hidden[:, :, None])[:, :, 0]
    weights = softmax(score)
    context = (weights[:, None] @ memory)[:, 0]
    return np.tanh(np.concatenate([context, hidden], axis=1) @ combine)


def _sum_cases(rng):
    cases = [
        Case("another window", (float(rng.uniform(3, 15)), int(width), int(length)))
        for width, length in ((2, 17), (3, 19), (5, 23))
    ]
    cases.append(Case("a whole center at the start", (0.0, 4, 11)))
    cases.append(Case("a center at the end", (12.0, 3, 13)))
    cases.append(Case("an axis of size 1", (0.0, 2, 1)))
    cases.append(Case("a center between two positions", (5.5, 2, 13)))
    return [*cases, Case("length 100", (float(rng.uniform(20, 80)), 10, 100))]


def window_sum(center, half_width, length):
    distance = np.arange(length) - center
    distance = distance[np.abs(distance) <= half_width]
    return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).mean()


def _layer_cases(rng):
    def draw(B, T, S, D, E):
        query, memory = (rng.normal(size=size) for size in ((B, T, D), (B, S, E)))
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        weight = rng.normal(size=(D, E)) / np.sqrt(D)
        query, memory, weight = (x.astype(np.float32) for x in (query, memory, weight))
        return (D, E), (query, memory, mask), {"weight": weight}

    def large(sizes, inputs, weights):
        return sizes, (300 * inputs[0], *inputs[1:]), {"weight": weights["weight"]}

    def full(sizes, inputs, weights):
        return sizes, (*inputs[:2], np.ones_like(inputs[2])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 7, 5, 11)),
        Case("an axis of size 1", draw(1, 1, 5, 3, 2)),
        Case("everything allowed", full(*draw(2, 5, 3, 3, 7))),
        Case("scores of several hundred", large(*draw(2, 3, 5, 2, 3)), 100.0),
    ]


def layer(query, memory, mask, weight):
    score = query @ weight @ memory.swapaxes(1, 2)
    return softmax(np.where(mask[:, None], score, -np.inf)) @ memory


EXERCISES = (
    Exercise(
        name="03.local_weights",
        level=2,
        minutes=20,
        before="02.masked_weights",
        statement=(
            "Write the weights of predictive local attention, `local_weights(score, "
            "center, half_width)`: score (T, S), center (T) real, half_width a number; "
            "output (T, S). A softmax over the positions with |s - center| <= "
            "half_width, times a Gaussian around the center with sigma = "
            "half_width / 2. "
            "Every window holds a position; scores may be of any size. "
            "`softmax(score)` "
            "is given."
        ),
        cases=_local_cases,
        solution=local_weights,
        mistakes={
            "sigma is the half width; it should be half of it": (
                "(half_width / 2) ** 2",
                "half_width**2",
            ),
            "the Gaussian is missing: these are the weights before it": (
                " * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))",
                "",
            ),
            "they are normalized again after the Gaussian; the paper's are not": (
                lambda s, c, w: (
                    (found := local_weights(s, c, w)) / found.sum(axis=1, keepdims=True)
                )
            ),
            "there is no window: the softmax runs over the whole sentence": (
                "np.where(inside, score, -np.inf)",
                "score",
            ),
            "the softmax runs over the whole sentence, the window is cut after it": (
                "softmax(np.where(inside, score, -np.inf))",
                "softmax(score) * inside",
            ),
            "a position at exactly half_width is left out; the edge counts": (
                "<= half_width",
                "< half_width",
            ),
            "the exponent has no 2: it is d^2 / (2 sigma^2)": ("(2 * (", "(1 * ("),
            "the largest score is taken outside the window too; inside all vanish": (
                lambda s, c, w: _with_any_maximum(s, c, w)
            ),
            "exp of a large score overflows: subtract the window's largest one first": (
                "softmax(",
                "unsafe_softmax(",
            ),
            "the center is rounded; the paper's is real": (
                "center[:, None]",
                "np.round(center)[:, None]",
            ),
            "-1e4 is no low score: an allowed one may be lower": ("-np.inf", "-1e4"),
            "scores outside are set to 0, which is a score like any other": (
                "-np.inf",
                "0.0",
            ),
            "the distance is not squared": ("distance**2", "np.abs(distance)"),
            "only positions before the center are seen": (
                "np.abs(distance)",
                "np.abs(distance + half_width / 2) * 2",
            ),
            "the center is cut to a whole number; the paper's is real": (
                "center[:, None]",
                "center[:, None].astype(int)",
            ),
            "positions count from 0": (
                "np.arange(score.shape[1])",
                "np.arange(1, score.shape[1] + 1)",
            ),
            "every query gets the first one's center": ("center[:, None]", "center[0]"),
            "the exponent is 2 d^2 / D^2, not d^2 / D^2": (
                "(2 * (half_width / 2) ** 2)",
                "half_width**2",
            ),
            "the window has no left edge: take the distance's absolute value": (
                "np.abs(distance) <=",
                "distance <=",
            ),
        },
        hints=(
            "A mask that depends on the center, a softmax, and a factor after it.",
            "distance = np.arange(S) - center[:, None] serves both window and "
            "Gaussian.",
            "softmax(np.where(np.abs(distance) <= half_width, score, -np.inf)) times "
            "np.exp(-(distance**2) / (2 * sigma**2)).",
        ),
        starters={
            "numpy": (
                "def local_weights(score, center, half_width):\n"
                "    ...  # (T, S), (T), a number; return (T, S)\n"
            ),
        },
    ),
    Exercise(
        name="03.general_score",
        level=1,
        minutes=5,
        before="matrix products",
        statement=(
            "Write Luong's general score, `general_score(query, memory, "
            "weight)`: query "
            "(B, T, D), memory (B, S, E), weight (D, E); output (B, T, S)."
        ),
        cases=_general_cases,
        solution=general_score,
        mistakes={
            "the weight is transposed": ("weight @", "weight.T @"),
            "the weight is not used: this is the dot score": (" @ weight @", " @"),
            "the positions come before the queries": (
                "query @ weight @ memory.swapaxes(1, 2)",
                "(query @ weight @ memory.swapaxes(1, 2)).swapaxes(1, 2)",
            ),
            "a softmax was taken; the score comes before it": (
                "query @ weight @ memory.swapaxes(1, 2)",
                "softmax(query @ weight @ memory.swapaxes(1, 2))",
            ),
            "the score is divided by the root of D; Luong's is not": (
                "memory.swapaxes(1, 2)",
                "memory.swapaxes(1, 2) / np.sqrt(query.shape[2])",
            ),
            "the score is divided by the root of E; Luong's is not": (
                "memory.swapaxes(1, 2)",
                "memory.swapaxes(1, 2) / np.sqrt(memory.shape[2])",
            ),
            "a tanh was taken; that is the concat score": (
                "query @ weight @ memory.swapaxes(1, 2)",
                "np.tanh(query @ weight @ memory.swapaxes(1, 2))",
            ),
            "the memory's axes are mixed by a reshape; exchange them": (
                "memory.swapaxes(1, 2)",
                "memory.reshape(len(memory), memory.shape[2], memory.shape[1])",
            ),
            "every sentence is compared with the first sentence's memory": (
                "memory.swapaxes(1, 2)",
                "memory[:1].swapaxes(1, 2)",
            ),
            "every sentence's query is the first's": (
                "query @",
                "query[:1] + 0 * query @",
            ),
            "the signs of the weight are lost": ("@ weight", "@ np.abs(weight)"),
            "every sentence is asked the first one's query": ("query @", "query[:1] @"),
        },
        hints=(
            "For one query and one position it is query @ weight @ position.",
            "query @ weight is (B, T, E): its product with memory needs "
            "memory's last two "
            "axes exchanged.",
            "query @ weight @ memory.swapaxes(1, 2)",
        ),
        starters={
            "numpy": (
                "def general_score(query, memory, weight):\n"
                "    ...  # (B, T, D), (B, S, E), (D, E); return (B, T, S)\n"
            ),
        },
    ),
    Exercise(
        name="03.step",
        level=2,
        minutes=15,
        kind="bug",
        before="02.step",
        statement=(
            "Find the bug. One step of Luong's decoder with input feeding and the dot "
            "score: x (B, X), state and attentional (B, H), memory (B, S, H), "
            "input_weight (X + H, H), state_weight (H, H), combine (2 H, H); output "
            "(B, H), the attentional state, its context first. Every shape fits. "
            "`softmax(score)` is given."
        ),
        cases=_step_cases,
        solution=step,
        mistakes={
            **OVERFLOW,
            "it asks with the state before the step: that is Bahdanau's query": (
                "@ hidden[:, :, None]",
                "@ state[:, :, None]",
            ),
            "it feeds the recurrent state, not the attentional state": (
                "[x, attentional]",
                "[x, state]",
            ),
            "context and hidden state are joined in the other order": (
                "[context, hidden]",
                "[hidden, context]",
            ),
            "the tanh of the attentional state is missing": (
                "np.tanh(np.concatenate([context, hidden], axis=1) @ combine)",
                "np.concatenate([context, hidden], axis=1) @ combine",
            ),
            "the attentional state is fed before x": (
                "[x, attentional]",
                "[attentional, x]",
            ),
            "the attentional state takes the recurrent state's place too": (
                "state @ state_weight",
                "attentional @ state_weight",
            ),
            "the recurrent state does not enter the step": (
                " + state @ state_weight",
                "",
            ),
            "the tanh of the hidden state is missing": (
                "np.tanh(seen @ input_weight + state @ state_weight)",
                "seen @ input_weight + state @ state_weight",
            ),
            "the scores are not turned into weights": ("softmax(score)", "score"),
            "the weights sum to 1 over the batch": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "the attentional state joins old state and context": (
                "[context, hidden]",
                "[context, state]",
            ),
            "it returns the hidden state, not the attentional one": (
                "return np.tanh(np.concatenate([context, hidden], axis=1) @ combine)",
                "return hidden",
            ),
            "the context is the mean of the memory": (
                "(weights[:, None] @ memory)[:, 0]",
                "memory.mean(axis=1)",
            ),
            "it asks with the attentional state": (
                "hidden[:, :, None]",
                "attentional[:, :, None]",
            ),
            "the attentional state joins the one that was fed": (
                "[context, hidden]",
                "[context, attentional]",
            ),
            "state_weight is transposed": ("@ state_weight", "@ state_weight.T"),
            "the scores are divided by the root of H; here they are not": (
                "softmax(score)",
                "softmax(score / np.sqrt(state.shape[1]))",
            ),
        },
        hints=(
            "Input feeding: what the last step decided is shown to the next one.",
            "Two states are handed over. Which of them knows what was attended to?",
            "seen = np.concatenate([x, attentional], axis=1)",
        ),
        starters={
            "numpy": (
                "def step(x, state, attentional, memory, input_weight, "
                "state_weight, combine):\n"
                "    seen = np.concatenate([x, state], axis=1)\n"
                "    hidden = np.tanh(seen @ input_weight + state @ state_weight)\n"
                "    score = (memory @ hidden[:, :, None])[:, :, 0]\n"
                "    weights = softmax(score)\n"
                "    context = (weights[:, None] @ memory)[:, 0]\n"
                "    return np.tanh(np.concatenate([context, hidden], axis=1) "
                "@ combine)\n"
            ),
        },
    ),
    Exercise(
        name="03.window_sum",
        level=2,
        minutes=15,
        kind="predict",
        before="03.local_weights",
        statement=(
            "Predict, then measure. All scores are equal, the center is 0, the "
            "half width "
            "3, the sentence 10 long: what do local-p's weights sum to? Enter "
            "your guess, "
            "then write `window_sum(center, half_width, length)` for any center, as a "
            "number."
        ),
        cases=_sum_cases,
        solution=window_sum,
        ask=(0.0, 3, 10),
        mistakes={
            "they always sum to 1 only before the Gaussian": (
                "return np.exp(-(distance**2) / (2 * (half_width / 2) ** 2)).mean()",
                "return 1.0",
            ),
            "sigma is the half width; it should be half of it": (
                "(half_width / 2)",
                "half_width",
            ),
            "each weight is 1 over the sentence's length; it is over the window's": (
                ".mean()",
                ".sum() / length",
            ),
            "the softmax is missing: this is the sum of the Gaussian alone": (
                ".mean()",
                ".sum()",
            ),
            "a position at exactly half_width is left out; the edge counts": (
                "<=",
                "<",
            ),
            "the window ends where the sentence does: count those inside alone": (
                ".mean()",
                ".sum() / (2 * half_width + 1)",
            ),
            "the exponent has no 2": ("(2 * (", "(1 * ("),
            "there is no window": (
                "distance[np.abs(distance) <= half_width]",
                "distance",
            ),
            "this is the largest weight, not the sum": (
                ".mean()",
                ".max() / len(distance)",
            ),
            "the exponent is 2 d^2 / D^2, not d^2 / D^2": (
                "(2 * (half_width / 2) ** 2)",
                "half_width**2",
            ),
            "the distance is not squared": (
                "-(distance**2) / (2 * (half_width / 2) ** 2)",
                "-2 * np.abs(distance) / half_width",
            ),
            "these are all weights; their sum was asked for": (").mean()", ")"),
            "the center is rounded; it is real": ("- center", "- round(center)"),
            "the center is left out": (" - center", ""),
            "positions count from 0": ("np.arange(length)", "np.arange(1, length + 1)"),
            "this is the largest of the Gaussian's values": (").mean()", ").max()"),
            "the length is a constant; it is handed over": (
                "np.arange(length)",
                "np.arange(10)",
            ),
        },
        hints=(
            "Equal scores: every position in the window gets 1 over their number.",
            "The sum is the mean of the Gaussian over the positions in the window.",
            "Take local_weights(np.zeros((1, length)), np.array([center]), "
            "half_width).sum().",
        ),
        starters={
            "numpy": (
                "prediction = ...  # center 0, half width 3, length 10\n\n"
                "def window_sum(center, half_width, length):\n"
                "    ...  # three numbers; return one\n"
            ),
        },
    ),
    Exercise(
        name="03.layer",
        level=3,
        minutes=20,
        kind="module",
        before="03.general_score, 02.masked_weights",
        statement=(
            "Write attention with the general score as a layer, `General(query_dim, "
            "memory_dim)`, called with query (B, T, D), memory (B, S, E) and "
            "mask (B, S) "
            "bool, True where a token stands (at least one per sentence); it "
            "returns the "
            "context (B, T, E). Trainable parameter: weight (D, E). The gradients are "
            "checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the mask is not used": (
                "np.where(mask[:, None], score, -np.inf)",
                "score",
            ),
            "the mask is inverted: True is a token": (
                "mask[:, None]",
                "~mask[:, None]",
            ),
            "the score is divided by a root; Luong's is not": (
                "memory.swapaxes(1, 2)",
                "memory.swapaxes(1, 2) / np.sqrt(memory.shape[2])",
            ),
            "the weight is not used": ("query @ weight", "query"),
            "the weight is transposed": ("query @ weight", "query @ weight.T"),
            "blocked scores are set to 0, which is a score like any other": (
                "-np.inf",
                "0.0",
            ),
            **OVERFLOW,
        },
        hints=(
            "03.general_score, then a masked softmax, then a product with memory.",
            "The mask is (B, S): give it an axis for the queries.",
            "score = query @ self.weight @ (memory with its last two axes exchanged)",
        ),
        starters={
            "torch": (
                "class General(torch.nn.Module):\n"
                "    def __init__(self, query_dim, memory_dim):\n"
                "        super().__init__()\n"
                "        ...  # a torch.nn.Parameter\n\n"
                "    def forward(self, query, memory, mask):\n"
                "        ...  # (B, T, D), (B, S, E), (B, S); return (B, T, E)\n"
            ),
            "tf": (
                "class General(keras.layers.Layer):\n"
                "    def __init__(self, query_dim, memory_dim):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight\n\n"
                "    def call(self, query, memory, mask):\n"
                "        ...  # (B, T, D), (B, S, E), (B, S); return (B, T, E)\n"
            ),
        },
        answers={
            "torch": (
                "class General(torch.nn.Module):\n"
                "    def __init__(self, query_dim, memory_dim):\n"
                "        super().__init__()\n"
                "        start = torch.randn(query_dim, memory_dim) / 4\n"
                "        self.weight = torch.nn.Parameter(start)\n\n"
                "    def forward(self, query, memory, mask):\n"
                "        score = query @ self.weight @ memory.mT\n"
                "        score = score.masked_fill(~mask[:, None], -torch.inf)\n"
                "        return torch.softmax(score, dim=-1) @ memory\n"
            ),
            "tf": (
                "class General(keras.layers.Layer):\n"
                "    def __init__(self, query_dim, memory_dim):\n"
                "        super().__init__()\n"
                "        self.weight = self.add_weight((query_dim, memory_dim))\n\n"
                "    def call(self, query, memory, mask):\n"
                "        score = tf.matmul(query @ self.weight, memory,\n"
                "                          transpose_b=True)\n"
                "        score = tf.where(mask[:, None], score, -np.inf)\n"
                "        return tf.nn.softmax(score) @ memory\n"
            ),
        },
    ),
)


def _with_any_maximum(score, center, half_width):
    distance = np.arange(score.shape[1]) - center[:, None]
    inside = np.abs(distance) <= half_width
    weights = np.exp(score - score.max(axis=1, keepdims=True)) * inside
    weights = weights / weights.sum(axis=1, keepdims=True)
    return weights * np.exp(-(distance**2) / (2 * (half_width / 2) ** 2))
