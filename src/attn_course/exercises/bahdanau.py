"""Exercises of chapter 2."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)


def _score_cases(rng):
    def draw(B, T, S, D, E, A):
        sizes = (B, T, D), (B, S, E), (D, A), (E, A), (A,)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(q, m, W, U, v):
        return 50 * q, 50 * m, W, U, 300 * v

    # In the first the query and the memory are equally wide, so that exchanging their
    # matrices passes the shape checks.
    return fixed_cases(rng, draw, 6, equal=3, long=(2,), large=large)


def additive_score(query, memory, query_weight, memory_weight, score_weight):
    asked = (query @ query_weight)[:, :, None]  # (B, T, 1, A)
    hidden = asked + (memory @ memory_weight)[:, None]
    return np.tanh(hidden) @ score_weight


def _masked_cases(rng):
    def draw(B, T, S):
        mask = rng.random((B, T, S)) < 0.6
        mask[..., 0] |= ~mask.any(axis=-1)
        return rng.normal(size=(B, T, S)), mask

    def large(score, mask):
        # The blocked ones are the largest of all.
        score = score + 900 * (-1.0) ** np.arange(score.shape[1])[:, None]
        return np.where(mask, score, score + 4000), mask

    def low(score, mask):
        return score - 12000, mask

    def empty(score, mask):
        mask[0, 0] = False
        return score, mask

    def full(score, mask):
        return score, np.ones_like(mask)

    changes = {"large": large, "low": low, "empty": empty, "full": full}
    return fixed_cases(rng, draw, 3, long=(2,), **changes)


def masked_weights(score, mask):
    score = np.where(mask, score, -np.inf)
    highest = score.max(axis=-1, keepdims=True)
    exponential = np.exp(score - np.where(np.isinf(highest), 0, highest))
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1, total)


def _step_cases(rng):
    def draw(B, S, D):
        state, memory = rng.normal(size=(B, D)), rng.normal(size=(B, S, D))
        return state, memory, *(rng.normal(size=(2, D, D)) / np.sqrt(D))

    def large(state, memory, W, C):
        memory[:, 0] = 30 * np.sign(state)
        return 30 * np.sign(state), memory, W / 30, C / 30

    return fixed_cases(rng, draw, 3, long=(1,), large=large)


def step(state, memory, state_weight, context_weight):
    score = (memory @ state[:, :, None])[:, :, 0]
    weights = softmax(score)
    context = (weights[:, None] @ memory)[:, 0]
    return np.tanh(state @ state_weight + context @ context_weight)


def _ratio_cases(rng):
    kinds = [("sizes of different primes", n) for n in (2, 3, 5)]
    cases = [Case(name, (rng.normal(size=n),)) for name, n in kinds]
    cases.append(Case("an axis of size 1", (rng.normal(size=1) - 2,)))
    cases.append(Case("float32", (rng.normal(size=3).astype(np.float32),), single=True))
    return [*cases, Case("length 100", (rng.normal(size=100) / 10,))]


def largest_ratio(score_weight):
    return np.exp(2 * np.abs(score_weight).sum())


def _layer_cases(rng):
    def draw(B, T, S, D, E, A):
        sizes = (B, T, D), (B, S, E)
        query, memory = (rng.normal(size=size).astype(np.float32) for size in sizes)
        mask = np.arange(S) < rng.integers(1, S + 1, B)[:, None]
        weights = {
            "query_weight": rng.normal(size=(D, A)) / np.sqrt(D),
            "memory_weight": rng.normal(size=(E, A)) / np.sqrt(E),
            "score_weight": rng.normal(size=A),
        }
        weights = {name: x.astype(np.float32) for name, x in weights.items()}
        return (D, E, A), (query, memory, mask), weights

    def large(sizes, inputs, weights):
        v = np.full_like(weights["score_weight"], 200)
        return sizes, inputs, {**weights, "score_weight": v}

    def full(sizes, inputs, weights):
        return sizes, (*inputs[:2], np.ones_like(inputs[2])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 7, 5, 11, 13)),
        Case("an axis of size 1", draw(1, 1, 5, 3, 2, 7)),
        Case("everything allowed", full(*draw(2, 5, 3, 3, 7, 2))),
        Case("scores of several hundred", large(*draw(2, 3, 5, 2, 3, 7)), 30.0),
    ]


def layer(query, memory, mask, query_weight, memory_weight, score_weight):
    hidden = (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]
    score = np.where(mask[:, None], np.tanh(hidden) @ score_weight, -np.inf)
    return softmax(score) @ memory


EXERCISES = (
    Exercise(
        name="02.additive_score",
        level=1,
        minutes=10,
        before="broadcasting",
        statement=(
            "Write `additive_score(query, memory, query_weight, memory_weight, "
            "score_weight)` for all queries and positions at once: query (B, T, D), "
            "memory (B, S, E), weights (D, A), (E, A) and (A); output (B, T, "
            "S). NumPy, "
            'or PyTorch or TensorFlow with framework="torch" or "tf".'
        ),
        cases=_score_cases,
        solution=additive_score,
        mistakes={
            "there is no tanh": ("np.tanh(hidden)", "hidden"),
            "the tanh stands outside the product with score_weight": (
                "np.tanh(hidden) @ score_weight",
                "np.tanh(hidden @ score_weight)",
            ),
            "query_weight and memory_weight are exchanged": (
                lambda q, m, W, U, v: additive_score(q, m, U, W, v)
            ),
            "the hidden layer is summed without score_weight": (
                "@ score_weight",
                "@ np.ones_like(score_weight)",
            ),
            "each part has a tanh of its own; the sum should have one": (
                lambda q, m, W, U, v: (
                    (np.tanh(q @ W)[:, :, None] + np.tanh(m @ U)[:, None]) @ v
                )
            ),
            "these are the weights; the softmax is not part of the score": (
                "np.tanh(hidden) @ score_weight",
                "softmax(np.tanh(hidden) @ score_weight)",
            ),
            "the positions come before the queries: exchange the last two axes": (
                "np.tanh(hidden) @ score_weight",
                "(np.tanh(hidden) @ score_weight).swapaxes(1, 2)",
            ),
            "query and memory are multiplied; they should be added": (
                "asked +",
                "asked *",
            ),
            "the memory is subtracted; it should be added": ("asked +", "asked -"),
            "the score is divided by the root of A; additive scores are not": (
                "np.tanh(hidden) @ score_weight",
                "np.tanh(hidden) @ score_weight / np.sqrt(len(score_weight))",
            ),
            "a sigmoid stands in place of the tanh": (
                "np.tanh(hidden)",
                "(1 / (1 + np.exp(-hidden)))",
            ),
            "a ReLU stands in place of the tanh": (
                "np.tanh(hidden)",
                "np.maximum(hidden, 0)",
            ),
            "there is a tanh too much: the score itself has none": (
                "np.tanh(hidden) @ score_weight",
                "np.tanh(np.tanh(hidden) @ score_weight)",
            ),
            "the signs of score_weight are lost": (
                "@ score_weight",
                "@ np.abs(score_weight)",
            ),
            "every sentence gets the first one's memory": (
                "(memory @ memory_weight)[:, None]",
                "(memory @ memory_weight)[:1, None]",
            ),
            "the query goes through memory_weight": (
                "query @ query_weight",
                "query @ memory_weight",
            ),
            "the memory goes through query_weight": (
                "memory @ memory_weight",
                "memory @ query_weight",
            ),
        },
        hints=(
            "One hidden vector per pair of query and position, of width A.",
            "Give the mapped query a new axis for positions and the mapped memory one "
            "for queries; their sum is (B, T, S, A).",
            "np.tanh((query @ query_weight)[:, :, None] + (memory @ memory_weight)"
            "[:, None]), then a product with score_weight.",
        ),
        starters={
            "numpy": (
                "def additive_score(query, memory, query_weight, memory_weight,\n"
                "                   score_weight):\n"
                "    ...  # (B, T, D), (B, S, E), (D, A), (E, A), (A); "
                "return (B, T, S)\n"
            ),
        },
    ),
    Exercise(
        name="02.masked_weights",
        level=2,
        minutes=15,
        kind="bug",
        before="00.weights, 01.padding_mask",
        statement=(
            "Find the bug. This softmax passes every shape check: score (B, T, "
            "S), mask "
            "(B, T, S) bool, True may attend; output (B, T, S). A row that may "
            "attend to "
            "nothing gives zeros. Allowed scores may be of any size and sign."
        ),
        cases=_masked_cases,
        solution=masked_weights,
        mistakes={
            "the weights sum to 1 over the queries, not over the keys": (
                "axis=-1",
                "axis=-2",
            ),
            "the mask is read the wrong way round: True means may attend": (
                "np.where(mask, score",
                "np.where(~mask, score",
            ),
            "the mask is not used": ("np.where(mask, score, -np.inf)", "score"),
            "the mask comes after the softmax, so the rows no longer sum to 1": (
                lambda s, mask: softmax(s) * mask
            ),
            "a row that may attend to nothing is NaN; it should be zeros": (
                lambda s, mask: softmax(np.where(mask, s, -np.inf))
            ),
            "a row that may attend to nothing averages all; it should be zeros": (
                lambda s, mask: softmax(np.where(mask, s, -1e9))
            ),
            "a row that may attend to nothing averages all, and -1e4 is no low score": (
                lambda s, mask: softmax(np.where(mask, s, -1e4))
            ),
            "-1e4 is no low score: an allowed one may be lower": (
                lambda s, mask: (
                    softmax(np.where(mask, s, -1e4)) * mask.any(-1)[..., None]
                )
            ),
            "-50 is no low score: an allowed one may be lower": (
                lambda s, mask: (
                    softmax(np.where(mask, s, -50)) * mask.any(-1)[..., None]
                )
            ),
            "blocked scores are set to 0, which is a score like any other": (
                lambda s, mask: softmax(s * mask)
            ),
            "0 is a score like any other: blocked scores should be -inf": (
                lambda s, mask: softmax(s * mask) * mask.any(axis=-1, keepdims=True)
            ),
            "exp of a large score overflows: subtract the largest allowed one": (
                "np.exp(score - np.where(np.isinf(highest), 0, highest))",
                "np.exp(score)",
            ),
            "a blocked score is the largest, and the allowed ones vanish beside it": (
                lambda s, mask: _with_any_maximum(s, mask)
            ),
            "the weights are not divided by their sum": (
                "exponential / np.where(total == 0, 1, total)",
                "exponential",
            ),
        },
        hints=(
            "Which row can no fill value serve? Nothing in it may get a weight.",
            "What does the softmax give when all its scores are equally low? And is an "
            "allowed score always above the fill value?",
            "Fill with -inf; subtract the row's maximum, or 0 where that is "
            "-inf; divide "
            "by the sum, or by 1 where that is 0.",
        ),
        starters={
            "numpy": (
                "def masked_weights(score, mask):\n"
                "    score = np.where(mask, score, -1e9)\n"
                "    exponential = np.exp(score - score.max(axis=-1, keepdims=True))\n"
                "    return exponential / exponential.sum(axis=-1, keepdims=True)\n"
            ),
        },
    ),
    Exercise(
        name="02.step",
        level=2,
        minutes=15,
        kind="bug",
        before="00.soft_lookup",
        statement=(
            "Find the bug. One step of a decoder with the dot product as its score: "
            "state (B, D), memory (B, S, D), state_weight and context_weight (D, D); "
            "output (B, D), the next state. Every shape fits, but it is not Bahdanau's "
            "step. `softmax(score)` is given."
        ),
        cases=_step_cases,
        solution=step,
        mistakes={
            **OVERFLOW,
            "it asks with the state after the step; the paper's with the one before": (
                "(memory @ state[:, :, None])",
                "(memory @ np.tanh(state @ state_weight)[:, :, None])",
            ),
            "the context is computed but does not enter the step": (
                " + context @ context_weight",
                "",
            ),
            "the previous state does not enter the step": (
                "state @ state_weight + ",
                "",
            ),
            "state_weight and context_weight are exchanged": (
                lambda state, memory, W, C: step(state, memory, C, W)
            ),
            "the scores are not turned into weights that sum to 1": (
                "softmax(score)",
                "score",
            ),
            "the weights sum to 1 over the batch, not over the positions": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "every position gets the same weight": (
                "softmax(score)",
                "np.ones_like(score) / score.shape[1]",
            ),
            "the tanh is missing": (
                "np.tanh(state @ state_weight + ",
                "(state @ state_weight + ",
            ),
            "the scores are divided by the root of the width; here they are not": (
                "[:, :, 0]\n",
                "[:, :, 0] / np.sqrt(state.shape[1])\n",
            ),
            "it asks with the state times state_weight; the state itself asks": (
                "(memory @ state[:, :, None])",
                "(memory @ (state @ state_weight)[:, :, None])",
            ),
            "each part has a tanh of its own; the sum should have one": (
                "np.tanh(state @ state_weight + context @ context_weight)",
                "np.tanh(state @ state_weight) + np.tanh(context @ context_weight)",
            ),
            "state_weight is transposed": (
                "state @ state_weight",
                "state @ state_weight.T",
            ),
            "context_weight is transposed": (
                "context @ context_weight",
                "context @ context_weight.T",
            ),
            "the context is the last annotation": (
                "(weights[:, None] @ memory)[:, 0]",
                "memory[:, -1]",
            ),
        },
        hints=(
            "Bahdanau's context enters the step that makes the new state. So "
            "which state "
            "can ask for it?",
            "The paper's score compares s_(t-1), the state before the step, "
            "with memory.",
            "score = (memory @ state[:, :, None])[:, :, 0]",
        ),
        starters={
            "numpy": (
                "def step(state, memory, state_weight, context_weight):\n"
                "    moved = np.tanh(state @ state_weight)\n"
                "    score = (memory @ moved[:, :, None])[:, :, 0]  # (B, S)\n"
                "    weights = softmax(score)\n"
                "    context = (weights[:, None] @ memory)[:, 0]\n"
                "    return np.tanh(state @ state_weight + context @ context_weight)\n"
            ),
        },
    ),
    Exercise(
        name="02.largest_ratio",
        level=2,
        minutes=10,
        kind="predict",
        before="02.additive_score",
        statement=(
            "Predict, then measure. The score weight is (1, 1). However large "
            "query and "
            "memory are, how many times larger than another can one weight be at most? "
            "Enter your guess, then write `largest_ratio(score_weight)`, which "
            "gives that "
            "bound for any score weight (A), as a number."
        ),
        cases=_ratio_cases,
        solution=largest_ratio,
        ask=(np.ones(2),),
        mistakes={
            "the tanh goes from -1 to 1: the two scores differ by twice the sum": (
                "2 * ",
                "",
            ),
            "negative entries count too: sum the absolute values": (
                "np.abs(score_weight).sum()",
                "score_weight.sum()",
            ),
            "this is the difference of the scores; the weights' ratio is its exp": (
                "np.exp(2 * np.abs(score_weight).sum())",
                "2 * np.abs(score_weight).sum()",
            ),
            "the bound is the sum of the absolute values, not their length": (
                "np.abs(score_weight).sum()",
                "np.sqrt((score_weight**2).sum())",
            ),
            "the largest entry alone doesn't bound it: all of them add up": (
                "np.abs(score_weight).sum()",
                "np.abs(score_weight).max()",
            ),
            "this is one ratio per entry; they multiply": (".sum()", ""),
            "the bound doesn't depend on the width alone": (
                "np.abs(score_weight).sum()",
                "len(score_weight)",
            ),
            "the absolute value is taken after the sum": (
                "np.abs(score_weight).sum()",
                "abs(score_weight.sum())",
            ),
            "this is the mean of the absolute values; they add up": (
                ".sum()",
                ".mean()",
            ),
            "the squares are summed; it is the absolute values": (
                "np.abs(score_weight).sum()",
                "(score_weight**2).sum()",
            ),
            "the tanh bounds the hidden units, not the weights": (
                "np.abs(score_weight).sum()",
                "np.tanh(np.abs(score_weight)).sum()",
            ),
            "exp is taken of the whole sum, not of 2": (
                "np.exp(2 * np.abs(score_weight).sum())",
                "np.exp(2) * np.abs(score_weight).sum()",
            ),
            "the largest less the smallest entry doesn't bound it": (
                "np.exp(2 * np.abs(score_weight).sum())",
                "np.exp(score_weight.max() - score_weight.min())",
            ),
            "the sum is a constant; it is that of the score weight": (
                "np.abs(score_weight).sum()",
                "2",
            ),
        },
        hints=(
            "A tanh lies between -1 and 1, whatever goes in.",
            "The largest score is the sum of |v|, the smallest its negative.",
            "Two weights of a softmax have the ratio exp(score - other score).",
        ),
        starters={
            "numpy": (
                "prediction = ...  # for the score weight (1, 1)\n\n"
                "def largest_ratio(score_weight):\n    ...  # (A); return a number\n"
            ),
        },
    ),
    Exercise(
        name="02.layer",
        level=3,
        minutes=20,
        kind="module",
        before="02.additive_score, 02.masked_weights",
        statement=(
            "Write additive attention as a layer, `Additive(query_dim, memory_dim, "
            "hidden_dim)`, called with query (B, T, D), memory (B, S, E) and "
            "mask (B, S) "
            "bool, True where a token stands (at least one per sentence); it "
            "returns the "
            "context (B, T, E). Trainable parameters: query_weight (D, A), "
            "memory_weight (E, A), score_weight (A). The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the mask is not used": (
                "np.where(mask[:, None], np.tanh(hidden) @ score_weight, -np.inf)",
                "np.tanh(hidden) @ score_weight",
            ),
            "the mask is inverted: True is a token": (
                "mask[:, None]",
                "~mask[:, None]",
            ),
            "the mask comes after the softmax, so the rows no longer sum to 1": (
                lambda q, m, mask, W, U, v: (
                    (softmax(additive_score(q, m, W, U, v)) * mask[:, None]) @ m
                )
            ),
            "there is no tanh": ("np.tanh(hidden)", "hidden"),
            "blocked scores are set to 0, which is a score like any other": (
                "-np.inf",
                "0.0",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=1)",
            ),
            **OVERFLOW,
        },
        hints=(
            "02.additive_score, then a masked softmax, then a product with memory.",
            "The mask is (B, S): give it an axis for the queries.",
            "torch.where(mask[:, None], score, -torch.inf) or tf.where(mask[:, None], "
            "score, -np.inf); softmax; @ memory.",
        ),
        starters={
            "torch": (
                "class Additive(torch.nn.Module):\n"
                "    def __init__(self, query_dim, memory_dim, hidden_dim):\n"
                "        super().__init__()\n"
                "        ...  # three torch.nn.Parameter\n\n"
                "    def forward(self, query, memory, mask):\n"
                "        ...  # (B, T, D), (B, S, E), (B, S); return (B, T, E)\n"
            ),
            "tf": (
                "class Additive(keras.layers.Layer):\n"
                "    def __init__(self, query_dim, memory_dim, hidden_dim):\n"
                "        super().__init__()\n"
                "        ...  # three times self.add_weight\n\n"
                "    def call(self, query, memory, mask):\n"
                "        ...  # (B, T, D), (B, S, E), (B, S); return (B, T, E)\n"
            ),
        },
        answers={
            "torch": (
                "class Additive(torch.nn.Module):\n"
                "    def __init__(self, query_dim, memory_dim, hidden_dim):\n"
                "        super().__init__()\n"
                "        new = lambda *size: "
                "torch.nn.Parameter(torch.randn(*size) / 4)\n"
                "        self.query_weight = new(query_dim, hidden_dim)\n"
                "        self.memory_weight = new(memory_dim, hidden_dim)\n"
                "        self.score_weight = new(hidden_dim)\n\n"
                "    def forward(self, query, memory, mask):\n"
                "        asked = (query @ self.query_weight)[:, :, None]\n"
                "        held = (memory @ self.memory_weight)[:, None]\n"
                "        score = torch.tanh(asked + held) @ self.score_weight\n"
                "        score = score.masked_fill(~mask[:, None], -torch.inf)\n"
                "        return torch.softmax(score, dim=-1) @ memory\n"
            ),
            "tf": (
                "class Additive(keras.layers.Layer):\n"
                "    def __init__(self, query_dim, memory_dim, hidden_dim):\n"
                "        super().__init__()\n"
                "        self.query_weight = self.add_weight((query_dim, hidden_dim))\n"
                "        self.memory_weight = self.add_weight((memory_dim, "
                "hidden_dim))\n"
                "        self.score_weight = self.add_weight(\n"
                '            (hidden_dim,), initializer="normal")\n\n'
                "    def call(self, query, memory, mask):\n"
                "        asked = (query @ self.query_weight)[:, :, None]\n"
                "        held = (memory @ self.memory_weight)[:, None]\n"
                "        hidden = tf.tanh(asked + held)\n"
                '        score = tf.einsum("btsa,a->bts", hidden, self.score_weight)\n'
                "        score = tf.where(mask[:, None], score, -np.inf)\n"
                "        return tf.nn.softmax(score) @ memory\n"
            ),
        },
    ),
)


def _with_any_maximum(score, mask):
    exponential = np.exp(score - score.max(axis=-1, keepdims=True)) * mask
    total = exponential.sum(axis=-1, keepdims=True)
    return exponential / np.where(total == 0, 1, total)
