"""Exercises of chapter 8."""

import numpy as np

from attn_course.exercises.exercise import Case, Exercise, fixed_cases


def _norm_cases(rng):
    def draw(B, T, D):
        return rng.normal(size=(B, T, D)), rng.normal(size=D), rng.normal(size=D)

    x, scale, bias = draw(2, 5, 7)
    return [
        *fixed_cases(rng, draw, 3, long=(1,)),
        Case("differences of a thousandth", (x / 1000, scale, bias)),
        Case("a large mean", (20 + 3 * x, scale, bias)),
        Case("all numbers equal", (0 * x + 3, scale, bias)),
    ]


def layer_norm(x, scale, bias):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    return centered / np.sqrt(variance + 1e-5) * scale + bias


def _layer_cases(rng):
    def draw(T, D, F):
        weights = rng.random((T, T))
        weights /= weights.sum(axis=1, keepdims=True)
        maps = ((D, D), (D, F), (F, D))
        drawn = (rng.normal(size=size) / np.sqrt(size[0]) for size in maps)
        return rng.normal(size=(T, D)), weights, *drawn

    x, *rest = draw(5, 7, 3)
    small = Case("differences of a thousandth", (x / 1000, *rest))
    return [*fixed_cases(rng, draw, 3), small]


def post_norm(x, weights, value_weight, inner, outer):
    def norm(z):
        z = z - z.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5)

    y = norm(x + weights @ x @ value_weight)
    return norm(y + np.maximum(y @ inner, 0) @ outer)


def _stream_cases(rng):
    def draw(T, D, L):
        weights = rng.normal(size=(L, D, D)) / np.sqrt(D)
        return rng.normal(size=(T, D)), weights

    x, weights = draw(5, 7, 3)
    small = Case("differences of a thousandth", (x / 1000, weights))
    return [*fixed_cases(rng, draw, 3), small, Case("a deep stack", draw(3, 5, 17))]


def pre_norm(x, weights):
    def norm(z):
        z = z - z.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5)

    for weight in weights:
        x = x + norm(x) @ weight
    return norm(x)


def _count_cases(rng):
    sizes = [(int(D), int(F)) for D, F in rng.integers(2, 99, size=(4, 2))]
    cases = [Case("other sizes", size) for size in sizes]
    return [*cases, Case("width 1", (1, 3)), Case("width 768", (768, 3072))]


def parameters(model_dim, ff_dim):
    attention = 4 * model_dim * (model_dim + 1)
    network = 2 * model_dim * ff_dim + ff_dim + model_dim
    return attention + network + 4 * model_dim


def _block_cases(rng):
    def draw(B, T, D, F):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        drawn = {
            "scale": 1 + rng.normal(size=D) / 4,
            "bias": rng.normal(size=D) / 4,
            "inner": rng.normal(size=(D, F)) / np.sqrt(D),
            "outer": rng.normal(size=(F, D)) / np.sqrt(F),
        }
        return (D, F), (x,), {k: w.astype(np.float32) for k, w in drawn.items()}

    sizes, (x,), parameters = draw(2, 3, 5, 7)
    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 5, 7, 11)),
        Case("differences of a hundredth", (sizes, (x / 100,), parameters)),
        Case("an axis of size 1", draw(1, 3, 5, 7)),
        Case("an inner width of 1", draw(2, 3, 5, 1)),
    ]


def block(x, scale, bias, inner, outer):
    centered = x - x.mean(axis=-1, keepdims=True)
    variance = (centered**2).mean(axis=-1, keepdims=True)
    y = centered / np.sqrt(variance + 1e-5) * scale + bias
    return x + np.maximum(y @ inner, 0) @ outer


ROOT = {
    "1e-5 is added under the root, to the variance": (
        "np.sqrt(variance + 1e-5)",
        "(np.sqrt(variance) + 1e-5)",
    ),
    "the mean was not taken away": ("x - x.mean(axis=-1, keepdims=True)", "x"),
    "it is divided by the root of the variance, not by the variance": (
        "np.sqrt(variance + 1e-5)",
        "(variance + 1e-5)",
    ),
}
INSIDE = {
    "the variance is divided by D, not by D - 1": (
        "(z**2).mean(axis=-1, keepdims=True)",
        "(z**2).sum(axis=-1, keepdims=True) / max(z.shape[-1] - 1, 1)",
    ),
    "the norm runs along each vector, the last axis": ("axis=-1", "axis=0"),
    "1e-5 under the root is missing or has another size": ("1e-5", "1e-12"),
    "the mean was not taken away": ("z = z - z.mean(axis=-1, keepdims=True)", "z = z"),
}

