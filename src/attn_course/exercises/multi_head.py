"""Exercises of chapter 6."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)


def _split_cases(rng):
    def draw(B, T, H, K):
        return rng.normal(size=(B, T, H * K)), H

    def heads(x, H):
        return draw(3, 5, H + 1, 7)

    return fixed_cases(rng, draw, 4, long=(1,), heads=heads)


def split_heads(x, num_heads):
    B, T, width = x.shape
    return x.reshape(B, T, num_heads, width // num_heads).swapaxes(1, 2)


def _cut(x, num_heads, order, axes):
    """x in pieces of (B, T, *order), the axes then in that order."""
    B, T, width = x.shape
    sizes = {"H": num_heads, "K": width // num_heads}
    return x.reshape(B, T, *(sizes[letter] for letter in order)).transpose(axes)


def _two_cases(rng):
    def draw(T, K, D):
        weights = rng.normal(size=(3, D, 2 * K)) / np.sqrt(D)
        return rng.normal(size=(T, D)), *weights, rng.normal(size=(2 * K, D))

    def square(T, K):
        return draw(T, K, 2 * K)

    def large(x, *weights):
        return 60 * x, *weights

    cases = fixed_cases(rng, draw, 3, long=(0,), large=large)
    return [Case("as many columns as the model is wide", square(4, 2)), *cases]


def two_heads(x, query_weight, key_weight, value_weight, output_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    width, answers = query.shape[1] // 2, []
    for head in (0, 1):
        own = slice(head * width, (head + 1) * width)
        score = query[:, own] @ key[:, own].T / np.sqrt(width)
        answers.append(softmax(score) @ value[:, own])
    return np.concatenate(answers, axis=1) @ output_weight


def _additive_cases(rng):
    def draw(H, T, S, K, V):
        sizes = (H, T, K), (H, S, K), (H, S, V), (H, K)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value, score_weight):
        return (
            query,
            key,
            value,
            900 * (1 + np.abs(score_weight)) * np.sign(score_weight),
        )

    def heads(query, key, value, score_weight):
        return draw(len(query) + 1, 5, 3, 2, 7)

    return fixed_cases(rng, draw, 5, equal=3, long=(2,), large=large, heads=heads)


def additive_heads(query, key, value, score_weight):
    hidden = np.tanh(query[:, :, None] + key[:, None])  # (H, T, S, K)
    score = (hidden * score_weight[:, None, None]).sum(axis=-1)
    return softmax(score) @ value


def _count_cases(rng):
    cases = [
        Case("another number of heads", (heads * int(size), heads, bool(bias)))
        for heads, size, bias in (
            (2, rng.integers(2, 9), 0),
            (3, rng.integers(2, 9), 1),
        )
    ]
    cases.append(Case("one head", (7, 1, True)))
    cases.append(Case("heads of width 1", (5, 5, False)))
    return [*cases, Case("width 768", (768, 12, True))]


def parameters(model_dim, num_heads, use_bias):
    return 4 * model_dim * (model_dim + use_bias)


def _layer_cases(rng):
    def draw(B, T, H, K):
        D = H * K
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        names = "query_weight", "key_weight", "value_weight", "output_weight"
        weights = {
            name: (rng.normal(size=(D, D)) / np.sqrt(D)).astype(np.float32)
            for name in names
        }
        return (D, H), (x,), weights

    def large(sizes, inputs, weights):
        query = 500 * weights["query_weight"]
        return sizes, inputs, {**weights, "query_weight": query}

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 3, 5)),
        Case("an axis of size 1", draw(1, 5, 2, 3)),
        Case("one head", draw(2, 5, 1, 3)),
        Case("heads of width 1", draw(2, 3, 5, 1)),
        Case("scores of several hundred", large(*draw(2, 5, 2, 3)), 100.0),
    ]


def layer(x, query_weight, key_weight, value_weight, output_weight, sizes):
    B, T, D = x.shape
    H = sizes[1]
    maps = (query_weight, key_weight, value_weight)
    query, key, value = ((x @ w).reshape(B, T, H, -1).swapaxes(1, 2) for w in maps)
    score = query @ key.swapaxes(2, 3) / np.sqrt(D // H)
    context = softmax(score) @ value
    return context.swapaxes(1, 2).reshape(B, T, D) @ output_weight


EXERCISES = (
    Exercise(
        name="06.split_heads",
        level=1,
        minutes=10,
        before="reshape, swapaxes",
        statement=(
            "Write `split_heads(x, num_heads)`: x (B, T, H * K), num_heads a number; "
            "output (B, H, T, K). Head h gets the h-th block of K columns. NumPy, or "
            'PyTorch or TensorFlow with framework="torch" or "tf".'
        ),
        cases=_split_cases,
        solution=split_heads,
        mistakes={
            "the heads are interleaved: head h should get the h-th block of columns": (
                lambda x, heads: _cut(x, heads, "KH", (0, 3, 1, 2))
            ),
            "positions and heads are mixed: reshape first, then move the axes": (
                lambda x, heads: x.reshape(
                    len(x), heads, x.shape[1], x.shape[2] // heads
                )
            ),
            "the heads stand behind the positions; they should come before": (
                ".swapaxes(1, 2)",
                "",
            ),
            "each head is transposed: positions come before its columns": (
                lambda x, heads: _cut(x, heads, "HK", (0, 2, 3, 1))
            ),
            "the heads come before the batch": (
                lambda x, heads: _cut(x, heads, "HK", (2, 0, 1, 3))
            ),
            "H and K are exchanged: there are num_heads blocks": (
                "num_heads, width // num_heads",
                "width // num_heads, num_heads",
            ),
            "the heads are joined with the batch; they have an axis of their own": (
                ".swapaxes(1, 2)",
                ".swapaxes(1, 2).reshape(B * num_heads, T, -1)",
            ),
            "every head gets the same block": (
                lambda x, heads: np.repeat(split_heads(x, heads)[:, :1], heads, axis=1)
            ),
            "the heads come in reverse order": (
                ".swapaxes(1, 2)",
                ".swapaxes(1, 2)[:, ::-1]",
            ),
            "every head gets all columns": (
                lambda x, heads: np.repeat(x[:, None], heads, axis=1)
            ),
            "positions and columns are exchanged": ("swapaxes(1, 2)", "swapaxes(1, 3)"),
        },
        hints=(
            "Cut the last axis in two, heads and columns; then move the heads forward.",
            "A reshape never moves numbers past each other: (B, T, H * K) becomes "
            "(B, T, H, K) first.",
            "x.reshape(B, T, num_heads, -1).swapaxes(1, 2)",
        ),
        starters={
            "numpy": (
                "def split_heads(x, num_heads):\n"
                "    ...  # (B, T, H * K), a number; return (B, H, T, K)\n"
            ),
        },
    ),
    Exercise(
        name="06.two_heads",
        level=2,
        minutes=20,
        kind="bug",
        before="05.self_attention, 06.split_heads",
        statement=(
            "Find the bugs; there are two. Two heads for one sequence: x (T, D), "
            "query_weight, key_weight and value_weight (D, 2 K), output_weight "
            "(2 K, D); "
            "output (T, D). `softmax(score)` is given."
        ),
        cases=_two_cases,
        solution=two_heads,
        mistakes={
            **OVERFLOW,
            "the scale is the root of a head's own width": (
                "np.sqrt(width)",
                "np.sqrt(x.shape[1])",
            ),
            "the scale is the root of a head's own width, not of both together": (
                "np.sqrt(width)",
                "np.sqrt(2 * width)",
            ),
            "answers are joined side by side, not added": (
                "np.concatenate(answers, axis=1) @ output_weight",
                "sum(answers) @ output_weight[:width]",
            ),
            "answers are joined side by side, not averaged": (
                "np.concatenate(answers, axis=1) @ output_weight",
                "sum(answers) / 2 @ output_weight[:width]",
            ),
            "the output matrix is missing": (" @ output_weight", ""),
            "the heads are interleaved; they are blocks of columns": (
                "slice(head * width, (head + 1) * width)",
                "slice(head, None, 2)",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "the scale is missing": (" / np.sqrt(width)", ""),
            "the scale is the root of the width, not the width": (
                "np.sqrt(width)",
                "width",
            ),
            "the second head comes first": ("in (0, 1)", "in (1, 0)"),
            "both heads get the first block": ("(0, 1)", "(0, 0)"),
            "the average runs over the queries": (
                "softmax(score) @",
                "softmax(score).T @",
            ),
            "queries and keys are exchanged": (
                "query[:, own] @ key[:, own].T",
                "key[:, own] @ query[:, own].T",
            ),
            "the output matrix is transposed": ("@ output_weight", "@ output_weight.T"),
            "one head has both blocks; there should be two": (
                "for head in (0, 1):\n"
                "        own = slice(head * width, (head + 1) * width)",
                "for head in (0,):\n        own = slice(0, 2 * width)",
            ),
        },
        hints=(
            "Each head is a whole attention of its own, narrower. What has its width?",
            "Look at the number under the root, and at what becomes of `answers`.",
            "np.sqrt(width), and np.concatenate(answers, axis=1) @ output_weight.",
        ),
        starters={
            "numpy": (
                "def two_heads(x, query_weight, key_weight, value_weight, "
                "output_weight):\n"
                "    query, key, value = x @ query_weight, x @ key_weight, x @ "
                "value_weight\n"
                "    width, answers = query.shape[1] // 2, []\n"
                "    for head in (0, 1):\n"
                "        own = slice(head * width, (head + 1) * width)\n"
                "        score = query[:, own] @ key[:, own].T / np.sqrt(x.shape[1])\n"
                "        answers.append(softmax(score) @ value[:, own])\n"
                "    return sum(answers) @ output_weight[:width]\n"
            ),
        },
    ),
    Exercise(
        name="06.additive_heads",
        level=2,
        minutes=15,
        before="02.additive_score",
        statement=(
            "Nothing says that a head must use the dot product. Write heads with "
            "additive scores, v tanh(q + k): `additive_heads(query, key, value, "
            "score_weight)`, query (H, T, K), key (H, S, K), value (H, S, V), "
            "score_weight (H, K), one v per head; output (H, T, V). Scores may "
            "be of any "
            "size. `softmax(score)` is given."
        ),
        cases=_additive_cases,
        solution=additive_heads,
        mistakes={
            **OVERFLOW,
            "the tanh is missing": ("np.tanh(", "("),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=1)",
            ),
            "the softmax runs over the heads": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "the scores are divided by the root of K; additive scores are not": (
                ".sum(axis=-1)\n",
                ".sum(axis=-1) / np.sqrt(query.shape[2])\n",
            ),
            "query and key are multiplied; they should be added": (
                "None] + key",
                "None] * key",
            ),
            "query and key are subtracted; they should be added": (
                "None] + key",
                "None] - key",
            ),
            "every head uses the first head's score weight": (
                "score_weight[:, None, None]",
                "score_weight[0]",
            ),
            "the score weight is not used": (
                " * score_weight[:, None, None]",
                "",
            ),
            "the tanh stands outside the sum": (
                lambda q, k, v, w: (
                    softmax(
                        np.tanh(
                            ((q[:, :, None] + k[:, None]) * w[:, None, None]).sum(-1)
                        )
                    )
                    @ v
                )
            ),
            "the mean over the width was taken; it is a sum": (
                ".sum(axis=-1)",
                ".mean(axis=-1)",
            ),
            "there is no softmax": ("softmax(score)", "score"),
            "each part has a tanh of its own; the sum should have one": (
                "np.tanh(query[:, :, None] + key[:, None])",
                "np.tanh(query)[:, :, None] + np.tanh(key)[:, None]",
            ),
            "these are the weights; the average of the values is missing": (
                " @ value",
                "",
            ),
            "a ReLU stands in place of the tanh": ("np.tanh(", "np.maximum(0, "),
            "that is the dot product's score": (
                lambda query, key, value, score_weight: (
                    softmax(query @ key.swapaxes(1, 2) / np.sqrt(query.shape[2]))
                    @ value
                )
            ),
            "there is a tanh too much: the score itself has none": (
                "score = (hidden * score_weight[:, None, None]).sum(axis=-1)",
                "score = np.tanh((hidden * score_weight[:, None, None]).sum(axis=-1))",
            ),
        },
        hints=(
            "One hidden vector per head and pair: (H, T, S, K).",
            "Give the query an axis for keys and the key one for queries; weigh with "
            "score_weight[:, None, None] and sum over K.",
            "score = (np.tanh(query[:, :, None] + key[:, None]) * "
            "score_weight[:, None, None]).sum(axis=-1)",
        ),
        starters={
            "numpy": (
                "def additive_heads(query, key, value, score_weight):\n"
                "    ...  # (H, T, K), (H, S, K), (H, S, V), (H, K); return (H, T, V)\n"
            ),
        },
    ),
    Exercise(
        name="06.parameters",
        level=1,
        minutes=5,
        kind="predict",
        before="06.two_heads",
        statement=(
            "Predict, then measure. A multi-head layer of width 512 without "
            "biases has 8 "
            "heads. How many parameters does it have with 16 heads? Enter your guess, "
            "then write `parameters(model_dim, num_heads, use_bias)`: the "
            "parameters of "
            "its four maps, heads of width model_dim / num_heads, use_bias "
            "True or False."
        ),
        cases=_count_cases,
        solution=parameters,
        ask=(512, 16, False),
        mistakes={
            "the heads share the width: their number doesn't matter": (
                "4 * ",
                "4 * num_heads * ",
            ),
            "each head was given the whole width for three maps": (
                "4 * model_dim * (model_dim + use_bias)",
                "(3 * num_heads + 1) * model_dim * (model_dim + use_bias)",
            ),
            "the output map is missing: there are four": ("4 * ", "3 * "),
            "the biases are missing": (" + use_bias", ""),
            "the biases are counted though use_bias is False": ("+ use_bias)", "+ 1)"),
            "one bias is one number per column, model_dim of them": (
                "4 * model_dim * (model_dim + use_bias)",
                "4 * model_dim * model_dim + 4 * use_bias",
            ),
            "one map has model_dim biases; four have four times as many": (
                "4 * model_dim * (model_dim + use_bias)",
                "4 * model_dim * model_dim + model_dim * use_bias",
            ),
            "the maps are divided by the heads' number; together they are full": (
                "4 * model_dim * (model_dim + use_bias)",
                "4 * model_dim * (model_dim + use_bias) // num_heads",
            ),
            "only the output map has a bias here; all four have": (
                "4 * model_dim * (model_dim + use_bias)",
                "3 * model_dim * model_dim + model_dim * (model_dim + 2 * use_bias)",
            ),
            "all maps together have one bias; each has model_dim": (
                "4 * model_dim * (model_dim + use_bias)",
                "4 * model_dim * model_dim + use_bias",
            ),
            "each map has its biases once, not four times": (
                "(model_dim + use_bias)",
                "(model_dim + 4 * use_bias)",
            ),
            "the biases don't depend on the number of heads": (
                "(model_dim + use_bias)",
                "(model_dim + num_heads * use_bias)",
            ),
            "the width is a constant; it is handed over": (
                "(model_dim + use_bias)",
                "(512 + use_bias)",
            ),
            "queries and keys alone have heads of this width; all four maps are full": (
                "4 * model_dim * (model_dim + use_bias)",
                "4 * model_dim * model_dim // num_heads * (num_heads // 2 + 1)",
            ),
        },
        hints=(
            "H heads of width D / H: how wide are they together?",
            "query, key, value and output are each a (D, D) matrix, whatever H is.",
            "4 * D * D, and 4 * D more where there are biases.",
        ),
        starters={
            "numpy": (
                "prediction = ...  # width 512, 16 heads, no biases\n\n"
                "def parameters(model_dim, num_heads, use_bias):\n"
                "    ...  # two numbers and a bool; return a number\n"
            ),
        },
    ),
    Exercise(
        name="06.layer",
        level=3,
        minutes=25,
        kind="module",
        before="05.layer, 06.split_heads",
        statement=(
            "Write multi-head self-attention as a layer, `Heads(model_dim, "
            "num_heads)`, "
            "called with x (B, T, D); it returns (B, T, D). Trainable parameters, each "
            "(D, D), without biases: query_weight, key_weight, value_weight, "
            "output_weight. Head h has the h-th block of columns. The "
            "gradients are checked "
            "too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the scale is the root of a head's own width, D / H": (
                "np.sqrt(D // H)",
                "np.sqrt(D)",
            ),
            "the scale is missing": (" / np.sqrt(D // H)", ""),
            "the output matrix is missing": (" @ output_weight", ""),
            "the heads are joined without moving them behind the positions": (
                "context.swapaxes(1, 2).reshape",
                "context.reshape",
            ),
            "positions and heads are mixed: reshape first, then move the axes": (
                "reshape(B, T, H, -1).swapaxes(1, 2)",
                "reshape(B, H, T, -1)",
            ),
            "the heads are interleaved; they are blocks of columns": (
                "reshape(B, T, H, -1).swapaxes(1, 2)",
                "reshape(B, T, -1, H).transpose(0, 3, 1, 2)",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=2)",
            ),
            "the softmax runs over the heads": (
                "softmax(score)",
                "softmax(score, axis=1)",
            ),
            "there is one head": ("H = sizes[1]", "H = 1"),
            **OVERFLOW,
        },
        hints=(
            "Project, split the heads, attend, merge the heads, project.",
            "Merging is splitting backwards: move the heads behind the positions, then "
            "join the last two axes.",
            "context (B, H, T, K), its axes 1 and 2 exchanged, reshaped to (B, T, D), "
            "@ output_weight",
        ),
        starters={
            "torch": (
                "class Heads(torch.nn.Module):\n"
                "    def __init__(self, model_dim, num_heads):\n"
                "        super().__init__()\n"
                "        ...  # four torch.nn.Parameter\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
            "tf": (
                "class Heads(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, num_heads):\n"
                "        super().__init__()\n"
                "        ...  # four times self.add_weight\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Heads(torch.nn.Module):\n"
                "    def __init__(self, model_dim, num_heads):\n"
                "        super().__init__()\n"
                "        new = lambda: torch.nn.Parameter(\n"
                "            torch.randn(model_dim, model_dim) / 4)\n"
                "        self.query_weight, self.key_weight = new(), new()\n"
                "        self.value_weight, self.output_weight = new(), new()\n"
                "        self.num_heads = num_heads\n\n"
                "    def forward(self, x):\n"
                "        H = self.num_heads\n"
                "        split = lambda y: y.unflatten(-1, (H, -1)).transpose(1, 2)\n"
                "        query = split(x @ self.query_weight)\n"
                "        key = split(x @ self.key_weight)\n"
                "        value = split(x @ self.value_weight)\n"
                "        score = query @ key.mT / key.shape[-1] ** 0.5\n"
                "        context = torch.softmax(score, dim=-1) @ value\n"
                "        return context.transpose(1, 2).flatten(2) @ "
                "self.output_weight\n"
            ),
            "tf": (
                "class Heads(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, num_heads):\n"
                "        super().__init__()\n"
                "        new = lambda: self.add_weight((model_dim, model_dim))\n"
                "        self.query_weight, self.key_weight = new(), new()\n"
                "        self.value_weight, self.output_weight = new(), new()\n"
                "        self.num_heads = num_heads\n\n"
                "    def split(self, y):\n"
                "        B, T, D = y.shape\n"
                "        y = tf.reshape(y, (B, T, self.num_heads, D // "
                "self.num_heads))\n"
                "        return tf.transpose(y, (0, 2, 1, 3))\n\n"
                "    def call(self, x):\n"
                "        query = self.split(x @ self.query_weight)\n"
                "        key = self.split(x @ self.key_weight)\n"
                "        value = self.split(x @ self.value_weight)\n"
                "        score = tf.matmul(query, key, transpose_b=True)\n"
                "        weights = tf.nn.softmax(score / key.shape[-1] ** 0.5)\n"
                "        context = tf.transpose(weights @ value, (0, 2, 1, 3))\n"
                "        return tf.reshape(context, x.shape) @ self.output_weight\n"
            ),
        },
    ),
)
