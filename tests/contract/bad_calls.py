"""Bad calls, and the argument that the answer must name: built from the cases of the contract, and from lists.

``bad_calls()`` gives (where, what, call, names): ``call()`` must raise ValueError or TypeError with one of the names.
"""

import functools
import re

import numpy as np
from cases import CASES, FACES, K, S, T, V

from attn_course import masks, reference
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

SIZES = (0, -3, 2.5, True, "4")
BASES = (0, -1.0, float("nan"), True, "10")
SHARES = (-0.1, 1.0, 1.5, True, "half")
FLAGS = (1, "yes")

# What a layer is built from: every size among it is tried with each of SIZES.
MADE = {
    "AdditiveAttention": {"query_dim": 3, "memory_dim": 5, "hidden_dim": 7},
    "AlibiBias": {"num_heads": 2},
    "BahdanauDecoder": {"vocab_size": 5, "embedding_dim": 2, "hidden_dim": 3, "memory_dim": 14, "attention_dim": 11},
    "FeatureMapAttention": {"channels": 3, "key_dim": 5, "value_dim": 7},
    "FixedContextDecoder": {"vocab_size": 5, "embedding_dim": 2, "hidden_dim": 3, "memory_dim": 14},
    "IntraAttentionLSTM": {"input_dim": 3, "hidden_dim": 5, "attention_dim": 7},
    "LearnedEncoding": {"max_length": 5, "model_dim": 3},
    "LocalAttention": {"query_dim": 3, "memory_dim": 5, "half_width": 2, "hidden_dim": 7, "score": "concat"},
    "LogLengthScale": {"trained_length": 5},
    "LuongAttention": {"query_dim": 3, "memory_dim": 5, "hidden_dim": 7, "max_length": 11, "score": "concat"},
    "MultiHeadAttention": {"model_dim": 6, "num_heads": 2, "key_dim": 5, "value_dim": 7, "memory_dim": 3},
    "RecurrentEncoder": {"vocab_size": 5, "embedding_dim": 2, "hidden_dim": 3},
    "RelativeAttention": {"model_dim": 6, "num_heads": 2, "max_distance": 3, "key_dim": 5, "value_dim": 7},
    "RelativeBias": {"num_heads": 2, "num_buckets": 8, "max_distance": 16},
    "RotaryEncoding": {"key_dim": 4},
    "SelfAttention": {"model_dim": 3, "key_dim": 5, "value_dim": 7},
    "SinusoidalEncoding": {"model_dim": 3},
    "LatentAttention": {
        "model_dim": 6,
        "num_heads": 2,
        "latent_dim": 5,
        "rope_dim": 4,
        "key_dim": 3,
        "value_dim": 7,
        "query_latent_dim": 9,
    },
    "FeedForward": {"model_dim": 6, "ff_dim": 5},
    "EncoderLayer": {"model_dim": 6, "num_heads": 2, "ff_dim": 5},
    "Encoder": {"num_layers": 2, "model_dim": 6, "num_heads": 2, "ff_dim": 5},
}
LAYOUT = [[True, False], [True, True]]
HEADS = {"model_dim": 6, "num_heads": 2, "key_dim": 5, "value_dim": 7, "memory_dim": 3}
MADE["GroupedQueryAttention"] = {**HEADS, "num_kv_heads": 2}
# Weights are never formed here: nothing can be dropped.
UNDROPPED = {
    "LinearAttention": {},
    "DeltaRuleAttention": {},
    "PerformerAttention": {"num_features": 8},
    "RandomFeatureAttention": {"num_features": 8},
    "LinformerAttention": {"length": 5, "rank": 3},
    "LSHAttention": {"memory_dim": 6, "num_buckets": 4, "num_rounds": 2, "chunk_size": 3},
    "FlashAttention": {"block_size": 3},
    "SlidingWindowAttention": {"window": 3},
    "DilatedWindowAttention": {"window": 3, "dilation": 2},
    "LongformerAttention": {"window": 3, "positions": [1]},
    "StridedAttention": {"stride": 3},
    "FixedAttention": {"stride": 3, "summary": 1},
    "BlockSparseAttention": {"layout": LAYOUT, "block_size": 2},
    "BigBirdAttention": {"block_size": 2, "num_random": 1, "seed": 3},
}
MADE |= {name: {**HEADS, **sizes} for name, sizes in UNDROPPED.items()}
FREE = {
    ("RelativeAttention", "max_distance", 0),
    ("BigBirdAttention", "num_random", 0),
    ("BigBirdAttention", "seed", 0),
}