EXERCISES = (
    Exercise(
        name="08.layer_norm",
        level=1,
        minutes=10,
        before="mean, sqrt",
        statement=(
            "Write `layer_norm(x, scale, bias)`: x (B, T, D), scale (D), bias (D); "
            "output (B, T, D). Every vector gets mean 0 and variance 1, then scale "
            "and bias. Add 1e-5 to the variance before the root."
        ),
        cases=_norm_cases,
        solution=layer_norm,
        mistakes={
            **ROOT,
            "the variance is divided by D, not by D - 1": (
                "(centered**2).mean(axis=-1, keepdims=True)",
                "(centered**2).sum(axis=-1, keepdims=True) / max(x.shape[-1] - 1, 1)",
            ),
            "the statistics run along each vector, the last axis": (
                "axis=-1",
                "axis=1",
            ),
            "this is a batch norm: the statistics run over the examples": (
                "axis=-1",
                "axis=0",
            ),
            "the statistics are those of the whole array": (
                "axis=-1, keepdims=True",
                "keepdims=True",
            ),
            "1e-5 under the root is missing or has another size": ("1e-5", "1e-12"),
            "the scale is missing": (" * scale", ""),
            "the bias is missing": (" + bias", ""),
            "the bias is scaled too; it comes last": (
                "centered / np.sqrt(variance + 1e-5) * scale + bias",
                "(centered / np.sqrt(variance + 1e-5) + bias) * scale",
            ),
            "nothing is added under the root; it should be 1e-5": (" + 1e-5", ""),
            "1e-3 stands under the root; it should be 1e-5": ("1e-5", "1e-3"),
            "the mean of all is taken away; each vector has its own": (
                "x - x.mean(axis=-1, keepdims=True)",
                "x - x.mean()",
            ),
            "scale and bias are added first; the bias comes last": (
                "* scale + bias",
                "* (scale + bias)",
            ),
            "1 is added to the scale": ("* scale +", "* (1 + scale) +"),
            "it is divided by the mean distance, not by the root of the variance": (
                "np.sqrt(variance + 1e-5)",
                "np.abs(centered).mean(axis=-1, keepdims=True)",
            ),
            "the variance is that of D - 1; it is the mean of the squares": (
                "(centered**2).mean(axis=-1, keepdims=True)",
                "x.var(axis=-1, ddof=1, keepdims=True)",
            ),
        },
        hints=(
            "One mean and one variance for every position of every example.",
            "x - mean; the mean of its square; divide by the root of that plus 1e-5.",
            "centered / np.sqrt(variance + 1e-5) * scale + bias",
        ),
        starters={
            "numpy": (
                "def layer_norm(x, scale, bias):\n"
                "    ...  # (B, T, D), (D), (D); return (B, T, D)\n"
            ),
        },
    ),
    Exercise(
        name="08.post_norm",
        level=2,
        minutes=20,
        kind="bug",
        before="08.layer_norm",
        statement=(
            "Find the bugs; there are two. A post-norm layer for one sequence: "
            "x (T, D), weights (T, T) of one head, value_weight (D, D), inner (D, F), "
            "outer (F, D); output (T, D). The norms have no scale and no bias."
        ),
        cases=_layer_cases,
        solution=post_norm,
        mistakes={
            **INSIDE,
            "the first norm is of the sum, not of what is added": (
                "norm(x + weights @ x @ value_weight)",
                "x + norm(weights @ x @ value_weight)",
            ),
            "the network has no way around it: y is added to what it gives": (
                "norm(y + np.maximum(y @ inner, 0) @ outer)",
                "norm(np.maximum(y @ inner, 0) @ outer)",
            ),
            "attention has no way around it: x is added to what it gives": (
                "norm(x + weights @ x @ value_weight)",
                "norm(weights @ x @ value_weight)",
            ),
            "this is pre-norm: the norm stands after the sum": (
                "norm(x + weights @ x @ value_weight)",
                "x + weights @ norm(x) @ value_weight",
            ),
            "the second norm is missing": (
                "norm(y + np.maximum(y @ inner, 0) @ outer)",
                "y + np.maximum(y @ inner, 0) @ outer",
            ),
            "the first norm is missing": (
                "norm(x + weights @ x @ value_weight)",
                "x + weights @ x @ value_weight",
            ),
            "x is added twice; the second sum begins with y": (
                "norm(y + np.maximum",
                "norm(x + np.maximum",
            ),
            "the relu is missing": ("np.maximum(y @ inner, 0)", "y @ inner"),
            "the relu stands after the second map": (
                "np.maximum(y @ inner, 0) @ outer",
                "np.maximum(y @ inner @ outer, 0)",
            ),
            "the weights are transposed": ("weights @ x", "weights.T @ x"),
            "the network reads x; it should read y": ("y @ inner", "x @ inner"),
            "nothing is added under the root; it should be 1e-5": (" + 1e-5", ""),
            "1e-2 stands under the root; it should be 1e-5": ("1e-5", "1e-2"),
            "the second norm is of the network alone, not of the sum": (
                "norm(y + np.maximum(y @ inner, 0) @ outer)",
                "y + norm(np.maximum(y @ inner, 0) @ outer)",
            ),
        },
        hints=(
            "Each part is added to what came in; then the sum is normalized.",
            "Look at what stands inside each norm.",
            "norm(x + ...), and norm(y + ...).",
        ),
        starters={
            "numpy": (
                "def post_norm(x, weights, value_weight, inner, outer):\n"
                "    def norm(z):\n"
                "        z = z - z.mean(axis=-1, keepdims=True)\n"
                "        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) "
                "+ 1e-5)\n\n"
                "    y = x + norm(weights @ x @ value_weight)\n"
                "    return norm(np.maximum(y @ inner, 0) @ outer)\n"
            ),
        },
    ),
    Exercise(
        name="08.pre_norm",
        level=2,
        minutes=15,
        before="08.post_norm",
        statement=(
            "Write a stack of pre-norm layers, `pre_norm(x, weights)`: x (T, D), "
            "weights (L, D, D); output (T, D). Each layer is one linear map with a way "
            "around it; the stack ends with one more norm. The norms have no scale "
            "and no bias, and 1e-5 under the root."
        ),
        cases=_stream_cases,
        solution=pre_norm,
        mistakes={
            **INSIDE,
            "the last norm is missing": ("return norm(x)", "return x"),
            "there is no way around the maps": (
                "x = x + norm(x) @ weight",
                "x = norm(x) @ weight",
            ),
            "this is post-norm: the norm stands before the map": (
                "x = x + norm(x) @ weight",
                "x = norm(x + x @ weight)",
            ),
            "the way around goes past the norm too: add x, not its norm": (
                "x = x + norm(x) @ weight",
                "x = norm(x) + norm(x) @ weight",
            ),
            "the norm is of the map's answer; it belongs before the map": (
                "norm(x) @ weight",
                "norm(x @ weight)",
            ),
            "the norms in the layers are missing": (
                "x + norm(x) @ weight",
                "x + x @ weight",
            ),
            "the layers come in reverse order": ("in weights", "in weights[::-1]"),
            "a map is transposed": ("@ weight", "@ weight.T"),
            "the first layer is left out": ("in weights:", "in weights[1:]:"),
            "what leaves a layer is normalized too": (
                "x = x + norm(x) @ weight",
                "x = norm(x + norm(x) @ weight)",
            ),
            "nothing is added under the root; it should be 1e-5": (" + 1e-5", ""),
            "1e-2 stands under the root; it should be 1e-5": ("1e-5", "1e-2"),
        },
        hints=(
            "Nothing on the stream itself but sums, until the end.",
            "Each layer reads a normalized copy of x and adds its answer to x.",
            "x = x + norm(x) @ weight",
        ),
        starters={
            "numpy": (
                "def pre_norm(x, weights):\n"
                "    ...  # (T, D), (L, D, D); return (T, D)\n"
            ),
        },
    ),
    Exercise(
        name="08.parameters",
        level=1,
        minutes=10,
        kind="predict",
        before="06.parameters",
        statement=(
            "Predict, then measure. An encoder layer has width 512 and an inner width "
            "of 2,048, biases in all its maps, and two layer norms with scale and "
            "bias. How many parameters has it? Enter your guess, then write "
            "`parameters(model_dim, ff_dim)`."
        ),
        cases=_count_cases,
        solution=parameters,
        ask=(512, 2048),
        mistakes={
            "4 * model_dim are missing: attention's biases, or the norms": (
                "network + 4 * model_dim",
                "network",
            ),
            "there are two norms, each with a scale and a bias": (
                "network + 4 * model_dim",
                "network + 2 * model_dim",
            ),
            "the network's biases are missing": (" + ff_dim + model_dim", ""),
            "the network's second bias is missing": (
                "ff_dim + ff_dim + model_dim",
                "ff_dim + ff_dim",
            ),
            "the network's first bias is missing": (
                "ff_dim + ff_dim + model_dim",
                "ff_dim + model_dim",
            ),
            "the network has two maps": (
                "2 * model_dim * ff_dim",
                "model_dim * ff_dim",
            ),
            "attention has four maps": (
                "attention = 4 *",
                "attention = 3 *",
            ),
            "attention has 4 * model_dim biases, not one": (
                "4 * model_dim * (model_dim + 1)",
                "4 * model_dim * model_dim + 1",
            ),
            "the norms have 4 * model_dim numbers, not 4": (
                "network + 4 * model_dim",
                "network + 4",
            ),
            "the norms are as wide as the model, not as the inner width": (
                "network + 4 * model_dim",
                "network + 2 * ff_dim",
            ),
            "the inner width is handed over; it isn't always 4 * model_dim": (
                "model_dim * ff_dim + ff_dim",
                "model_dim * 4 * model_dim + 4 * model_dim",
            ),
            "each map has the whole width: heads share it out": (
                "attention + network + 4 * model_dim",
                "8 * (attention + network + 4 * model_dim)",
            ),
        },
        hints=(
            "Count by part: attention, network, norms.",
            "Attention has four (D, D) maps, the network a (D, F) and an (F, D) map.",
            "4 * D * (D + 1), 2 * D * F + F + D, and 4 * D for the norms.",
        ),
        starters={
            "numpy": (
                "prediction = ...  # width 512, inner width 2,048\n\n"
                "def parameters(model_dim, ff_dim):\n"
                "    ...  # two numbers; return a number\n"
            ),
        },
    ),
    Exercise(
        name="08.block",
        level=3,
        minutes=25,
        kind="module",
        before="08.layer_norm, 08.pre_norm",
        statement=(
            "Write the second half of a pre-norm layer as a layer, `Block(model_dim, "
            "ff_dim)`, called with x (B, T, D); it returns (B, T, D): a layer norm "
            "with 1e-5 under the root, a network with relu, and the way around both. "
            "Trainable parameters: scale (D), bias (D), inner (D, F), outer (F, D). "
            "The gradients are checked too."
        ),
        cases=_block_cases,
        solution=block,
        mistakes={
            **ROOT,
            "the way around is missing: x is added at the end": (
                "return x + ",
                "return ",
            ),
            "the way around begins before the norm: add x, not its norm": (
                "return x + ",
                "return y + ",
            ),
            "the relu is missing": ("np.maximum(y @ inner, 0)", "y @ inner"),
            "the relu stands after the second map": (
                "np.maximum(y @ inner, 0) @ outer",
                "np.maximum(y @ inner @ outer, 0)",
            ),
            "the scale is missing": (" * scale", ""),
            "the bias is missing": (" + bias", ""),
            "the norm is missing": ("np.maximum(y @", "np.maximum(x @"),
            "the variance is divided by D, not by D - 1": (
                "(centered**2).mean(axis=-1, keepdims=True)",
                "(centered**2).sum(axis=-1, keepdims=True) / max(x.shape[-1] - 1, 1)",
            ),
        },
        hints=(
            "x stays as it is until the last line, where something is added to it.",
            "mean and variance along the last axis, the variance divided by D.",
            "x + relu(norm(x) @ inner) @ outer",
        ),
        starters={
            "torch": (
                "class Block(torch.nn.Module):\n"
                "    def __init__(self, model_dim, ff_dim):\n"
                "        super().__init__()\n"
                "        ...  # scale, bias, inner, outer: torch.nn.Parameter\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
            "tf": (
                "class Block(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, ff_dim):\n"
                "        super().__init__()\n"
                "        ...  # scale, bias, inner, outer: self.add_weight\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Block(torch.nn.Module):\n"
                "    def __init__(self, model_dim, ff_dim):\n"
                "        super().__init__()\n"
                "        new = torch.nn.Parameter\n"
                "        self.scale = new(torch.ones(model_dim))\n"
                "        self.bias = new(torch.zeros(model_dim))\n"
                "        self.inner = new(torch.randn(model_dim, ff_dim) / 4)\n"
                "        self.outer = new(torch.randn(ff_dim, model_dim) / 4)\n\n"
                "    def forward(self, x):\n"
                "        centered = x - x.mean(dim=-1, keepdim=True)\n"
                "        variance = (centered**2).mean(dim=-1, keepdim=True)\n"
                "        y = centered / torch.sqrt(variance + 1e-5)\n"
                "        y = y * self.scale + self.bias\n"
                "        return x + torch.relu(y @ self.inner) @ self.outer\n"
            ),
            "tf": (
                "class Block(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, ff_dim):\n"
                "        super().__init__()\n"
                "        new = self.add_weight\n"
                '        self.scale = new((model_dim,), initializer="ones")\n'
                '        self.bias = new((model_dim,), initializer="zeros")\n'
                "        self.inner = new((model_dim, ff_dim))\n"
                "        self.outer = new((ff_dim, model_dim))\n\n"
                "    def call(self, x):\n"
                "        centered = x - tf.reduce_mean(x, -1, keepdims=True)\n"
                "        variance = tf.reduce_mean(centered**2, -1, keepdims=True)\n"
                "        y = centered / tf.sqrt(variance + 1e-5)\n"
                "        y = y * self.scale + self.bias\n"
                "        return x + tf.nn.relu(y @ self.inner) @ self.outer\n"
            ),
        },
    ),
)
