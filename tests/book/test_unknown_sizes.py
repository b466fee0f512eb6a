"""What the chapters show for TensorFlow takes a batch and a length that nobody knows yet: functions, layers, solutions.

A function is read from its page, traced in a `tf.function` with None for those sizes, and compared with itself called
at once. ROWS has the arguments of each that computes with tensors. LAYERS has how a shown class is made and called:
between `keras.Input` of such sizes, and trained by `fit` on batches of several lengths. Classes of solutions are tried
by their exercise's own check.
"""

import ast
import importlib.util
from functools import cache

import both_frameworks  # noqa: F401
import keras
import numpy as np
import pytest
import tensorflow as tf
from chapters import code_cells, read_source, sources, tags
from marks import framework_of
from page_rules import FOLDED, tree

# Unknown when traced. Windows, chunks and blocks divide 12; 6 are the blocks of 2.
SIZES = {"B": 2, "T": 12, "S": 12, "H": 6, "W": 4}
HEAD = "import numpy as np\nimport tensorflow as tf\nimport keras\nimport attn_course.tf as attn_tf\n"
HEAD += "layers = keras.layers\n\n\n"


class Given:
    """An argument: its sizes, those named by a letter unknown, and its numbers."""

    def __init__(self, sizes, dtype, draw):
        """sizes: "BT5" is (B, T, 5), "B.12.3" is (B, 12, 3)."""
        self.sizes = [int(n) if n.isdigit() else n for n in (sizes.split(".") if "." in sizes else sizes)]
        self.dtype, self.draw = dtype, draw

    def spec(self):
        return tf.TensorSpec([None if isinstance(n, str) else n for n in self.sizes], self.dtype)

    def value(self, rng, **lengths):
        sizes = SIZES | lengths
        return tf.constant(self.draw(rng, [sizes.get(n, n) for n in self.sizes]), self.dtype)


def real(sizes, dtype="float64"):
    return Given(sizes, dtype, lambda rng, shape: rng.uniform(0.1, 1.0, shape))


def below(most, sizes):
    return Given(sizes, "int32", lambda rng, shape: rng.integers(0, most, shape))


def mask(sizes):
    """True = may attend; every row has one such key."""

    def draw(rng, shape):
        may = rng.integers(0, 2, shape)
        may[..., 0] = 1
        return may

    return Given(sizes, "bool", draw)


def size(letter):
    """A length as a number that is known only when the graph runs."""
    return Given("", "int32", lambda rng, shape: SIZES[letter])


class made:
    """Stands for an object of a class of the page: the first call gives it its weights."""

    def __init__(self, name, *arguments):
        self.name, self.arguments = name, arguments


def half(x, *_):
    """Stands for a layer: any function of its first argument, of the same shape."""
    return x / 2


QKV = [real("BT5"), real("BS5"), real("BS7")]
ONE = [real("T5"), real("T5"), real("T7")]  # without a batch, and as many queries as keys
SAME = [real("BT5"), real("BT5"), real("BT7")]
MAPS = [real("55"), real("55"), real("57")]
SCORES = {"weight": real("54"), "query_weight": real("53"), "memory_weight": real("43"), "score_weight": real("3")}
HEADS = {
    "query_weight": real("56"),
    "key_weight": real("46"),
    "value_weight": real("4.12"),
    "output_weight": real("12.5"),
}
LAYER = dict.fromkeys(("attention", "network", "norm1", "norm2"), half)

SCORE = ("query", "memory", "score")
P = {"target": real("93"), "state_weight": real("12.4"), "state_bias": real("4"), "output_weight": real("99")}
P |= {"output_bias": real("9"), "query_weight": real("46"), "memory_weight": real("56"), "score_weight": real("6")}

WRITER = dict.fromkeys(("query", "key", "value", "output"), real("66"))
WRITER |= {"norm1": real("6"), "norm2": real("6"), "inner": real("65"), "outer": real("56")}