# Layer, options, who must be named.
OPTIONS = [
    *(("MultiHeadAttention", {"dropout": x}, "dropout") for x in SHARES),
    *(("RelativeAttention", {"dropout": x}, "dropout") for x in SHARES),
    *((name, {"use_bias": x}, "use_bias") for x in FLAGS for name in ("MultiHeadAttention", "RelativeAttention")),
    *((name, {"base": x}, "base") for x in BASES for name in ("SinusoidalEncoding", "RotaryEncoding")),
    *(("MultiHeadAttention", {"memory_dim": x}, "memory_dim") for x in ((3, 4, 5), (3,), (0, 3), (3, 2.5), "3")),
    ("MultiHeadAttention", {"num_heads": 4, "key_dim": None}, "model_dim"),
    ("RelativeAttention", {"num_heads": 4, "key_dim": None}, "model_dim"),
    ("RotaryEncoding", {"key_dim": 5}, "key_dim"),
    ("RotaryEncoding", {"layout": "thirds"}, "layout"),
    ("RotaryEncoding", {"layout": None}, "layout"),
    *(("RotaryEncoding", {"scale": x}, "scale") for x in BASES),
    *(("RotaryEncoding", {"frequencies": x}, "frequencies") for x in ([], [1.0] * 3, 1.0)),
    *(("LogLengthScale", {"strength": x}, "strength") for x in BASES),
    ("RelativeBias", {"num_buckets": 7}, "num_buckets"),
    ("RelativeBias", {"max_distance": 2}, "max_distance"),
    ("RelativeBias", {"num_buckets": 1, "bidirectional": False}, "num_buckets"),
    *(("RelativeBias", {"bidirectional": x}, "bidirectional") for x in FLAGS),
    *(("SelfAttention", {"project": x}, "project") for x in FLAGS),
    *(("FeatureMapAttention", {"residual": x}, "residual") for x in FLAGS),
    *(("FeatureMapAttention", {"data_format": x}, "data_format") for x in ("NCHW", 3)),
    *(("LuongAttention", {"score": x}, "score") for x in ("cosine", None, 3)),
    *(("LocalAttention", {"score": x}, "score") for x in ("cosine", None)),
    *(("LocalAttention", {"alignment": x}, "alignment") for x in ("left", None)),
    ("LuongAttention", {"hidden_dim": None}, "hidden_dim"),
    ("LuongAttention", {"score": "location", "max_length": None}, "max_length"),
    ("LuongAttention", {"score": "dot"}, "memory_dim"),
    *((name, {"dropout": x}, "dropout") for name in UNDROPPED for x in (0.5, *SHARES)),
    *(
        (name, {"dropout": x}, "dropout")
        for name in ("GroupedQueryAttention", "EncoderLayer", "Encoder")
        for x in SHARES
    ),
    *((name, {"use_bias": x}, "use_bias") for name in ("GroupedQueryAttention", *UNDROPPED) for x in FLAGS),
    *((name, {"num_heads": 4, "key_dim": None}, "model_dim") for name in ("GroupedQueryAttention", *UNDROPPED)),
    ("GroupedQueryAttention", {"num_kv_heads": 3}, "num_kv_heads"),
    ("LatentAttention", {"rope_dim": 3}, "rope_dim"),
    *((name, {"norm": x}, "norm") for name in ("EncoderLayer", "Encoder") for x in ("around", None)),
    *((name, {"activation": "x"}, "activation") for name in ("FeedForward", "EncoderLayer", "Encoder")),
    *((name, {"decay": x}, "decay") for name in ("LinearAttention", "DeltaRuleAttention") for x in ("slow", 0.5)),
    *(("LinearAttention", {"feature_map": x}, "feature_map") for x in ("cosine", None)),
    *(("PerformerAttention", {"features": x}, "features") for x in ("negative", None)),
    ("RandomFeatureAttention", {"num_features": 7}, "num_features"),
    *(("LinformerAttention", {"sharing": x}, "sharing") for x in ("all", None)),
    ("LSHAttention", {"num_buckets": 3}, "num_buckets"),
    *(("StridedAttention", {"heads": x}, "heads") for x in ("both", None)),
    ("StridedAttention", {"model_dim": 6, "num_heads": 3, "heads": "split"}, "num_heads"),
    ("FixedAttention", {"summary": 4}, "summary"),
    *(("LongformerAttention", {"positions": x}, r"positions\S*") for x in ([-1], [1.5], [True])),
    *(("BlockSparseAttention", {"layout": x}, "layout") for x in ([True], [[1, 0]], [])),
]


