"""Bad calls, and the argument that the answer must name: from what the topics declare, and from lists.

``sizes_and_options`` and ``inputs`` say, of a case, what can be wrong: for each argument its bad values, and a
strategy that draws others. ``listed()`` gives (where, what, call, names) of what no topic declares: functions beside
the mechanisms, masks, parameters, conversions.
"""

import functools
import inspect
import re

import numpy as np
from cases import CASES, FACES, B, K, S, T, V, function_of
from hypothesis import strategies as st

from attn_course import masks, reference
from attn_course.core.declaration import FLAG, LAYER, NONE, POSITIVE, SHARE
from attn_course.frameworks import keras, torch
from attn_course.mechanisms.multi_head.shared import SPECS as MAPS
from attn_course.parity import get_parameters

SIZES = (0, -3, 2.5, True, "4")
BASES = (0, -1.0, float("nan"), True, "10")
SHARES = (-0.1, 1.0, 1.5, True, "half")
WORDS = st.text(max_size=3)
# Kind of an option: bad values that are always tried, and what else is drawn.
KINDS = {
    "size": (SIZES, st.integers(max_value=0) | st.floats() | st.booleans() | WORDS),
    "natural": ((-3, 2.5, True, "4"), st.integers(max_value=-1) | st.floats() | st.booleans() | WORDS),
    POSITIVE: (BASES, st.floats(max_value=0) | st.just(float("inf")) | st.booleans() | WORDS),
    SHARE: (SHARES, st.floats(min_value=1) | st.floats(max_value=-1e-9) | st.booleans() | WORDS),
    NONE: ((0.5, *SHARES), st.floats(min_value=1e-9) | st.floats(max_value=-1e-9) | WORDS),
    FLAG: ((1, "yes"), st.integers() | st.floats() | st.none() | WORDS),
}


def sizes_and_options(case):
    """(what is given besides, argument, bad values, what else is drawn), of a layer's constructor."""
    declared = case.declared
    for name, good in declared.sizes.items():
        if isinstance(good, int | tuple):
            yield name, *KINDS["natural" if name in declared.natural else "size"]
    for name, kind in declared.options.items():
        if isinstance(kind, str):
            yield name, *KINDS[kind]
        else:
            bad = ("thirds", 3, 0.5, *(() if None in kind else (None,)))
            yield name, bad, (WORDS | st.integers()).filter(lambda x, kind=kind: x not in kind)