# Chapter and function: the arguments in their order, several lists for several calls.
ROWS = {
    "00_ten_minutes attention_tf": [QKV],
    "02_bahdanau attention_tf": [[real("BT3"), real("BS3"), real("BS5"), real("3"), mask("BS")]],
    "02_bahdanau step_tf": [
        [
            *(made("DecoderTF", 9, 3, 4, 6), below(9, "B"), real("B4", "float32")),
            *(real("BS5", "float32"), mask("BS"), real("BS6", "float32")),
        ]
    ],
    "03_luong score_tf": [
        [real("BT5"), real("BS4"), SCORES | {"location_weight": real("5.13")}, kind]
        for kind in ("general", "concat", "location")
    ]
    + [[real("BT5"), real("BS5"), {}, "dot"]],
    "03_luong local_tf": [[real("BTS"), real("BT"), 2, gaussian] for gaussian in (True, False)],
    "03_luong luong_step_tf": [[real("B3"), real("B5"), real("B5"), lambda x, h: x[:, :5] + h, half, half]],
    "03_luong bahdanau_step_tf": [[real("B3"), real("B5"), lambda x, s: x[:, :5] + s, half]],
    "03_project_dates annotate_tf": [[real("BS5"), mask("BS"), real("354"), real("4")]],
    "03_project_dates score_tf": [[real("B4"), real("BS5"), *(P[f"{name}_weight"] for name in SCORE)]],
    "03_project_dates weights_tf": [[real("BS"), mask("BS")]],
    "03_project_dates context_tf": [[real("BS"), real("BS5")]],
    "03_project_dates step_tf": [[below(9, "B"), real("B4"), real("BS5"), mask("BS"), P]],
    "03_project_dates loss_tf": [[real("BT9"), below(9, "BT")]],
    "03_project_dates greedy_tf": [[lambda token, state: (state, state + 1), real("B9"), 1, 2, 3]],
    "04_scaled_dot_product attention_tf": [QKV, [*QKV, mask("BTS")], [*QKV, mask("B1S"), 0.5]],
    "04_scaled_dot_product look_tf": [
        [
            {"query": real("96"), "key": real("96"), "value": real("74"), "output": real("47")},
            *(below(9, "BS"), below(7, "BS"), below(9, "B"), 0.5),
        ]
    ],
    "05_self_attention self_attention_tf": [[real("BT5"), *MAPS], [real("BT5"), *MAPS, mask("BTT")]],
    "05_self_attention over_image_tf": [[real("BHW5"), *MAPS]],
    "06_multi_head split_tf": [[real("B.T.12"), 3]],
    "06_multi_head merge_tf": [[real("B3T4")]],
    "06_multi_head multi_head_tf": [
        [real("BT5"), real("BS4"), HEADS, 3],
        [real("BT5"), real("BS4"), HEADS, 3, mask("B11S")],
    ],
    "07_positional_encoding sinusoids_tf": [[size("T"), 6]],
    "07_positional_encoding rope_tf": [[real("BT6"), below(99, "T")]],
    "07_positional_encoding alibi_tf": [[4, size("T"), size("S")]],
    "07_positional_encoding shaw_tf": [[*ONE, real("95"), real("97")]],
    "08_encoder layer_norm_tf": [[real("BT5"), real("5"), real("5")]],
    "08_encoder network_tf": [[real("BT5"), real("57"), real("7"), real("75"), real("5")]],
    "08_encoder encoder_layer_tf": [[real("BT5"), *LAYER.values(), pre] for pre in (True, False)],
    "09_transformer write_tf": [[made("TransformerTF", [19, 1, 6, 2, 5]), below(19, "BS"), 3]],
    "09_project_language_model read_tf": [
        [{"table": real("95", "float32"), "norm": real("5", "float32")}, below(9, "BT")]
    ],
    "09_project_language_model attend_tf": [[real("B3T5"), real("B3S5"), real("B3S7")]],
    "09_project_language_model heads_tf": [[real("BT6"), WRITER, 3]],
    "09_project_language_model norm_tf": [[real("BT5"), real("5")]],
    "09_project_language_model layer_tf": [[real("BT6"), WRITER, 3]],
    "09_project_language_model bits_tf": [[real("BT9"), below(9, "BT"), 24]],
    "09_project_language_model update_tf": [[*(real("BT") for _ in range(4)), 3, 0.1]],
    "09_project_language_model chances_tf": [[real("B9", "float32"), 0.7, 4]],
    "10_sparse window_tf": [[*ONE, 3]],
    "10_sparse chosen_tf": [[real("S25"), real("T25"), real("T27"), below(12, "S3"), mask("S3")]],
    "10_sparse column_tf": [[*ONE, 3]],
    "10_sparse big_bird_tf": [[*ONE, mask("HH"), 2]],
    "10_sparse compiled_tf": [SAME],
    "11_linearized elu_tf": [[real("BT5")]],
    "11_linearized matrix_tf": [SAME],
    "11_linearized chunks_tf": [[*SAME, 5]],
    "11_linearized delta_tf": [[*SAME, real("BT"), real("BT5")], [*SAME, real("BT"), real("BT1")]],
    "12_low_rank_and_hashing choose_tf": [[real("3T5"), real("T5"), real("T3"), 2]],
    "13_mqa_gqa grouped_tf": [[real("B615"), real("B3S5"), real("B3S7")]],
    "14_flash flash_tf": [[*QKV, 5], [real("B3T5"), real("B3S5"), real("B3S7"), 64]],
    "15_longer_than_training ramp_tf": [[real("8"), 1e4, 64, method] for method in ("yarn", "llama3")],
    "15_longer_than_training sharper_tf": [[real("BT6"), below(99, "T"), 3]],
    "16_one_layer_2026 norm_tf": [[real("B3T5"), real("5")]],
    "16_one_layer_2026 cap_tf": [[real("B3TS"), mask("TS")]],
    "16_one_layer_2026 differ_tf": [[real("B3T8"), real("B3S8"), real("B3S7"), 0.3]],
    "16_one_layer_2026 sink_tf": [[real("B3TS"), real("3")]],
    "16_one_layer_2026 gate_tf": [[real("B.3.T.7"), real("BT5"), real("5.21")]],
}
# What a function takes from its page.
FROM_PAGE = {"09_project_language_model read_tf": {"own_tf": {"norm": lambda x, scale: x * scale}, "L": 0, "D": 5}}
X = real("BT6", "float32")
MEMORY, KEEP = real("BS5", "float32"), mask("BS")
STATE = real("B4", "float32")