def draw(*shape):
    return np.random.default_rng(0).normal(size=shape)


ONE = np.ones((T, S), bool)
QUERY, KEY, VALUE = draw(2, 3, T, K), draw(2, 3, S, K), draw(2, 3, S, V)
LOOK = {"query": QUERY, "key": KEY, "value": VALUE}
# Function, arguments, who must be named. In all three implementations.
FUNCTIONS = [
    *(("alibi_slopes", {"num_heads": x}, "num_heads") for x in SIZES),
    *(("alibi_bias", {"num_heads": x, "T": 2, "S": 3}, "num_heads") for x in SIZES),
    *(("alibi_bias", {"num_heads": 2, "T": x, "S": 3}, "T") for x in (-1, 2.5, True)),
    *(("alibi_bias", {"num_heads": 2, "T": 3, "S": x}, "S") for x in (-1, 2.5, True)),
    *(("relative_buckets", {"T": x, "S": 3}, "T") for x in (-1, 2.5, True)),
    *(("relative_buckets", {"T": 3, "S": x}, "S") for x in (-1, 2.5, True)),
    *(("relative_buckets", {"T": 2, "S": 3, "num_buckets": x}, "num_buckets") for x in (*SIZES, 2, 7)),
    *(("relative_buckets", {"T": 2, "S": 3, "max_distance": x}, "max_distance") for x in (*SIZES, 8)),
    *(("sinusoidal_encoding", {"length": x, "dim": 4}, "length") for x in (-1, 2.5, True, "4")),
    *(("sinusoidal_encoding", {"length": 3, "dim": x}, "dim") for x in SIZES),
    *(("sinusoidal_encoding", {"length": 3, "dim": 4, "base": x}, "base") for x in BASES),
    *(("rotate", {"x": draw(5, 4), "positions": np.arange(5), "base": x}, "base") for x in BASES),
    *(("rotate", {"x": draw(5, 4), "positions": np.arange(5), "layout": x}, "layout") for x in ("thirds", None)),
    ("rotate", {"x": draw(5, 4), "positions": np.arange(1)}, "positions"),
    ("rotate", {"x": draw(5, 4), "positions": np.arange(3)}, "positions"),
    ("rotate", {"x": draw(2, 5, 4), "positions": np.zeros((2, 1), int)}, "positions"),
    ("rotate", {"x": draw(1, 5, 4), "positions": np.zeros((3, 5), int)}, "positions"),
    ("rotate", {"x": draw(2, 3, 5, 4), "positions": np.zeros((2, 5), int)}, "positions"),
    ("rotate", {"x": draw(5, 4), "positions": np.ones(5, bool)}, "positions"),
    ("rotate", {"x": draw(5, 3), "positions": np.arange(5)}, "x"),
    ("rotate", {"x": draw(4), "positions": np.arange(1)}, "x"),
    ("rotate", {"x": np.ones((5, 4), int), "positions": np.arange(5)}, "x"),
    ("change_layout", {"x": draw(5, 3), "to": "half"}, "x"),
    *(("change_layout", {"x": draw(5, 4), "to": x}, "to") for x in ("thirds", None)),
    *(("split_heads", {"x": draw(2, 5, 6), "num_heads": x}, "num_heads") for x in (0, -2, 2.5, 4)),
    ("split_heads", {"x": draw(5, 6), "num_heads": 2}, "x"),
    ("merge_heads", {"x": draw(2, 5, 6)}, "x"),
    ("masked_softmax", {"score": draw(T, S), "mask": np.ones((T, S))}, "mask"),
    ("masked_softmax", {"score": draw(T, S), "mask": np.ones((T, S), int)}, "mask"),
    *(("online_softmax", {"score": draw(T, S), "block_size": x}, "block_size") for x in SIZES),
    *(("flash_attention", {**LOOK, "block_size": x}, "block_size") for x in SIZES),
    ("flash_attention", {**LOOK, "mask": np.ones((2, T, S), bool)}, "mask"),
    *(("memory_traffic", {"T": x, "S": 3, "key_dim": 5}, "T") for x in SIZES),
    *(("memory_traffic", {"T": 3, "S": 3, "key_dim": x}, "key_dim") for x in SIZES),
    *(("memory_traffic", {"T": 3, "S": 3, "key_dim": 5, "block_size": x}, "block_size") for x in SIZES),
    ("image_to_tokens", {"image": draw(2, 3, 5)}, "image"),
    *(("image_to_tokens", {"image": draw(2, 3, 5, 7), "data_format": x}, "data_format") for x in ("NCHW", 3)),
    ("tokens_to_image", {"tokens": draw(2, 7, 3), "height": 2, "width": 3}, "tokens"),
    ("tokens_to_image", {"tokens": draw(2, 6), "height": 2, "width": 3}, "tokens"),
    ("scaled_dot_product_attention", {**LOOK, "bias": ONE}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(T, S + 1)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(3, 3, T, S)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(2, T, S)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(S)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "mask": np.ones((2, S), bool)}, "mask"),
    ("scaled_dot_product_attention", {**LOOK, "mask": np.ones((2, T, S), bool)}, "mask"),
    ("scaled_dot_product_attention", {**LOOK, "mask": np.ones((4, 3, T, S), bool)}, "mask"),
    ("scaled_dot_product_attention", {**LOOK, "mask": np.ones((T, S), int)}, "mask"),
]
MASKS = [
    *((masks.causal_mask, {"T": x, "S": 3}, "T") for x in (-1, 2.5, True, "3")),
    *((masks.causal_mask, {"T": 3, "S": x}, "S") for x in (-1, 2.5, True, "3")),
    *((masks.sliding_window_mask, {"T": 3, "S": 3, "window": x, "causal": True}, "window") for x in SIZES),
    *((masks.sliding_window_mask, {"T": x, "S": 3, "window": 2, "causal": True}, "T") for x in (-1, 2.5)),
    *((masks.padding_mask, {"lengths": [2], "size": x}, "size") for x in (-1, 2.5, True)),
    *((masks.padding_mask, {"lengths": x, "size": 3}, "lengths") for x in ([4], [-1], [1.5], [[1]], [True])),
    (masks.from_blocked, {"mask": np.ones(3)}, "mask"),
]


