"""Exercises of chapter 9."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)


def _embed_cases(rng):
    def draw(T, D):
        return rng.normal(size=(T, D)), rng.normal(size=(T, D))

    return fixed_cases(rng, draw, 2)


def embed(vectors, waves):
    return vectors * np.sqrt(vectors.shape[1]) + waves


def _smoothed_cases(rng):
    def draw(T, N):
        logits = 2 * rng.normal(size=(T, N))
        right = np.eye(N)[rng.integers(N, size=T)]
        chance = np.log(softmax(logits))
        return chance, right, float(rng.uniform(0.1, 0.4))

    return fixed_cases(rng, draw, 2)


def smoothed_loss(log_chance, right, smoothing):
    share = (1 - smoothing) * right + smoothing / right.shape[1]
    return -(share * log_chance).sum(axis=1)


def _across_cases(rng):
    def draw(T, S, D, K, V):
        sizes = (T, D), (S, D), (D, K), (D, K), (D, V)
        x, memory, *weights = (rng.normal(size=size) for size in sizes)
        return x, memory, *(weight / np.sqrt(D) for weight in weights)

    def large(x, memory, *weights):
        return 60 * x, 60 * memory, *weights

    return fixed_cases(rng, draw, 5, long=(1,), large=large)


def look_across(x, memory, query_weight, key_weight, value_weight):
    query, key = x @ query_weight, memory @ key_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    return softmax(score) @ (memory @ value_weight)


def _count_cases(rng):
    sizes = [(int(D), int(F)) for D, F in rng.integers(2, 99, size=(4, 2))]
    cases = [Case("other sizes", size) for size in sizes]
    return [*cases, Case("width 1", (1, 3)), Case("width 1024", (1024, 4096))]


def decoder_parameters(model_dim, ff_dim):
    attention = 4 * model_dim * (model_dim + 1)
    network = 2 * model_dim * ff_dim + ff_dim + model_dim
    return 2 * attention + network + 6 * model_dim


def _layer_cases(rng):
    def draw(B, T, S, D, size=1.0):
        x, memory = rng.normal(size=(B, T, D)), size * rng.normal(size=(B, S, D))
        names = ("query_weight", "key_weight", "value_weight")
        drawn = {name: rng.normal(size=(D, D)) / np.sqrt(D) for name in names}
        inputs = tuple(each.astype(np.float32) for each in (x, memory))
        return (D,), inputs, {k: w.astype(np.float32) for k, w in drawn.items()}

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 5, 3, 7)),
        Case("a memory of size 3", draw(2, 3, 5, 7, size=3.0)),
        Case("an axis of size 1", draw(1, 3, 1, 5)),
        Case("one word is written", draw(2, 1, 5, 3)),
    ]


def across(x, memory, query_weight, key_weight, value_weight):
    query, key = x @ query_weight, memory @ key_weight
    score = query @ np.swapaxes(key, 1, 2) / np.sqrt(query.shape[2])
    return x + softmax(score) @ (memory @ value_weight)


EXERCISES = (
    Exercise(
        name="09.embed",
        level=1,
        minutes=5,
        before="07.rotate",
        statement=(
            "Write `embed(vectors, waves)`: vectors (T, D), the rows of the table for "
            "T tokens; waves (T, D), the sinusoids of their positions; output (T, D), "
            "what enters the first layer."
        ),
        cases=_embed_cases,
        solution=embed,
        mistakes={
            "the vectors are not scaled": (" * np.sqrt(vectors.shape[1])", ""),
            "the scale is the root of the width, not the width": (
                "np.sqrt(vectors.shape[1])",
                "vectors.shape[1]",
            ),
            "the vectors are multiplied by the root, not divided": (
                "vectors * np",
                "vectors / np",
            ),
            "the width is the last axis; the root is of the number of tokens": (
                "shape[1]",
                "shape[0]",
            ),
            "the positions are missing": (" + waves", ""),
            "the sinusoids are not scaled": (
                "vectors * np.sqrt(vectors.shape[1]) + waves",
                "(vectors + waves) * np.sqrt(vectors.shape[1])",
            ),
            "the sinusoids are subtracted; they should be added": (
                "+ waves",
                "- waves",
            ),
            "the sinusoids are multiplied; they should be added": (
                "+ waves",
                "* waves",
            ),
            "every position gets the first one's sinusoids": ("+ waves", "+ waves[0]"),
            "they are joined side by side; they should be added": (
                lambda vectors, waves: np.concatenate(
                    [vectors * np.sqrt(vectors.shape[1]), waves], 1
                )
            ),
            "the width is a constant; it is that of the vectors": (
                "np.sqrt(vectors.shape[1])",
                "np.sqrt(512)",
            ),
        },
        hints=(
            "Section 3.4 of the paper: the vectors of the table are multiplied by a "
            "number. Section 3.5 adds the positions.",
            "The number is the square root of the model's width, D.",
            "vectors * np.sqrt(vectors.shape[1]) + waves",
        ),
        starters={
            "numpy": (
                "def embed(vectors, waves):\n    ...  # (T, D) each; return (T, D)\n"
            ),
        },
    ),
    Exercise(
        name="09.smoothed_loss",
        level=2,
        minutes=10,
        before="01.decoder_input",
        statement=(
            "Write `smoothed_loss(log_chance, right, smoothing)`: log_chance (T, N), "
            "the log-probabilities of N tokens; right (T, N), 1 at the right token and "
            "0 elsewhere; smoothing, the share that is spread over all N tokens; "
            "output (T), the loss of every position."
        ),
        cases=_smoothed_cases,
        solution=smoothed_loss,
        mistakes={
            "the sign: a loss is positive": ("-(share", "(share"),
            "the share is spread over all N tokens, the right one among them": (
                "smoothing / right.shape[1]",
                "smoothing / max(right.shape[1] - 1, 1) * (1 - right)",
            ),
            "nothing is spread": (" + smoothing / right.shape[1]", ""),
            "the right token keeps all of its share: rows should sum to 1": (
                "(1 - smoothing) * right",
                "right",
            ),
            "what is spread is divided by the number of tokens, N": (
                "smoothing / right.shape[1]",
                "smoothing",
            ),
            "N is the number of tokens, not of positions": ("shape[1]", "shape[0]"),
            "the sum runs over the positions": ("axis=1", "axis=0"),
            "the loss of a position is a sum over the tokens, not a mean": (
                ".sum(axis=1)",
                ".mean(axis=1)",
            ),
            "nothing is smoothed": (
                "share * log_chance",
                "right * log_chance",
            ),
            "it is one number per position; this is their sum": (
                ".sum(axis=1)",
                ".sum()",
            ),
            "it is one number per position; this is their mean": (
                ".sum(axis=1)",
                ".sum(axis=1).mean()",
            ),
            "the chances are weighted; it is their logarithms": (
                "share * log_chance",
                "share * np.exp(log_chance)",
            ),
            "the logarithm is taken a second time": (
                "share * log_chance",
                "share * np.log(log_chance)",
            ),
            "an axis of size 1 is left over": (
                ".sum(axis=1)",
                ".sum(axis=1, keepdims=True)",
            ),
            "the right token keeps 1 - smoothing": (
                "(1 - smoothing) * right",
                "smoothing * right",
            ),
            "what is spread goes to the other tokens alone": (
                "smoothing / right.shape[1]",
                "(1 - right) * smoothing / (right.shape[1] - 1)",
            ),
            "the right token's share is a constant; smoothing is handed over": (
                "(1 - smoothing)",
                "0.9",
            ),
            "smoothing is a constant; it is handed over": ("+ smoothing", "+ 0.1"),
            "what is spread is divided by N - 1; it goes to all N": (
                "smoothing / right.shape[1]",
                "smoothing / (right.shape[1] - 1)",
            ),
        },
        hints=(
            "First the shares: what the model should say of each token. They sum to 1.",
            "(1 - smoothing) for the right token, and smoothing / N for every token.",
            "-(share * log_chance).sum(axis=1)",
        ),
        starters={
            "numpy": (
                "def smoothed_loss(log_chance, right, smoothing):\n"
                "    ...  # (T, N), (T, N), a number; return (T)\n"
            ),
        },
    ),
    Exercise(
        name="09.look_across",
        level=2,
        minutes=10,
        kind="bug",
        before="05.self_attention",
        statement=(
            "Find the bug. Cross-attention with one head: x (T, D), what is written; "
            "memory (S, D), the encoder's output; query_weight and key_weight (D, K), "
            "value_weight (D, V); output (T, V). `softmax(score)` is given."
        ),
        cases=_across_cases,
        solution=look_across,
        mistakes={
            **OVERFLOW,
            "the source asks and what is written answers; it is the other way around": (
                ("x @ query_weight, memory @", "memory @ query_weight, x @"),
                ("(memory @ value_weight)", "(x @ value_weight)"),
            ),
            "the keys are of what is written; they should be of the memory": (
                ("memory @ key_weight", "x @ key_weight"),
                ("(memory @ value_weight)", "(x @ value_weight)"),
            ),
            "the queries are of the memory; they should be of what is written": (
                "x @ query_weight",
                "memory @ query_weight",
            ),
            "the scale is missing": (" / np.sqrt(key.shape[1])", ""),
            "the scale is the root of the width, not the width": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the scale is the root of the keys' width, not of the model's": (
                "key.shape[1]",
                "x.shape[1]",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "x is added; that is the way around, which comes later": (
                "return softmax(score) @ (memory @ value_weight)",
                "return x + softmax(score) @ (memory @ value_weight)",
            ),
            "the memory itself is averaged, not its values": (
                "(memory @ value_weight)",
                "memory",
            ),
            "the values are of what is written; they should be of the memory": (
                "memory @ value_weight",
                "x @ value_weight",
            ),
            "the scores are not turned into weights": ("softmax(score)", "score"),
            "it is causal; a decoder sees all of the source": (
                "softmax(score)",
                "softmax(np.where(np.tri(*score.shape) > 0, score, -np.inf))",
            ),
            "queries and keys are exchanged in the product": (
                "query @ key.T",
                "key @ query.T",
            ),
            "query_weight and key_weight are exchanged": (
                "x @ query_weight, memory @ key_weight",
                "x @ key_weight, memory @ query_weight",
            ),
            "the root is that of the value's width": (
                "np.sqrt(key.shape[1])",
                "np.sqrt(value_weight.shape[1])",
            ),
        },
        hints=(
            "Who asks, and who is asked? The output has a row for every written word.",
            "Queries come from x; keys and values come from the memory.",
            "query, key = x @ query_weight, memory @ key_weight; the values likewise.",
        ),
        starters={
            "numpy": (
                "def look_across(x, memory, query_weight, key_weight, value_weight):\n"
                "    query, key = memory @ query_weight, x @ key_weight\n"
                "    score = query @ key.T / np.sqrt(key.shape[1])\n"
                "    return softmax(score) @ (x @ value_weight)\n"
            ),
        },
    ),
    Exercise(
        name="09.decoder_parameters",
        level=1,
        minutes=10,
        kind="predict",
        before="08.parameters",
        statement=(
            "Predict, then measure. A decoder layer has width 512 and an inner width "
            "of 2,048, biases in all its maps, and a layer norm with scale and bias "
            "behind each of its parts. How many parameters has it? Enter your guess, "
            "then write `decoder_parameters(model_dim, ff_dim)`."
        ),
        cases=_count_cases,
        solution=decoder_parameters,
        ask=(512, 2048),
        mistakes={
            "there are two attentions: to itself and across": (
                "2 * attention",
                "attention",
            ),
            "there are three norms, each with a scale and a bias": (
                "6 * model_dim",
                "4 * model_dim",
            ),
            "each of the three norms has a scale and a bias": (
                "6 * model_dim",
                "3 * model_dim",
            ),
            "the norms are missing": (" + 6 * model_dim", ""),
            "attention's biases are missing": ("(model_dim + 1)", "model_dim"),
            "the network's biases are missing": (" + ff_dim + model_dim", ""),
            "the network has two maps": (
                "2 * model_dim * ff_dim",
                "model_dim * ff_dim",
            ),
            "attention has four maps": ("attention = 4 *", "attention = 3 *"),
            "the network's second bias is missing": (
                "+ ff_dim + model_dim",
                "+ ff_dim",
            ),
            "the network's first bias is missing": (
                "+ ff_dim + model_dim",
                "+ model_dim",
            ),
            "there is one network, not two": (
                "2 * attention + network",
                "2 * (attention + network)",
            ),
            "there are two attentions, not three": ("2 * attention", "3 * attention"),
            "the norms have 6 * model_dim numbers, not 6": (
                "network + 6 * model_dim",
                "network + 6",
            ),
            "the norms are as wide as the model, not as the inner width": (
                "network + 6 * model_dim",
                "network + 6 * ff_dim",
            ),
            "the inner width is handed over; it isn't always 4 * model_dim": (
                "model_dim * ff_dim + ff_dim",
                "model_dim * 4 * model_dim + 4 * model_dim",
            ),
            "the network's second map is missing": (
                "2 * model_dim * ff_dim + ff_dim + model_dim",
                "model_dim * ff_dim + ff_dim",
            ),
        },
        hints=(
            "An encoder layer has one attention, a network and two norms.",
            "A decoder layer has a second attention, to the memory, and a third norm.",
            "2 * 4 * D * (D + 1), 2 * D * F + F + D, and 6 * D for the norms.",
        ),
        starters={
            "numpy": (
                "prediction = ...  # width 512, inner width 2,048\n\n"
                "def decoder_parameters(model_dim, ff_dim):\n"
                "    ...  # two numbers; return a number\n"
            ),
        },
    ),
    Exercise(
        name="09.across",
        level=3,
        minutes=20,
        kind="module",
        before="09.look_across",
        statement=(
            "Write cross-attention with one head and its residual connection, "
            "`Across(model_dim)`, called with x (B, T, D) and memory (B, S, D); it "
            "returns (B, T, D). Trainable parameters: query_weight, key_weight and "
            "value_weight, each (D, D). The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=across,
        mistakes={
            "the residual connection is missing: x is added at the end": (
                "x + softmax",
                "softmax",
            ),
            "the scale is missing": (" / np.sqrt(query.shape[2])", ""),
            "the scale is the root of the width, not the width": (
                "np.sqrt(query.shape[2])",
                "query.shape[2]",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=1)",
            ),
            "the values are of the memory without their map": (
                "(memory @ value_weight)",
                "memory",
            ),
            "the keys go without their map": ("memory @ key_weight", "memory"),
            "the queries go without their map": ("x @ query_weight", "x"),
        },
        hints=(
            "Queries come from x; keys and values come from the memory.",
            "Scores are (B, T, S), divided by the root of the width D.",
            "x + softmax(q @ k^T / sqrt(D)) @ (memory @ value_weight)",
        ),
        starters={
            "torch": (
                "class Across(torch.nn.Module):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # three (D, D): torch.nn.Parameter\n"
                "\n"
                "    def forward(self, x, memory):\n"
                "        ...  # (B, T, D), (B, S, D); return (B, T, D)\n"
            ),
            "tf": (
                "class Across(keras.layers.Layer):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        ...  # three (D, D): self.add_weight\n"
                "\n"
                "    def call(self, x, memory):\n"
                "        ...  # (B, T, D), (B, S, D); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Across(torch.nn.Module):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                '        for name in ("query", "key", "value"):\n'
                "            start = torch.randn(model_dim, model_dim) / 4\n"
                "            own = torch.nn.Parameter(start)\n"
                '            setattr(self, name + "_weight", own)\n'
                "\n"
                "    def forward(self, x, memory):\n"
                "        query, key = x @ self.query_weight, memory @ self.key_weight\n"
                "        score = query @ key.mT / query.shape[-1] ** 0.5\n"
                "        weights = torch.softmax(score, dim=-1)\n"
                "        return x + weights @ (memory @ self.value_weight)\n"
            ),
            "tf": (
                "class Across(keras.layers.Layer):\n"
                "    def __init__(self, model_dim):\n"
                "        super().__init__()\n"
                "        shape = (model_dim, model_dim)\n"
                "        self.query_weight = self.add_weight(shape)\n"
                "        self.key_weight = self.add_weight(shape)\n"
                "        self.value_weight = self.add_weight(shape)\n"
                "\n"
                "    def call(self, x, memory):\n"
                "        query, key = x @ self.query_weight, memory @ self.key_weight\n"
                "        score = tf.matmul(query, key, transpose_b=True)\n"
                "        weights = tf.nn.softmax(score / query.shape[-1] ** 0.5)\n"
                "        return x + weights @ (memory @ self.value_weight)\n"
            ),
        },
    ),
)
