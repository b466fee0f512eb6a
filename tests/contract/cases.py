"""One case for every public layer: inputs, the specification, and the same thing in a framework.

A case is made from what a topic declares (``attn_course.core.declaration``). It is run as
``case.reference(inputs, mask, parameters)`` and ``case.run(face, item, inputs, mask)``, where ``item`` is the function
or the layer that ``case.build(face, dtype)`` made.
"""

import contextlib
import dataclasses
import inspect
import re
from typing import NamedTuple

import numpy as np
import pytest
from support import close, numbers, tensor

from attn_course import masks, pytorch, reference, tf
from attn_course.catalog import DECLARED
from attn_course.core.declaration import Layer
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.mechanisms.dot_product import reference as dot_product
from attn_course.mechanisms.relative import reference as relative
from attn_course.parity import get_parameters

B, S, T, N, M, H, A, K, V = 3, 7, 5, 11, 2, 13, 17, 19, 23
E = 2 * H
FACES = {"pytorch": pytorch, "tf": tf}
FORMULAS = (dot_product, relative)  # whose softmax of a score is that of every layer which takes a bias
# What an axis has where no size of the layer says it.
LONG = {"B": B, "T": T, "S": S, "H": 2, "K": A, "V": V, "Y": 3, "X": 5, "P": 15, "1": 1}