def called(layer, *inputs):
    return layer(*inputs)


# Chapter and class: sizes, inputs, and how an object is called if not `layer(*inputs)`.
LAYERS = {
    "01_bottleneck FixedTF": (
        [9, 3, 4],
        [below(9, "BS"), below(9, "B")],
        lambda layer, source, token: layer.step(token, layer.bridge(layer.read(source)), layer.read(source)),
    ),
    # Its loop is over a length that is known, as its page says.
    "02_bahdanau DecoderTF": ([9, 3, 4, 6], [below(9, "B.5"), MEMORY, STATE, KEEP], called),
    "05_self_attention Reader": ([None], [below(36, "BT")], called),
    "05_self_attention Player": ([None], [below(24, "BT"), below(5, "BT")], called),
    "09_transformer DecoderLayerTF": ([6, 2, 5], [X, real("BS6", "float32"), mask("B11S")], called),
    "09_transformer TransformerTF": ([[19, 1, 6, 2, 5]], [(below(19, "BS"), below(19, "BT"))], called),
}


@cache
def shown(kind):
    """Functions in open cells and solutions, or classes in open cells, for TensorFlow: chapter and name."""
    found, folded = {}, FOLDED - {"solution"} if kind is ast.FunctionDef else FOLDED
    for path in sources():
        for cell in code_cells(read_source(path)):
            if framework_of(cell) == "tf" and not folded & set(tags(cell)):
                for node in tree(cell).body:
                    if isinstance(node, kind) and (kind is ast.ClassDef or node.name.endswith("_tf")):
                        found[f"{path.stem} {node.name}"] = path
    return found


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The functions and classes of a chapter as a module; the tracer reads its source."""
    made, folder = {}, tmp_path_factory.mktemp("pages")

    def page(path):
        if path not in made:
            cells = [
                cell
                for cell in code_cells(read_source(path))
                if framework_of(cell) == "tf" and "check" not in tags(cell)
            ]
            kinds = ast.FunctionDef | ast.ClassDef | ast.ImportFrom
            nodes = [node for cell in cells for node in tree(cell).body if isinstance(node, kinds)]
            file = folder / f"page_{path.stem}.py"
            file.write_text(HEAD + "\n\n\n".join(map(ast.unparse, nodes)) + "\n", encoding="utf-8")
            spec = importlib.util.spec_from_file_location(file.stem, file)
            made[path] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(made[path])
        return made[path]

    return page


def both(function, arguments):
    """What a function returns when called at once, and from a graph traced with unknown sizes."""
    rng, flat = np.random.default_rng(0), tf.nest.flatten(arguments)
    given = [n for n, leaf in enumerate(flat) if isinstance(leaf, Given)]

    def call(*tensors):
        known = dict(zip(given, tensors, strict=True))
        return function(*tf.nest.pack_sequence_as(arguments, [known.get(n, leaf) for n, leaf in enumerate(flat)]))

    tensors = [flat[n].value(rng) for n in given]
    traced = tf.function(call, input_signature=[flat[n].spec() for n in given])
    return tf.nest.flatten(call(*tensors)), tf.nest.flatten(traced(*tensors))


@pytest.mark.parametrize("name", ROWS)
def test_unknown_sizes(name, pages, monkeypatch):
    page = pages(shown(ast.FunctionDef)[name])
    for word, value in FROM_PAGE.get(name, {}).items():
        monkeypatch.setattr(page, word, value, raising=False)
    for arguments in ROWS[name]:
        arguments = [getattr(page, x.name)(*x.arguments) if isinstance(x, made) else x for x in arguments]
        at_once, traced = both(getattr(page, name.split()[1]), arguments)
        for one, other in zip(at_once, traced, strict=True):
            assert np.isfinite(one).all()
            np.testing.assert_allclose(one, other, rtol=1e-10 if one.dtype != tf.float32 else 1e-5)


class Wrapped(keras.layers.Layer):
    """A shown object as a layer, called in its own way with a list of inputs; it gives its first output."""

    def __init__(self, inner, how, inputs):
        super().__init__()
        self.inner = inner
        self.how = lambda flat: how(inner, *tf.nest.pack_sequence_as(inputs, list(flat)))

    def call(self, inputs):
        return tf.nest.flatten(self.how(inputs))[0]


def fitted(layer, inputs):
    """The layer in a functional model of unknown sizes, called at once and from a graph, then trained by `fit`."""
    flat, rng = tf.nest.flatten(inputs), np.random.default_rng(0)
    given = [keras.Input(batch_shape=one.spec().shape, dtype=one.dtype) for one in flat]
    model = keras.Model(given, layer(given))
    batches = []
    for length in (12, 8):
        values = tuple(one.value(rng, T=length, S=length) for one in flat)
        output = layer(values)
        np.testing.assert_allclose(output, model(values), rtol=1e-5, atol=1e-6)
        batches.append((values, tf.zeros_like(output)))
    traced = tf.function(model, input_signature=[tuple(one.spec() for one in flat)])
    for values, _ in batches:
        np.testing.assert_allclose(traced(values), model(values), rtol=1e-4, atol=1e-5)
    target = tf.TensorSpec([None] * len(output.shape), output.dtype)
    signature = tuple(one.spec() for one in flat), target
    data = tf.data.Dataset.from_generator(lambda: iter(batches), output_signature=signature)
    data = data.apply(tf.data.experimental.assert_cardinality(len(batches)))
    model.compile("sgd", "mse", jit_compile=False)
    return model.fit(data, verbose=0, shuffle=False).history["loss"][0]


@pytest.mark.filterwarnings("ignore:.*Gradients do not exist")  # of what the first output does not use
@pytest.mark.filterwarnings("ignore:.build... was called on layer")  # a shown object that has no `call`
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_of_unknown_sizes(name, pages):
    keras.utils.set_random_seed(0)
    sizes, inputs, how = LAYERS[name]
    shown_class = getattr(pages(shown(ast.ClassDef)[name]), name.split()[1])
    assert 0 < fitted(Wrapped(shown_class(*sizes), how, inputs), inputs) < np.inf


def test_a_layer_that_reads_its_sizes_while_tracing_is_caught():
    def merged(_, x):
        return tf.reshape(x, [x.shape[0] * x.shape[1], 6])

    with pytest.raises((TypeError, ValueError)):
        fitted(Wrapped(None, merged, [X]), [X])


def test_a_size_read_while_tracing_is_caught():
    def merged(x):
        B, T, width = x.shape
        return tf.reshape(x, [B * T, width])

    with pytest.raises((TypeError, ValueError)):
        both(merged, [real("BT5")])
    at_once, traced = both(lambda x: tf.reshape(x, [-1, x.shape[-1]]), [real("BT5")])
    assert np.array_equal(at_once[0], traced[0]) and at_once[0].shape == (24, 5)