def built(case, face, changes):
    """A call that makes the layer of a case with other sizes or options."""
    return functools.partial(case._replace(sizes=case.sizes | changes).build, face)


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
    *(("split_heads", {"x": draw(2, 5, 6), "num_heads": x}, "num_heads") for x in (0, -2, 2.5)),
    ("split_heads", {"x": draw(5, 6), "num_heads": 2}, "x"),
    ("split_heads", {"x": draw(2, 5, 6), "num_heads": 4}, "x"),
    ("merge_heads", {"x": draw(2, 5, 6)}, "x"),
    ("masked_softmax", {"score": draw(T, S), "mask": np.ones((T, S))}, "mask"),
    ("masked_softmax", {"score": draw(T, S), "mask": np.ones((T, S), int)}, "mask"),
    *(
        ("masked_softmax", {"score": draw(2, 3, 5), "mask": np.ones(shape, bool)}, "mask")
        for shape in ((3, 4), (2, 1, 4), (1, 2, 3, 5), (2, 5))
    ),
    *(("online_softmax", {"score": draw(T, S), "block_size": x}, "block_size") for x in SIZES),
    *(("flash_attention", {**LOOK, "block_size": x}, "block_size") for x in SIZES),
    ("flash_attention", {**LOOK, "mask": np.ones((2, T, S), bool)}, "mask"),
    *(("memory_traffic", {"T": x, "S": 3, "key_dim": 5}, "T") for x in SIZES),
    *(("memory_traffic", {"T": 3, "S": 3, "key_dim": x}, "key_dim") for x in SIZES),
    *(("memory_traffic", {"T": 3, "S": 3, "key_dim": 5, "block_size": x}, "block_size") for x in SIZES),
    ("image_to_tokens", {"image": draw(2, 3, 5)}, "image"),
    *(("image_to_tokens", {"image": draw(2, 3, 5, 7), "data_format": x}, "data_format") for x in ("NCHW", 3)),
    ("tokens_to_image", {"tokens": draw(2, 7, 3), "height": 2, "width": 3}, "tokens"),
    ("tokens_to_image", {"tokens": draw(2, 6, 3), "height": 2, "width": 4}, "tokens"),
    ("tokens_to_image", {"tokens": draw(2, 6), "height": 2, "width": 3}, "tokens"),
    ("tokens_to_image", {"tokens": draw(2, 6, 3), "height": -2, "width": -3}, "height"),
    ("tokens_to_image", {"tokens": draw(2, 6, 3), "height": 2, "width": 3.0}, "width"),
    ("scaled_dot_product_attention", {**LOOK, "bias": ONE}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(T, S + 1)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(3, 3, T, S)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(2, T, S)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": draw(S)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "bias": np.zeros((T, S), int)}, "bias"),
    ("scaled_dot_product_attention", {**LOOK, "query": QUERY[..., :0], "key": KEY[..., :0]}, "query"),
    ("scaled_dot_product_attention", {**LOOK, "query": QUERY[:, :, :0]}, "query"),
    ("scaled_dot_product_attention", {**LOOK, "key": KEY[:, :, :0], "value": VALUE[:, :, :0]}, "key"),
    ("scaled_dot_product_attention", {**LOOK, "key": KEY.astype(int)}, "key"),
    ("scaled_dot_product_attention", {**LOOK, "query": [1.0, 2.0]}, "query"),
    ("scaled_dot_product_attention", {**LOOK, "value": None}, "value"),
    ("scaled_dot_product_attention", {**LOOK, "mask": [[True]]}, "mask"),
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


def listed():
    """(where, what, call, names) of all that is no declared layer's size, option or input."""
    for face in ("reference", *FACES):
        for name, arguments, named in FUNCTIONS:
            yield face, f"{name}({spell(arguments)})", functools.partial(ask, face, name, arguments), (named,)
    for function, arguments, named in MASKS:
        yield "masks", f"{function.__name__}({spell(arguments)})", functools.partial(function, **arguments), (named,)
    for case in CASES:
        if case.layer:
            yield from missing_parameters(case)
    yield from conversions()


def spell(options):
    return ", ".join(f"{name}={x if np.ndim(x) == 0 else np.shape(x)!r}" for name, x in options.items())


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


OPTIONAL = re.compile(r"\b(query|key|value|output)_bias|\b[01]\.bias|^bias$")


def missing_parameters(case):
    """The specification is called without one of its parameters.

    A function on heads takes none: the case has the maps around it, and hands on by name what else a layer has.
    """
    parameters = get_parameters(layer_of(case, "pytorch"))
    if case.make or not parameters:
        return
    on_heads = "parameters" not in inspect.signature(function_of(case.declared)).parameters
    for name in MAPS if on_heads else parameters:
        if name not in parameters or OPTIONAL.search(name) or name == "gate" or name.startswith("bridge."):
            continue
        left = {key: x for key, x in parameters.items() if key != name}
        call = functools.partial(case.reference, case.inputs, None, left)
        yield "reference", f"{case.name} without {name}", call, (name,)


# Models that hand an input on to a part, which calls it by another name.
OTHER_NAMES = {("encoder_decoder", "source"): "tokens|memory", ("encoder_decoder", "target_in"): "targets|memory"}
# A bias is called with two sizes: the tests' own model has the input.
CALLED_WITH_SIZES = {"alibi_bias", "relative_bias"}


def wrong_inputs(case, face):
    """(what, changed arguments, names): each input, and the mask, with another rank, size or dtype, or empty."""
    form, whole = case.declared.form, tuple(case.inputs)
    several = (*whole, "mask", *(new for (name, _), new in OTHER_NAMES.items() if name == case.name))
    for number, (name, letters) in enumerate(form.inputs.items()):
        x, own = case.inputs[name], (OTHER_NAMES.get((case.name, name), name),)
        real, on_heads = x.dtype == np.float64, letters.startswith("BH")
        # The last to be checked is the one that does not fit the others.
        others = [axes for other, axes in form.inputs.items() if other != name]
        beside = own if (form is LAYER and number) or name == whole[-1] else several
        for what, bad, named in (
            ("one axis fewer", x[0], several if on_heads else own),
            ("one axis more", x[None], several if on_heads else own),
            ("dtype", x.astype(int) if real else x.astype(float), own),
        ):
            any_axes = on_heads and (form.alone or "num_heads" not in case.declared.sizes)
            if not (any_axes and what.startswith("one axis")):
                yield f"{name}, {what}", {name: bad}, named
        if face == "pytorch":  # Keras has its own words for it
            yield f"{name} = 'words'", {name: "words"}, own
        for axis, letter in enumerate(letters):
            if form.widths.get(letter) in case.declared.sizes and axis == len(letters) - 1:
                yield f"{name}, width", {name: x[..., 1:]}, own
            elif axis == len(letters) - 1 and any(other.endswith(letter) for other in others):
                yield f"{name}, width", {name: x[..., 1:]}, several
            if letter == "S" and number and any("S" in other for other in others[:number]):
                yield f"{name}, length", {name: np.delete(x, 0, axis)}, own
            if letter in "ST" and not form.empty:
                yield f"{name}, {letter} = 0", {name: np.take(x, [], axis=axis)}, several
        if len(whole) > 1 and not form.alone:
            yield f"{name}, batch", {name: x[1:]}, beside
            if real and not case.make:
                yield f"{name}, other dtype", {name: x.astype("float32")}, beside
    if case.mask is not None:
        yield from wrong_masks(case, form.mask)


# A mask of two, three or four axes, and one that another form would take. Over an image, both are right.
OTHER_AXES = {2: lambda t, n: (B, 1, n), 3: lambda t, n: (B, 1, 1, n), 4: lambda t, n: (B, t, n)}


def wrong_masks(case, axes):
    n, asking = case.mask.shape[-1], T if "S" in axes else case.mask.shape[-1]
    for what, bad in {
        "float": case.mask * 1.0,
        "longer": np.concatenate([case.mask, case.mask], axis=-1),
        "rank": case.mask[None, None],
        "padding of floats": np.ones((B, n)),
        "longer padding": np.ones((B, n + 1), bool),
        "axes of another form": np.ones(
            (B, 1, 1, n) if axes == "B1T" else (B, asking if len(axes) == 4 else 1, n), bool
        ),
    }.items():
        if not (what == "axes of another form" and axes == "B1P"):
            yield f"mask, {what}", {"mask": bad}, ("mask", "source_mask", "memory_mask")
    if getattr(case.item, "mask_rows", True) is not None:  # who takes numbers of documents
        yield "mask, int", {"mask": case.mask * 1}, ("mask", "source_mask", "memory_mask")
    if case.declared.padding:
        yield "mask, of queries", {"mask": np.ones((asking, n), bool)}, ("mask",)


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
        heads = FACES[face].MultiHeadAttention(6, 3)
        for bad in ([3], [-1], [0, 1, 2], 5):
            yield face, f"prune_heads({bad})", functools.partial(heads.prune_heads, bad), ("heads",)