def spell(options):
    return ", ".join(f"{name}={x if np.ndim(x) == 0 else np.shape(x)!r}" for name, x in options.items())


def bad_calls():
    """All of them."""
    for face in FACES:
        for name, sizes in MADE.items():
            for argument, good in sizes.items():
                for bad in SIZES if isinstance(good, int) else ():
                    if (name, argument, bad) not in FREE or bad is True:
                        yield face, *built(face, name, {argument: bad}), (argument,)
        for name, options, named in OPTIONS:
            yield face, *built(face, name, options), (named,)
    for face in ("reference", *FACES):
        for name, arguments, named in FUNCTIONS:
            yield face, f"{name}({spell(arguments)})", functools.partial(ask, face, name, arguments), (named,)
    for function, arguments, named in MASKS:
        yield "masks", f"{function.__name__}({spell(arguments)})", functools.partial(function, **arguments), (named,)
    for case in CASES:
        if case.layer:
            yield from missing_parameters(case)
        for face in FACES:
            yield from wrong_inputs(case, face)
    yield from conversions()


def built(face, name, options):
    call = functools.partial(getattr(FACES[face], name), **{**MADE[name], **options})
    return f"{name}({spell(options)})", call


def ask(face, name, arguments):
    case = CASES[0]
    if face != "reference":
        arguments = {n: case.convert(face, x) if isinstance(x, np.ndarray) else x for n, x in arguments.items()}
    return getattr(FACES.get(face, reference), name)(**arguments)


LAYERS = {}


def layer_of(case, face):
    """The layer of a case, built once; Keras would make one dtype of all inputs."""
    if (case.name, face) not in LAYERS:
        options = {"autocast": False} if case.layer and face == "tf" and not case.make else {}
        LAYERS[case.name, face] = case.build(face, **options)
    return LAYERS[case.name, face]


OPTIONAL = re.compile(r"\b(query|key|value|output)_bias|\b[01]\.bias")
# What a case itself takes from the parameters, for the mechanism's function.
HANDED = re.compile(r"(key_|value_)?projection|rotations|(beta|decay)_(weight|bias)")