def padding(size):
    """What three sequences have: from the left, and a hole; the last row may see nothing."""
    seen = np.arange(size) < np.array([[size], [size // 2 + 1], [0]])
    seen[0, [0, 3]] = False
    return seen


PADDING = padding(S)
BUILT = {}


@contextlib.contextmanager
def said(*what):
    """A failure in here says what was tried."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"tried: {', '.join(map(str, what))}")
        raise


class Case(NamedTuple):
    """What a layer is built from and called with, and what it promises.

    ``declared`` says it all; the fields of its name are copied. ``axes`` are letters for the axes of the inputs, and of
    the mask at the end; B, T, S may be of any size. ``make`` builds what is more than one layer.
    """

    name: str
    declared: Layer
    inputs: dict
    axes: tuple
    mask: np.ndarray | None
    reference: object
    sizes: dict | None
    layer: str | None
    blocked: tuple = ()
    make: object = None
    cell: bool = False
    fixed: str = ""
    sums: str = "one"

    def __repr__(self):
        return self.name

    @property
    def arrays(self):
        """The inputs, and the mask where there is one."""
        return [*self.inputs.values(), *([] if self.mask is None else [self.mask])]

    @property
    def free(self):
        """The letters of the axes that may be of any size."""
        return {*"BTS"} - {*self.fixed}

    @property
    def alone(self):
        """Whether the one input is query and key: the hidden words ask too."""
        return len(self.inputs) == 1

    @property
    def item(self):
        """The function or class of PyTorch, which is called as that of TensorFlow is."""
        return getattr(pytorch, self.layer or self.name)

    @property
    def otherwise(self):
        """The options of a call, each the other way than it stands."""
        taken = dict(inspect.signature(getattr(self.item, "forward", self.item)).parameters)
        if any(p.kind is p.VAR_KEYWORD for p in taken.values()):  # what it hands on
            taken = {**inspect.signature(pytorch.MultiHeadAttention.forward).parameters, **taken}
        scored = self.inputs["score"].shape[-2:] if "score" in self.inputs else ()
        T, S = scored or (self.inputs.get(x, next(iter(self.inputs.values()))).shape[-2] for x in ("query", "key"))
        others = {
            "causal": "causal" in taken and not taken["causal"].default,
            "need_weights": False,
            "absorbed": True,
            "head_mask": np.random.default_rng(1).normal(size=self.declared.sizes.get("num_heads", 2)),
            "bias": np.random.default_rng(2).normal(size=(T, S)),
        }
        return {name: x for name, x in others.items() if name in taken}

    @property
    def options(self):
        """Those that it takes."""
        return {name: x for name, x in self.otherwise.items() if name not in self.declared.refuses}

    @property
    def call_options(self):
        """Those that a graph must hold besides: the words, not the arrays."""
        return {name: x for name, x in self.options.items() if isinstance(x, bool)}

    def build(self, face, dtype="float64", **options):
        if self.layer is None:
            return getattr(FACES[face], self.name)
        if face == "tf":
            return (self.make or _plain)(FACES[face], self, {"dtype": dtype, **options})
        if options:  # a place, given to the constructor
            return (self.make or _plain)(FACES[face], self, {"dtype": getattr(torch, dtype), **options})
        return (self.make or _plain)(FACES[face], self, {}).to(getattr(torch, dtype))

    def traced(self, face, dtype="float64"):
        """For a graph: of a stack one layer, since each adds the same to it."""
        one = {"num_layers": 1} if "num_layers" in self.declared.sizes else {}
        return self._replace(sizes=self.sizes and self.sizes | one).build(face, dtype)

    def built(self, face, dtype="float64"):
        """The same for every test that leaves it as it is, with the weights of one seed."""
        key = self.name, face, dtype
        if key not in BUILT:
            torch.manual_seed(0)
            keras.utils.set_random_seed(0)
            BUILT[key] = self.build(face, dtype)
        return BUILT[key]

    def convert(self, face, array, dtype="float64"):
        """An array of NumPy as the framework has it, real numbers in the dtype asked for."""
        return tensor(FACES[face], array, dtype if array.dtype == np.float64 else None)

    def values(self, face, inputs=None, mask=None, dtype="float64"):
        """The arguments of a call; without a mask, it is left out."""
        arrays = [*(self.inputs if inputs is None else inputs).values(), *([] if mask is None else [mask])]
        return [self.convert(face, x, dtype) for x in arrays]

    def run(self, face, item, inputs, mask, dtype="float64", **options):
        given = {name: self.convert(face, x, dtype) if isinstance(x, np.ndarray) else x for name, x in options.items()}
        return item(*self.values(face, inputs, mask, dtype), **given)

    def longer(self):
        """The same inputs and mask at another batch and other lengths, rows as they were first."""
        more = {"B": 2, "T": 5, "S": 4}  # S - T no larger: a position that asks (Longformer) does so still
        return self.sized(lambda letter, size: size + (0 if letter in self.fixed else more.get(letter, 0)))

    def sized(self, size_of):
        """The inputs and the mask, every axis as long as ``size_of`` says of its letter and its length."""
        made = []
        for x, letters in zip(self.arrays, self.axes, strict=True):
            for axis, letter in enumerate(letters):
                x = x.take(range(size_of(letter, x.shape[axis])), axis=axis, mode="wrap")
            made.append(x)
        inputs = dict(zip(self.inputs, made, strict=False))
        return inputs, None if self.mask is None else made[-1]


def _plain(face, case, options):
    return getattr(face, case.layer)(**case.sizes, **options)


def part(parameters, prefix):
    """The parameters of one part of a model."""
    found = {key: x for key, x in parameters.items() if key.startswith(prefix)}
    return {key.removeprefix(prefix): x for key, x in found.items()}


def _luong_decoder(face, case, options):
    attention = face.LuongAttention(H, E, score="general", **options)
    return face.LuongDecoder(**case.sizes, attention=attention, **options)


def _both_parts(face, case, options):
    sizes = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H}
    encoder = face.RecurrentEncoder(**sizes, **options)
    decoder = face.BahdanauDecoder(**sizes, memory_dim=E, attention_dim=A, **options)
    # The model itself is given no dtype: its parts have theirs.
    return face.EncoderDecoder(encoder, decoder)


def _encoder_decoder(x, mask, parameters):
    mask = (x["source"] != 0) & (True if mask is None else mask)
    memory, last = reference.recurrent_encoder(x["source"], part(parameters, "encoder."), mask=mask)
    decoder = part(parameters, "decoder.")
    state = np.tanh(last[:, H:] @ decoder["bridge.weight"] + decoder["bridge.bias"])
    return reference.bahdanau_decoder(x["target_in"], memory, state, decoder, mask)


def _rotary_encoding(x, mask, parameters):
    T, S = (array.shape[-2] for array in x.values())
    positions = np.arange(S - T, S), np.arange(S)
    return tuple(reference.rotate(array, t) for array, t in zip(x.values(), positions, strict=True))


def _log_length_scale(x, mask, parameters):
    T, S = (array.shape[-2] for array in x.values())
    positions = np.maximum(np.arange(S - T, S), 0)
    scale = reference.log_length_scale(positions, trained_length=3)
    return x["query"] * scale[:, None], x["key"]


class Biased(torch.nn.Module):
    """Scores and a bias: a bias is called with sizes, a model with tensors."""

    def __init__(self, bias_layer):
        super().__init__()
        self.bias_layer = bias_layer

    def forward(self, score):
        return score + self.bias_layer(score.shape[-2], score.shape[-1])


@keras.saving.register_keras_serializable("tests")
class KerasBiased(keras.layers.Layer):
    def __init__(self, bias_layer, **options):
        super().__init__(**options)
        self.bias_layer = bias_layer

    def call(self, score):
        return score + self.bias_layer(*tensorflow.unstack(tensorflow.shape(score)[-2:]))

    def get_config(self):
        return {**super().get_config(), "bias_layer": keras.saving.serialize_keras_object(self.bias_layer)}

    @classmethod
    def from_config(cls, config):
        return cls(**{**config, "bias_layer": keras.saving.deserialize_keras_object(config["bias_layer"])})


def _biased(face, case, options):
    inner = _plain(face, case, options)
    return Biased(inner) if face is pytorch else KerasBiased(inner, **options)


def _with_parts(face, case, options):
    """A layer with all parts at once; a part of Keras has a dtype of its own."""
    sizes, place = case.sizes, options
    D, H, K, V = (sizes[name] for name in ("model_dim", "num_heads", "key_dim", "value_dim"))
    return face.GroupedQueryAttention(
        **sizes,
        query_key_norm=face.QueryKeyNorm(K, **place),
        softmax=face.SinkSoftmax(H, **place),
        output_gate=face.OutputGate(D, H, V, **place),
        **options,
    )


def _all_parts(inputs, mask, parameters, causal=False, bias=None):
    """The specification of the same: what each part says, put together."""
    names, heads = ("query", "key", "value"), (4, 2, 2)
    maps = [inputs[n] @ parameters[f"{n}_weight"] + parameters[f"{n}_bias"] for n in names]
    q, k, v = (reference.split_heads(x, number) for x, number in zip(maps, heads, strict=True))
    q, k = reference.query_key_norm(q, k, part(parameters, "query_key_norm."))
    k, v = (np.repeat(x, 2, axis=1) for x in (k, v))
    score = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    score = score if bias is None else score + bias
    if causal:
        mask = both(mask, masks.causal_mask(*score.shape[-2:]))
    weights = reference.sink_softmax(score, part(parameters, "softmax."), mask)
    context = reference.output_gate(weights @ v, inputs["query"], part(parameters, "output_gate."))
    return reference.merge_heads(context) @ parameters["output_weight"] + parameters["output_bias"], weights


def _gates(key, parameters, *names):
    """Sigmoids of a linear map of the key's input."""
    scores = {name: key @ parameters[f"{name}_weight"] + parameters[f"{name}_bias"] for name in names}
    return {name: (1 + np.tanh(score.swapaxes(-1, -2) / 2)) / 2 for name, score in scores.items()}


def _delta_rule(inputs, mask, parameters, causal=True):
    gates = _gates(inputs["key"], parameters, "beta", "decay")
    if gates["decay"].shape != gates["beta"].shape:  # one a column
        gates["decay"] = np.stack(np.split(gates["decay"], 2, axis=1), axis=1).swapaxes(-1, -2)

    def attend(query, key, value, mask, *, bias, causal):
        query, key = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key))
        return reference.delta_rule_attention(query, key, value, mask=mask, **gates)[0], None

    return reference.multi_head_attention_at_once(*inputs.values(), parameters, num_heads=2, mask=mask, attend=attend)


def _chosen_blocks(inputs, mask, parameters, causal=True):
    def attend(query, key, value, mask, *, bias, causal):
        return reference.chosen_blocks_attention(query, key, value, mask, block_size=3, top_k=2)

    heads = {"num_heads": 2, "mask": mask, "attend": attend}
    return reference.multi_head_attention_at_once(*inputs.values(), parameters, **heads)


def _lsh(inputs, mask, parameters, **options):
    def attend(query, key, value, mask, *, bias, causal):
        sizes = {"num_buckets": 2, "num_rounds": 2, "chunk_size": 4, "rotations": parameters["rotations"]}
        return reference.lsh_attention(query, value, mask, **sizes, causal=causal)[0], None

    shared = {f"key_{x}": parameters.get(f"query_{x}") for x in ("weight", "bias")}  # one projection for both
    parameters = parameters | {key: x for key, x in shared.items() if x is not None}
    x = inputs["query"]
    heads = {"num_heads": 2, "mask": mask, "attend": attend}
    return reference.multi_head_attention_at_once(x, x, x, parameters, **heads, **options)


STACKS = {"encoder": "mask", "decoder": "memory_mask", "transformer": "source_mask", "language_model": "mask"}
WIDE = {"vocab_size", "source_vocab_size", "num_layers", "model_dim", "ff_dim"}  # what the parameters say


def _stack(declared):
    """Of a model, whose specification takes the mask by another name, and hands on what it does not know itself."""
    options = {name: x for name, x in declared.sizes.items() if name not in WIDE}

    def run(x, mask, parameters, **called):
        called |= {STACKS[declared.name]: mask, "num_layers": len({*re.findall(r"layers\.\d+", " ".join(parameters))})}
        return getattr(reference, declared.name)(*x.values(), parameters, **options, **called)

    return run


# What no rule below makes of a declaration: specifications that are called otherwise, and what is built of several.
SPECIFICATIONS = {
    "delta_rule_attention": _delta_rule,
    "lsh_attention": _lsh,
    "chosen_blocks_attention": _chosen_blocks,
    "luong_decoder": lambda x, mask, parameters: reference.luong_decoder(
        *x.values(), parameters, mask, score="general"
    ),
    "encoder_decoder": _encoder_decoder,
    "sinusoidal_encoding": lambda x, mask, parameters: (x["x"] + reference.sinusoidal_encoding(x["x"].shape[1], H),),
    "rotary_encoding": _rotary_encoding,
    "log_length_scale": _log_length_scale,
    "capped_softmax": lambda x, mask, parameters, bias=0.0: (reference.capped_softmax(x["score"], 2.0, mask, bias),),
    "alibi_bias": lambda x, mask, parameters: (x["score"] + reference.alibi_bias(2, *x["score"].shape[2:]),),
    "relative_bias": lambda x, mask, parameters: (
        x["score"] + reference.relative_bias(*x["score"].shape[2:], part(parameters, "bias_layer."), max_distance=23),
    ),
}
MAKES = {
    "luong_decoder": _luong_decoder,
    "encoder_decoder": _both_parts,
    "alibi_bias": _biased,
    "relative_bias": _biased,
}


def both(mask, seen):
    """What a mask, or none, and a pattern let a query see."""
    return seen if mask is None else seen & mask


def function_of(declared):
    """The function of the reference that says what is declared."""
    return getattr(reference, "multi_head_attention" if declared.pattern else declared.reference or declared.name)


def specification(declared):
    """The reference, called with those sizes and parameters that it has arguments for.

    One that takes no parameters is a mechanism's on heads: the layer's projections are put around it.
    """
    if declared.name in STACKS:
        return _stack(declared)
    if declared.name in SPECIFICATIONS:
        return SPECIFICATIONS[declared.name]
    function, pattern = function_of(declared), getattr(masks, declared.pattern or "causal_mask")
    taken, pattern_takes = (inspect.signature(f).parameters for f in (function, pattern))
    over_heads = declared.layer and "parameters" not in taken and "key" in declared.form.inputs and declared.form.mask

    def run(inputs, mask, parameters, **called):
        options = {size: x for size, x in declared.sizes.items() if size in taken}
        if over_heads:
            options |= called | {name: x for name, x in parameters.items() if name in taken}
            heads = {"num_heads": declared.sizes["num_heads"], "mask": mask}

            def attend(query, key, value, mask, *, bias, causal):
                return function(query, key, value, mask, **options)

            found = reference.multi_head_attention_at_once(*inputs.values(), parameters, **heads, attend=attend)
        else:
            given = {"mask": mask, "memory_mask": mask, "parameters": parameters}
            options |= {name: x for name, x in given.items() if name in taken}
            if declared.pattern:
                lengths, given = [inputs[name].shape[1] for name in ("query", "key")], dict(declared.sizes)
                if "causal" in pattern_takes:  # as the layer is called: where its mask has no default, it isn't
                    given["causal"] = called.pop("causal", pattern_takes["causal"].default is True)
                seen = pattern(*lengths, **{size: x for size, x in given.items() if size in pattern_takes})
                options["mask"] = both(mask, seen)
            found = function(**inputs, **options, **called)
        found = found if isinstance(found, tuple) else (found,)
        return found if declared.weights else (found[0], None)

    return run


def lengths(declared):
    """How long every axis is."""
    form, sizes = declared.form, declared.sizes
    found = LONG if "S" in "".join(form.inputs.values()) else LONG | {"T": S}
    for letter, name in form.widths.items():
        size = sizes.get(name)
        if size is None and letter in "EF":
            size = sizes.get("model_dim")
        if size is not None:
            found = found | {letter: size[letter == "F"] if isinstance(size, tuple) else size}
    return found


def case_of(declared, **changes):
    """The case of what a topic declares."""
    form, long = declared.form, lengths(declared)
    rng = np.random.default_rng(0)

    def draw(axes):
        shape = [long[letter] for letter in axes]
        return rng.integers(0, N, shape) if set(axes) <= set("BTS") else rng.normal(size=shape)

    mask = padding(long[form.mask[-1]]) if form.mask else None
    same = {field: getattr(declared, field) for field in Case._fields if hasattr(declared, field)}
    return Case(
        **same
        | {
            "declared": declared,
            "inputs": {name: draw(axes) for name, axes in form.inputs.items()},
            "axes": (*form.inputs.values(), *([form.mask] if form.mask else [])),
            "mask": None if mask is None else mask.reshape(B, *[1] * (len(form.mask) - 2), -1),
            "reference": specification(declared),
            "sizes": dict(declared.sizes) if declared.layer else None,
            "blocked": form.blocked,
            "make": MAKES.get(declared.name),
        }
        | changes
    )


ALL = {declared.name: declared for topic in DECLARED.values() for declared in topic}
CASES = (
    *map(case_of, ALL.values()),
    # All parts at once.
    case_of(
        ALL["grouped_query_attention"], name="gated_attention", reference=_all_parts, make=_with_parts, sums="less"
    ),
)


# Settings that take another branch than the declared sizes: numbers and slopes alone are asked of them.
SETTINGS = (
    ("luong_attention", {"score": "dot", "memory_dim": 13}),
    ("luong_attention", {"score": "location"}),
    ("luong_attention", {"score": "concat"}),
    ("local_attention", {"score": "general", "alignment": "predictive"}),
    ("self_attention", {"project": True}),
    ("feature_map_attention", {"residual": False}),
    ("multi_head_attention", {"num_heads": 1, "use_bias": False}),
    ("grouped_query_attention", {"num_kv_heads": 1}),
    ("grouped_query_attention", {"num_kv_heads": 4}),
    ("grouped_query_attention", {"value_norm": 0.3}),
    ("latent_attention", {"query_latent_dim": None}),
    ("relative_attention", {"max_distance": 0, "use_bias": True}),
    ("linear_attention", {"feature_map": "relu", "normalize": False}),
    ("delta_rule_attention", {"decay": "columns"}),
    ("indexed_attention", {"top_k": 1, "index_heads": 1}),
    ("linformer_attention", {"sharing": "heads"}),
    ("linformer_attention", {"sharing": "key_value"}),
    ("query_key_norm", {"use_scale": False}),
    ("query_key_norm", {"num_heads": 2}),
    *(("feed_forward", {"activation": name}) for name in ("relu", "gelu_tanh", "silu")),
    *(("feed_forward", {"activation": name, "use_bias": False}) for name in ("swiglu", "geglu", "geglu_tanh")),
    ("encoder_layer", {"norm": "pre", "activation": "gelu"}),
    ("encoder_layer", {"norm": "both", "normalization": "rms", "activation": "swiglu"}),
    ("encoder_layer", {"norm": "pre", "normalization": "layer_no_bias"}),
    ("decoder_layer", {"norm": "pre", "normalization": "rms", "activation": "swiglu"}),
    ("encoder", {"norm": "post", "eps": 0.5}),
    ("encoder", {"norm": "both", "normalization": "rms", "activation": "geglu_tanh"}),
    ("decoder", {"norm": "post", "eps": 0.5}),
    ("decoder", {"normalization": "rms", "activation": "swiglu", "eps": 0.5}),
    ("transformer", {"norm": "pre", "activation": "gelu", "source_vocab_size": 17}),
    ("language_model", {"embedding_scale": 0.7, "normalization": "rms", "eps": 0.5}),
)
VARIANTS = tuple(
    case_of(dataclasses.replace(ALL[name], sizes={**ALL[name].sizes, **sizes}), name=f"{name}, {sizes}")
    for name, sizes in SETTINGS
)


def parameters_of(case, item):
    """In float64; a function has none."""
    return {name: np.float64(x) for name, x in get_parameters(item).items()} if case.layer else {}


def specified(case, item, inputs, mask, *, head_mask=None, bias=None, need_weights=True, absorbed=False, **called):
    """What the specification says, with the parameters of a layer, or these, called with these options.

    Formulas have no head mask and no bias. A head's context times a number is its rows of the last matrix times it; a
    bias is added where a formula takes the softmax of a score with axes of these lengths.
    """
    parameters = item if isinstance(item, dict) else parameters_of(case, item)
    if head_mask is not None:
        (last,) = (name for name in parameters if name.endswith("output_weight"))
        rows = len(parameters[last]) // len(head_mask)
        parameters[last] = np.repeat(head_mask, rows)[:, None] * parameters[last]

    softmax = dot_product.masked_softmax

    def biased(score, mask=None):
        return softmax(score if bias is None or score.shape[-2:] != bias.shape else score + bias, mask)

    with pytest.MonkeyPatch.context() as patch:
        for module in FORMULAS if bias is not None else ():
            patch.setattr(module, "masked_softmax", biased)
        if bias is not None and "bias" in inspect.signature(case.reference).parameters:
            called["bias"] = bias
        found = case.reference(inputs, mask, parameters, **called)
    return found if need_weights else (found[0], *[None] * len(flat(found[1:])))


def flat(found):
    """One list of all outputs: weights of a stack are a tuple."""
    if isinstance(found, (tuple, list)):
        return [x for part in found for x in flat(part)]
    return [found]


def plain(found):
    """All outputs in NumPy."""
    return [x if x is None else numbers(x) for x in flat(found)]


def same(found, expected, tolerance=1e-10):
    close(flat(found), flat(expected), tolerance)


# Public names that are no row of the catalog: what tests/mechanisms checks of them.
PARTS = {
    name: f"tests/{file}.py"
    for file, names in {
        "mechanisms/test_dot_product": "masked_softmax",
        "mechanisms/test_luong": "local_window luong_score",
        "mechanisms/test_self_attention": "image_to_tokens tokens_to_image",
        "mechanisms/test_multi_head": "split_heads merge_heads",
        "mechanisms/test_multi_head_heads": "head_importance",
        "mechanisms/test_grouped_query": "to_grouped",
        "mechanisms/test_kv_cache": "KVCache",
        "mechanisms/test_paged": "BlockPool PagedKVCache paged_attention",
        "mechanisms/test_quantized_cache": "quantize dequantize QuantizedKVCache",
        "mechanisms/test_lengthening": "rotary_frequencies",
        "mechanisms/test_positional_rotary": "rotate change_layout",
        "mechanisms/test_distance_bias": "alibi_slopes relative_buckets",
        "mechanisms/test_linear": "linear_attention_step retention_decay",
        "mechanisms/test_delta_rule": "delta_rule_step",
        "mechanisms/test_random_features": "softmax_features orthogonal_projection gaussian_projection",
        "mechanisms/test_flash": "online_softmax memory_traffic",
        "mechanisms/test_hashing": "lsh_buckets ReversibleLayers",
        "mechanisms/test_indexed": "index_scores top_keys index_loss",
        "models/test_transformer": "label_smoothing warm_up_rate",
        "models/test_decoding": "greedy_decode beam_search",
        "models/test_language_model": "generate",
        "models/test_serving": "Engine",
        "models/test_speculative": "speculative_generate",
        "oracles/test_huggingface_oracles": "from_huggingface",
    }.items()
    for name in names.split()
}
