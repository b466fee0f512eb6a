"""Exercises of chapter 5."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)


def _word_cases(rng):
    def draw(T, D, K, V):
        sizes = (T, D), (D, K), (D, K), (D, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(x, query_weight, key_weight, value_weight):
        return 60 * x, query_weight, key_weight, value_weight / 60

    return fixed_cases(rng, draw, 4, long=(0,), large=large)


def self_attention(x, query_weight, key_weight, value_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    return softmax(score) @ value


def _image_cases(rng):
    def draw(C, H, W, K):
        sizes = (C, H, W), (C, K), (C, K), (C, C)
        return *(rng.normal(size=size) for size in sizes), float(rng.uniform(0.1, 2))

    def large(image, query_weight, key_weight, value_weight, gate):
        return 60 * image, query_weight, key_weight, value_weight, gate

    cases = fixed_cases(rng, draw, 4, equal=None, long=(), large=large)
    # As many channels as pixels, so that a wrong reshape still runs.
    cases.insert(0, Case("as many channels as pixels", draw(6, 2, 3, 4)))
    cases.append(Case("100 pixels", draw(3, 4, 25, 2)))
    return [*cases, Case("a gate of 0", (*draw(2, 3, 5, 7)[:4], 0.0))]


def over_image(image, query_weight, key_weight, value_weight, gate):
    channels, height, width = image.shape
    tokens = image.reshape(channels, height * width).T
    query, key = tokens @ query_weight, tokens @ key_weight
    value, score = tokens @ value_weight, query @ key.T / np.sqrt(key.shape[1])
    return image + gate * (softmax(score) @ value).T.reshape(image.shape)


def _patch_cases(rng):
    def draw(C, rows, columns, size):
        shape = C, rows * size, columns * size
        return rng.normal(size=shape), size

    cases = fixed_cases(rng, draw, 4, equal=3, long=())
    return [
        *cases,
        Case("one patch", draw(3, 1, 1, 5)),
        Case("one pixel", draw(1, 2, 3, 1)),
    ]


def patches(image, size):
    C, H, W = image.shape
    cut = image.reshape(C, H // size, size, W // size, size)
    return cut.transpose(1, 3, 0, 2, 4).reshape(-1, C * size * size)


def _memory_cases(rng):
    cases = []
    for name in ("sizes of different primes", "another number of heads"):
        for _ in range(2):
            height, width, heads = (int(n) for n in rng.permutation([3, 5, 7, 11])[:3])
            cases.append(Case(name, (height, width, heads, int(rng.choice([2, 4, 8])))))
    cases += [
        Case("an axis of size 1", (1, 7, 3, 4)),
        Case("an axis of size 1", (7, 1, 3, 2)),
    ]
    return [*cases, Case("100 pixels on a side", (100, 100, 1, 4))]


def weight_bytes(height, width, heads, item):
    return (height * width) ** 2 * heads * item


def _layer_cases(rng):
    def draw(B, T, D, K, V):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        sizes = {"query_weight": (D, K), "key_weight": (D, K), "value_weight": (D, V)}
        weights = {
            name: (rng.normal(size=size) / np.sqrt(D)).astype(np.float32)
            for name, size in sizes.items()
        }
        return (D, K, V), (x,), weights

    def large(sizes, inputs, weights):
        query = 500 * weights["query_weight"]
        return sizes, inputs, {**weights, "query_weight": query}

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 3, 11)),
        Case("an axis of size 1", draw(1, 5, 3, 2, 7)),
        Case("an axis of size 1", draw(2, 5, 3, 1, 3)),
        Case("scores of several hundred", large(*draw(2, 5, 7, 3, 2)), 100.0),
    ]


def layer(x, query_weight, key_weight, value_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    return softmax(score) @ value


EXERCISES = (
    Exercise(
        name="05.self_attention",
        level=1,
        minutes=10,
        before="00.soft_lookup",
        statement=(
            "Write self-attention for one sequence, `self_attention(x, query_weight, "
            "key_weight, value_weight)`: x (T, D), weights (D, K), (D, K), (D, V); "
            "output (T, V). No mask. Scores may be of any size. "
            "`softmax(score)` is given; "
            'or use PyTorch or TensorFlow with framework="torch" or "tf".'
        ),
        cases=_word_cases,
        solution=self_attention,
        mistakes={
            **OVERFLOW,
            "the scale is missing: divide the scores by the root of K": (
                " / np.sqrt(key.shape[1])",
                "",
            ),
            "the scores are divided by K; it is the root of K": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the scores are divided by the root of D; it is the root of K": (
                "key.shape[1]",
                "x.shape[1]",
            ),
            "the scores are divided by the root of V; it is the root of K": (
                "key.shape[1]",
                "value.shape[1]",
            ),
            "the scores are divided by the root of T; it is the root of K": (
                "key.shape[1]",
                "x.shape[0]",
            ),
            "queries and keys are exchanged": (
                "query @ key.T",
                "key @ query.T",
            ),
            "the softmax runs over the queries; every query has its own": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "the average runs over the queries: the weights are transposed": (
                "softmax(score) @",
                "softmax(score).T @",
            ),
            "the words themselves are averaged; it should be their values": (
                "@ value\n",
                "@ x\n",
            ),
            "there is no softmax: the scores themselves are the weights": (
                "softmax(score)",
                "score",
            ),
            "the words themselves ask: query_weight is not used": (
                "= x @ query_weight",
                "= x @ key_weight",
            ),
            "the keys are averaged, not the values": ("@ value\n", "@ key\n"),
            "it is added to x; that is a residual connection, which comes later": (
                "softmax(score) @ value",
                "x + softmax(score) @ value",
            ),
            "it is causal; here every word sees every word": (
                "softmax(score)",
                "softmax(np.where(np.tri(len(x), dtype=bool), score, -np.inf))",
            ),
            "the query is x itself, and query_weight unused": ("x @ query_weight", "x"),
        },
        hints=(
            "Three maps of the same words, then the attention of chapter 4.",
            "query = x @ query_weight, and so on; the scale has the width of the keys.",
            "softmax(query @ key.T / np.sqrt(key.shape[1])) @ value",
        ),
        starters={
            "numpy": (
                "def self_attention(x, query_weight, key_weight, value_weight):\n"
                "    ...  # (T, D), (D, K), (D, K), (D, V); return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="05.over_image",
        level=2,
        minutes=20,
        kind="bug",
        before="05.self_attention",
        statement=(
            "Find the bugs; there are two. Attention over an image with its channels "
            "first and a residual gate: image (C, H, W), query_weight and key_weight "
            "(C, K), value_weight (C, C), gate a number; output (C, H, W). Every shape "
            "fits. `softmax(score)` is given."
        ),
        cases=_image_cases,
        solution=over_image,
        mistakes={
            **OVERFLOW,
            "the average runs over the queries": (
                "softmax(score) @",
                "softmax(score).T @",
            ),
            "reshape mixes pixels and channels, which are first": (
                "image.reshape(channels, height * width).T",
                "image.reshape(height * width, channels)",
            ),
            "the way back mixes pixels and channels: transpose before the reshape": (
                "@ value).T.reshape",
                "@ value).reshape",
            ),
            "query and key pass a ReLU; the scores should have both signs": (
                "tokens @ query_weight, tokens @ key_weight",
                "np.maximum(tokens @ query_weight, 0), np.maximum(tokens @ "
                "key_weight, 0)",
            ),
            "the image itself is not added": ("image + gate * ", ""),
            "the gate is not used": ("gate * ", ""),
            "the gate is a constant; it is handed over": ("gate * ", "0.7 * "),
            "the gate is a constant; it is handed over, and may be 0": (
                "gate * ",
                "0.0 * ",
            ),
            "the scale is missing": (" / np.sqrt(key.shape[1])", ""),
            "the scores are divided by the root of the channels; it is the root of K": (
                "key.shape[1]",
                "channels",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "the gate weighs the image too": (
                "image + gate",
                "(1 - gate) * image + gate",
            ),
            "the columns come before the rows": (
                "tokens = image.reshape(channels, height * width).T",
                "tokens = image.swapaxes(1, 2).reshape(channels, height * width).T",
            ),
            "the image itself is averaged, not its values": (
                "value, score = tokens @ value_weight,",
                "value, score = tokens,",
            ),
            "the scores are divided by K; it is the root of K": (
                "np.sqrt(key.shape[1])",
                "key.shape[1]",
            ),
            "the image is multiplied by the gate too; only the answer is": (
                "return image + gate",
                "return gate * image + gate",
            ),
        },
        hints=(
            "A token is a pixel: its channels must end up in one row.",
            "Follow one pixel through the first reshape. Then ask which axis of the "
            "weights belongs to the keys.",
            "image.reshape(channels, height * width).T, and no .T at the weights.",
        ),
        starters={
            "numpy": (
                "def over_image(image, query_weight, key_weight, value_weight, gate):\n"
                "    channels, height, width = image.shape\n"
                "    tokens = image.reshape(height * width, channels)\n"
                "    query, key = tokens @ query_weight, tokens @ key_weight\n"
                "    value, score = tokens @ value_weight, query @ key.T / "
                "np.sqrt(key.shape[1])\n"
                "    return image + gate * (softmax(score).T @ "
                "value).T.reshape(image.shape)\n"
            ),
        },
    ),
    Exercise(
        name="05.patches",
        level=2,
        minutes=15,
        before="reshape, transpose",
        statement=(
            "Write `patches(image, size)`: image (C, H, W) with sides that `size` "
            "divides; output (H / size * W / size, C * size * size). Patches "
            "row by row; "
            "inside one, channel by channel, then row by row."
        ),
        cases=_patch_cases,
        solution=patches,
        mistakes={
            "reshape alone cuts rows, not squares": (
                lambda image, size: image.reshape(-1, len(image) * size * size)
            ),
            "the patches come column by column": ("(1, 3, 0, 2, 4)", "(3, 1, 0, 2, 4)"),
            "the channels come last inside a patch": (
                "(1, 3, 0, 2, 4)",
                "(1, 3, 2, 4, 0)",
            ),
            "a patch is transposed: rows come before columns": (
                "(1, 3, 0, 2, 4)",
                "(1, 3, 0, 4, 2)",
            ),
            "the channels come before the patches": (
                "(1, 3, 0, 2, 4)",
                "(0, 1, 3, 2, 4)",
            ),
            "pixels that lie apart end up in one patch": (
                "image.reshape(C, H // size, size, W // size, size)",
                "image.reshape(C, size, H // size, size, W // size)"
                ".transpose(0, 2, 1, 4, 3)",
            ),
            "the channels stand between row and column": (
                "(1, 3, 0, 2, 4)",
                "(1, 3, 2, 0, 4)",
            ),
            "there is one token per pixel; a patch was asked for": (
                lambda image, size: image.reshape(len(image), -1).T
            ),
            "each patch keeps its axes; make one row of it": (
                ".reshape(-1, C * size * size)",
                ".reshape(-1, C, size, size)",
            ),
            "the output is transposed": (
                ".reshape(-1, C * size * size)",
                ".reshape(-1, C * size * size).T",
            ),
            "patches and the pixels inside one are exchanged": (
                "1, 3, 0, 2, 4",
                "2, 4, 0, 1, 3",
            ),
            "a row holds one channel alone": (
                ".reshape(-1, C * size * size)",
                ".reshape(-1, size * size)",
            ),
            "rows and columns of the result are exchanged by the last reshape": (
                ".reshape(-1, C * size * size)",
                ".reshape(C * size * size, -1)",
            ),
            "each patch keeps five axes; make one row of it": (
                ".reshape(-1, C * size * size)",
                "",
            ),
            "size comes second in a cut: H is cut into H / size pieces of size": (
                "C, H // size, size, W // size, size",
                "C, size, H // size, size, W // size",
            ),
        },
        hints=(
            "Cut both sides in two axes each: which patch, and where inside.",
            "image.reshape(C, H // size, size, W // size, size), then move the axes so "
            "that the two that count patches come first.",
            "transpose(1, 3, 0, 2, 4), then reshape(-1, C * size * size)",
        ),
        starters={
            "numpy": (
                "def patches(image, size):\n"
                "    ...  # (C, H, W), a number; return (patches, C * size * size)\n"
            ),
        },
    ),
    Exercise(
        name="05.weight_bytes",
        level=1,
        minutes=5,
        kind="predict",
        before="05.self_attention",
        statement=(
            "Predict, then measure. Self-attention over the pixels of an image "
            "of 64 by "
            "64, one head, float32: how many MiB do the weights take? Enter your guess "
            "in bytes (1 MiB is 2**20), then write `weight_bytes(height, width, heads, "
            "item)`, item the bytes of one number."
        ),
        cases=_memory_cases,
        solution=weight_bytes,
        ask=(64, 64, 1, 4),
        mistakes={
            "every pixel sees every pixel: the pixels' number is squared": (
                "(height * width) ** 2",
                "height * width",
            ),
            "only the height is squared": (
                "(height * width) ** 2",
                "height**2 * width",
            ),
            "the heads are missing: each has weights of its own": (" * heads", ""),
            "the bytes of a number are missing": (" * item", ""),
            "a number has 4 bytes only in float32: item is handed over": (
                "item\n",
                "4\n",
            ),
            "these are bits": ("* item", "* item * 8"),
            "the heads share the weights out; each has its own": (
                "* heads",
                "// heads",
            ),
            "the heads are squared too": (
                "(height * width) ** 2 * heads",
                "(height * width * heads) ** 2",
            ),
            "only pairs in one row are counted": (
                "(height * width) ** 2",
                "height * width**2",
            ),
            "height and width are added; an image has height times width pixels": (
                "(height * width)",
                "(height + width)",
            ),
            "height and width may differ": ("(height * width) ** 2", "height**4"),
            "a pixel sees itself too": (
                "(height * width) ** 2",
                "height * width * (height * width - 1)",
            ),
            "all pairs are stored, not half of them": (
                "(height * width) ** 2",
                "height * width * (height * width + 1) // 2",
            ),
            "the pixels' number is a constant; it is handed over": (
                "(height * width) ** 2",
                "4096**2",
            ),
        },
        hints=(
            "How many tokens are there, and how many pairs of them?",
            "Tokens are height * width; weights are tokens squared, per head.",
            "(height * width) ** 2 * heads * item",
        ),
        starters={
            "numpy": (
                "prediction = ...  # bytes, for 64 by 64, one head, 4 bytes a "
                "number\n\n"
                "def weight_bytes(height, width, heads, item):\n"
                "    ...  # four numbers; return one\n"
            ),
        },
    ),
    Exercise(
        name="05.layer",
        level=2,
        minutes=20,
        kind="module",
        before="05.self_attention",
        statement=(
            "Write self-attention as a layer, `SelfAttention(model_dim, key_dim, "
            "value_dim)`, called with x (B, T, D); it returns (B, T, V). Trainable "
            "parameters, without biases: query_weight (D, K), key_weight (D, K), "
            "value_weight (D, V). The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the scale is missing": (" / np.sqrt(key.shape[2])", ""),
            "the scores are divided by K; it is the root of K": (
                "np.sqrt(key.shape[2])",
                "key.shape[2]",
            ),
            "the scores are divided by the root of D; it is the root of K": (
                "key.shape[2]",
                "x.shape[2]",
            ),
            "queries and keys are exchanged": (
                "query @ key.swapaxes(1, 2)",
                "key @ query.swapaxes(1, 2)",
            ),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=1)",
            ),
            "the softmax runs over the batch": (
                "softmax(score)",
                "softmax(score, axis=0)",
            ),
            "the average runs over the queries": (
                "softmax(score) @",
                "softmax(score).swapaxes(1, 2) @",
            ),
            "it is added to x; that is a residual connection, which comes later": (
                "softmax(score) @ value",
                "x + softmax(score) @ value",
            ),
            **OVERFLOW,
        },
        hints=(
            "05.self_attention with a batch axis in front.",
            "key.T would turn the batch around: exchange the last two axes alone.",
            "softmax(query @ (key with its last two axes exchanged) / root of "
            "K) @ value",
        ),
        starters={
            "torch": (
                "class SelfAttention(torch.nn.Module):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        ...  # three torch.nn.Parameter\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, V)\n"
            ),
            "tf": (
                "class SelfAttention(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        ...  # three times self.add_weight\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, V)\n"
            ),
        },
        answers={
            "torch": (
                "class SelfAttention(torch.nn.Module):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        new = lambda *size: "
                "torch.nn.Parameter(torch.randn(*size) / 4)\n"
                "        self.query_weight = new(model_dim, key_dim)\n"
                "        self.key_weight = new(model_dim, key_dim)\n"
                "        self.value_weight = new(model_dim, value_dim)\n\n"
                "    def forward(self, x):\n"
                "        query, key = x @ self.query_weight, x @ self.key_weight\n"
                "        score = query @ key.mT / key.shape[-1] ** 0.5\n"
                "        return torch.softmax(score, dim=-1) @ (x @ "
                "self.value_weight)\n"
            ),
            "tf": (
                "class SelfAttention(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        self.query_weight = self.add_weight((model_dim, key_dim))\n"
                "        self.key_weight = self.add_weight((model_dim, key_dim))\n"
                "        self.value_weight = self.add_weight((model_dim, "
                "value_dim))\n\n"
                "    def call(self, x):\n"
                "        query, key = x @ self.query_weight, x @ self.key_weight\n"
                "        score = tf.matmul(query, key, transpose_b=True)\n"
                "        weights = tf.nn.softmax(score / key.shape[-1] ** 0.5)\n"
                "        return weights @ (x @ self.value_weight)\n"
            ),
        },
    ),
)