def missing_parameters(case):
    """The specification is called without one of its parameters."""
    parameters = get_parameters(layer_of(case, "pytorch"))
    for name in parameters:
        if case.make or name == "gate" or name.startswith("bridge."):
            continue
        if OPTIONAL.search(name) or HANDED.fullmatch(name):
            continue
        left = {key: x for key, x in parameters.items() if key != name}
        call = functools.partial(case.reference, case.inputs, None, left)
        yield "reference", f"{case.name} without {name}", call, (name, name.rpartition(".")[2])


def wrong_inputs(case, face):
    """Each input and the mask with another rank, width, dtype, batch, or empty."""
    names = tuple(case.inputs)
    for name, letters in zip(names, case.axes, strict=False):
        x, several = case.inputs[name], (*names, "mask")
        real = x.dtype == np.float64
        tries = [("one axis fewer", x[0], (name,)), ("one axis more", x[None], (name,))]
        tries.append(("dtype", x.astype(int) if real else x.astype(float), (name,)))
        if real and letters[-1] not in "STV":
            tries.append(("width", x[..., 1:], several))
        if len(names) > 1 and case.name not in EACH_ALONE:
            tries.append(("batch", x[1:], several))
            if real and not case.make:
                tries.append(("other dtype", x.astype("float32"), several))
        for axis, letter in enumerate(letters):
            if letter in "ST" and case.name not in EMPTY:
                tries.append((f"{letter} = 0", np.take(x, [], axis=axis), several))
        if case.make and case.layer != "LuongDecoder":
            tries = []
        for what, bad, named in tries:
            if what.startswith("one axis") and letters.startswith("BH"):
                named = several
                continue
            yield face, f"{case.name}: {name}, {what}", functools.partial(run, case, face, {name: bad}), named
        if not case.make and face == "pytorch":  # Keras has its own words for it
            wrong = functools.partial(run, case, face, {name: "words"})
            yield face, f"{case.name}: {name} = 'words'", wrong, (name,)
    if case.mask is not None:
        longer = np.concatenate([case.mask, case.mask], axis=-1)
        for what, bad in (
            ("float", case.mask * 1.0),
            ("int", case.mask * 1),
            ("longer", longer),
            ("rank", case.mask[None, None]),
        ):
            yield (
                face,
                f"{case.name}: mask, {what}",
                functools.partial(run, case, face, {"mask": bad}),
                ("mask", "source_mask"),
            )


# What treats query and key each alone.
EACH_ALONE = {"rotary_encoding", "log_length_scale"}
# Encodings may be given nothing.
EMPTY = {"feed_forward", "sinusoidal_encoding", "learned_encoding", "alibi_bias", "relative_bias"} | EACH_ALONE


def run(case, face, changes):
    values = {**case.inputs, "mask": changes.get("mask")} | changes
    made = [
        None if x is None else case.convert(face, x, None) if isinstance(x, np.ndarray) else x for x in values.values()
    ]
    while made[-1] is None:
        made.pop()
    return layer_of(case, face)(*made)


def conversions():
    heads = FACES["pytorch"].MultiHeadAttention
    for bad in (torch.nn.Linear(2, 2), None, "module"):
        yield "pytorch", f"from_torch({type(bad).__name__})", functools.partial(heads.from_torch, bad), ("module",)
    for options in ({"add_bias_kv": True}, {"add_zero_attn": True}):
        given = torch.nn.MultiheadAttention(4, 2, **options)
        yield "pytorch", f"from_torch({spell(options)})", functools.partial(heads.from_torch, given), (*options,)
    heads = FACES["tf"].MultiHeadAttention
    for bad in (keras.layers.Dense(2), None, keras.layers.MultiHeadAttention(2, 4)):
        yield "tf", f"from_keras({type(bad).__name__})", functools.partial(heads.from_keras, bad), ("layer",)
    for face in FACES:
        layer = FACES[face].SelfAttention(2, key_dim=3, value_dim=5)
        good = get_parameters(layer)
        for what, name, bad in (
            ("missing", "key_weight", {n: x for n, x in good.items() if n != "key_weight"}),
            ("unknown", "other", {**good, "other": np.ones(2)}),
            ("shape", "key_weight", {**good, "key_weight": np.ones((3, 2))}),
        ):
            yield face, f"set_parameters: {what}", functools.partial(set_parameters, layer, bad), (name,)
        heads = FACES[face].MultiHeadAttention(6, 3)
        for bad in ([3], [-1], [0, 1, 2], 5):
            yield face, f"prune_heads({bad})", functools.partial(heads.prune_heads, bad), ("heads",)
