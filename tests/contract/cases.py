"""One case for every public layer: inputs, the specification, and the same thing in a framework.

A case is run as ``case.reference(inputs, mask, parameters)`` and ``case.run(face, item, inputs, mask)``, where
``item`` is the function or the layer that ``case.build(face, dtype)`` made. Sizes are different primes.
"""

from typing import NamedTuple

import numpy as np
from support import close, numbers, tensor

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.frameworks import tf as tensorflow
from attn_course.parity import get_parameters

B, S, T, N, M, H, A, K, V = 3, 7, 5, 11, 2, 13, 17, 19, 23
E = 2 * H
FACES = {"pytorch": pytorch, "tf": tf}
PADDING = np.arange(S) < np.array([[7], [4], [0]])
PADDING[0, [0, 3]] = False  # from the left, and a hole; the last row may see nothing


class Case(NamedTuple):
    """What a layer is built from and called with, and what it promises.

    ``axes`` are letters for the axes of the inputs, and of the mask at the end; B, T, S may be of any size. ``blocked``
    names the inputs that the mask hides; ``changes`` are wrong arguments and who must be named; ``make`` builds what
    is more than one layer; ``cell``: one of the libraries' recurrent cells, which no compiler of PyTorch takes whole;
    ``fixed``: letters of the axes that stay as they are in a graph, ``unrolled`` those that do in PyTorch alone;
    ``no_onnx``: what ONNX has no operator for; ``branches``: on a length, so that no compiled graph of
    PyTorch serves all.
    """

    name: str
    inputs: dict
    axes: tuple
    mask: np.ndarray | None
    reference: object
    sizes: dict | None
    layer: str | None
    blocked: tuple = ()
    changes: tuple = ()
    make: object = None
    cell: bool = False
    fixed: str = ""
    unrolled: str = ""
    no_onnx: str = ""
    branches: bool = False

    @property
    def alone(self):
        """Whether the one input is query and key: the hidden words ask too."""
        return len(self.inputs) == 1

    def build(self, face, dtype="float64", **options):
        if self.layer is None:
            return getattr(FACES[face], self.name)
        if face == "tf":
            return (self.make or _plain)(FACES[face], self, {"dtype": dtype, **options})
        if options:  # a place, given to the constructor
            return (self.make or _plain)(FACES[face], self, {"dtype": getattr(torch, dtype), **options})
        return (self.make or _plain)(FACES[face], self, {}).to(getattr(torch, dtype))

    def convert(self, face, array, dtype="float64"):
        """An array of NumPy as the framework has it, real numbers in the dtype asked for."""
        return tensor(FACES[face], array, dtype if array.dtype == np.float64 else None)

    def values(self, face, inputs=None, mask=None, dtype="float64"):
        """The arguments of a call; without a mask, it is left out."""
        arrays = [*(self.inputs if inputs is None else inputs).values(), *([] if mask is None else [mask])]
        return [self.convert(face, x, dtype) for x in arrays]

    def run(self, face, item, inputs, mask, dtype="float64"):
        return item(*self.values(face, inputs, mask, dtype))

    def longer(self, fixed=None):
        """The same inputs and mask at another batch and other lengths, rows as they were first."""
        fixed = self.fixed if fixed is None else fixed
        more = {"B": 2, "T": 4, "S": 6}
        arrays = [*self.inputs.values(), *([] if self.mask is None else [self.mask])]
        made = []
        for x, letters in zip(arrays, self.axes, strict=True):
            for axis, letter in enumerate(letters):
                size = x.shape[axis] + (0 if letter in fixed else more.get(letter, 0))
                x = x.take(range(size), axis=axis, mode="wrap")
            made.append(x)
        inputs = dict(zip(self.inputs, made, strict=False))
        return inputs, None if self.mask is None else made[-1]


def _plain(face, case, options):
    return getattr(face, case.layer)(**case.sizes, **options)


def _draw():
    rng = np.random.default_rng(0)
    shapes = {
        "query": (B, 2, T, K),
        "key": (B, 2, S, K),
        "value": (B, 2, S, V),
        "state": (B, T, H),
        "memory": (B, S, E),
        "x": (B, S, H),
        "initial_state": (B, H),
        "other_memory": (B, S, V),
        "token_query": (B, T, H),
        "token_key": (B, S, H),
        "token_value": (B, S, H),
        "image": (B, 3, 5, H),
        "score": (B, 2, T, S),
        "written": (B, T, E),
    }
    drawn = {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"targets": rng.integers(0, N, (B, T))}
    return drawn | {"source": rng.integers(0, N, (B, S))}


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


_X = _draw()
_MASKS = (("mask", np.ones((B, S)), "mask"), ("mask", np.ones((B, S + 1), bool), "mask"))
_LOOK_CHANGES = (
    ("query", _X["state"][0], "query"),
    ("query", _X["state"][..., 1:], "query"),
    ("memory", _X["memory"][1:], "memory"),
    ("memory", _X["memory"].astype("float32"), "memory"),
    *_MASKS,
    ("mask", np.ones((B, 1, S), bool), "mask"),
)

_HEAD_CHANGES = (
    ("query", _X["token_query"][0], "query"),
    ("query", _X["token_query"][..., 1:], "query"),
    ("key", _X["token_key"][..., 1:], "key"),
    ("key", _X["token_key"].astype("float32"), "key"),
    ("value", _X["token_value"][:, 1:], "value"),
    ("value", _X["token_value"][1:], "value"),
    *_MASKS,
    ("mask", np.ones((B, T, S), bool), "mask"),
    ("mask", np.ones((T, S), bool), "mask"),
)


def _over_heads(name, *, gates=(), keeps=(), **options):
    """The specification of a layer over heads, from that of its mechanism.

    ``gates`` are sigmoids of a linear map of the key's input, ``keeps`` parameters that the mechanism is given.
    """

    def run(inputs, mask, parameters):
        query, key, value = (*inputs.values(),) if len(inputs) == 3 else (*inputs.values(),) * 3
        own = {gate: _gate(key, parameters, gate) for gate in gates} | {keep: parameters[keep] for keep in keeps}

        def attend(query, key, value, mask, *, bias, causal):
            if name == "lsh_attention":
                found = reference.lsh_attention(query, value, mask, **own, **options)
            elif name == "delta_rule_attention":
                query, key = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (query, key))
                found = reference.delta_rule_attention(query, key, value, mask=mask, **own)
            else:
                found = getattr(reference, name)(query, key, value, mask, **own, **options)
            return found[0], found[1] if name == "linformer_attention" else None

        if name == "lsh_attention":  # one projection for both
            shared = {f"key_{x}": parameters.get(f"query_{x}") for x in ("weight", "bias")}
            parameters = parameters | {key: x for key, x in shared.items() if x is not None}
        heads = {"num_heads": 2, "mask": mask, "attend": attend}
        return reference.multi_head_attention_at_once(query, key, value, parameters, **heads)

    return run


def _gate(key, parameters, name):
    score = key @ parameters[f"{name}_weight"] + parameters[f"{name}_bias"]
    return 1 / (1 + np.exp(-score.swapaxes(-1, -2)))


CASES = (
    Case(
        name="scaled_dot_product_attention",
        inputs={name: _X[name] for name in ("query", "key", "value")},
        axes=("BHTK", "BHSK", "BHSV", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.scaled_dot_product_attention(*x.values(), mask),
        sizes=None,
        layer=None,
        blocked=("key", "value"),
        changes=(
            ("query", _X["query"][0, 0, 0], "query"),
            ("query", _X["query"][..., 1:], "key"),
            ("value", _X["value"][:, :, 1:], "value"),
            ("key", _X["key"].astype("float32"), "key"),
            *_MASKS,
        ),
    ),
    Case(
        name="fixed_context_decoder",
        inputs={name: _X[name] for name in ("targets", "memory", "initial_state")},
        axes=("BT", "BSE", "BH", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.fixed_context_decoder(*x.values(), parameters, mask),
        sizes={"vocab_size": N, "embedding_dim": M, "hidden_dim": H, "memory_dim": E},
        cell=True,
        fixed="T",
        layer="FixedContextDecoder",
        blocked=("memory",),
        changes=(
            ("targets", _X["targets"][0], "targets"),
            ("targets", _X["memory"][:, :, 0], "targets"),
            ("memory", _X["memory"][1:], "memory"),
            ("memory", _X["memory"][..., 2:], "memory"),
            ("initial_state", _X["initial_state"][:, 1:], "initial_state"),
            ("initial_state", _X["initial_state"].astype("float32"), "initial_state"),
            *_MASKS,
        ),
    ),
    Case(
        name="additive_attention",
        inputs={"query": _X["state"], "memory": _X["memory"]},
        axes=("BTD", "BSE", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.additive_attention(*x.values(), parameters, mask),
        sizes={"query_dim": H, "memory_dim": E, "hidden_dim": A},
        layer="AdditiveAttention",
        blocked=("memory",),
        changes=_LOOK_CHANGES,
    ),
    Case(
        name="luong_attention",
        inputs={"query": _X["state"], "memory": _X["memory"]},
        axes=("BTD", "BSE", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.luong_attention(*x.values(), parameters, mask, score="general"),
        sizes={"query_dim": H, "memory_dim": E, "score": "general"},
        layer="LuongAttention",
        blocked=("memory",),
        changes=_LOOK_CHANGES,
    ),
    Case(
        name="local_attention",
        inputs={"query": _X["state"], "memory": _X["memory"]},
        axes=("BTD", "BSE", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.local_attention(
            *x.values(), parameters, mask, score="concat", half_width=2, alignment="monotonic"
        ),
        sizes={
            "query_dim": H,
            "memory_dim": E,
            "half_width": 2,
            "score": "concat",  # bounded: no weight in the window falls to nothing
            "hidden_dim": A,
            "alignment": "monotonic",
        },
        layer="LocalAttention",
        blocked=("memory",),
        changes=_LOOK_CHANGES,
    ),
    Case(
        name="self_attention",
        inputs={"x": _X["x"]},
        axes=("BTD", "B1T"),
        mask=PADDING[:, None],
        reference=lambda x, mask, parameters: reference.self_attention(x["x"], parameters, mask),
        sizes={"model_dim": H, "key_dim": K, "value_dim": V},
        layer="SelfAttention",
        blocked=("x",),
        changes=(
            ("x", _X["x"][0], "x"),
            ("x", _X["x"][..., 1:], "x"),
            *_MASKS,
            ("mask", np.ones((B, 1, 1, S), bool), "mask"),
        ),
    ),
    Case(
        name="multi_head_attention",
        inputs={"query": _X["state"], "key": _X["memory"], "value": _X["other_memory"]},
        axes=("BTD", "BSE", "BSF", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.multi_head_attention(
            *x.values(), parameters, num_heads=M, mask=mask
        ),
        sizes={"model_dim": H, "num_heads": M, "key_dim": K, "value_dim": A, "memory_dim": (E, V)},
        layer="MultiHeadAttention",
        blocked=("key", "value"),
        changes=(
            ("query", _X["state"][0], "query"),
            ("query", _X["state"][..., 1:], "query"),
            ("key", _X["memory"][1:], "key"),
            ("key", _X["memory"].astype("float32"), "key"),
            ("value", _X["other_memory"][:, 1:], "value"),
            ("value", _X["other_memory"][..., 1:], "value"),
            ("mask", np.ones((B, T, S), bool), "mask"),
            *_MASKS,
        ),
    ),
    Case(
        name="relative_attention",
        inputs={name: _X[f"token_{name}"] for name in ("query", "key", "value")},
        axes=("BTD", "BSD", "BSD", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.relative_attention(
            *x.values(), parameters, num_heads=2, mask=mask
        ),
        sizes={"model_dim": H, "num_heads": 2, "max_distance": 3, "key_dim": M + 1, "value_dim": T},
        layer="RelativeAttention",
        blocked=("key", "value"),
        changes=(
            ("query", _X["token_query"][0], "query"),
            ("query", _X["token_query"][..., 1:], "query"),
            ("key", _X["token_key"][..., 1:], "key"),
            ("key", _X["token_key"].astype("float32"), "key"),
            ("value", _X["token_value"][:, 1:], "value"),
            ("value", _X["token_value"][1:], "value"),
            *_MASKS,
            ("mask", np.ones((B, T, S), bool), "mask"),
        ),
    ),
    *(
        Case(
            name=name,
            inputs={name: _X[f"token_{name}"] for name in ("query", "key", "value")},
            axes=("BTD", "BSD", "BSD", "B11S"),
            mask=PADDING[:, None, None],
            reference=_over_heads(name, **options),
            sizes={"model_dim": H, "num_heads": 2, "key_dim": M + 1, "value_dim": T, **sizes},
            layer=layer,
            blocked=("key", "value"),
            changes=_HEAD_CHANGES,
            **limits,
        )
        for name, layer, sizes, options, limits in (
            ("linear_attention", "LinearAttention", {}, {}, {}),
            (
                "delta_rule_attention",
                "DeltaRuleAttention",
                {"decay": "learned"},
                {"gates": ("beta", "decay")},
                {"unrolled": "TS", "no_onnx": "solve_triangular"},
            ),
            ("performer_attention", "PerformerAttention", {"num_features": A}, {"keeps": ("projection",)}, {}),
            ("random_feature_attention", "RandomFeatureAttention", {"num_features": E}, {"keeps": ("projection",)}, {}),
            (
                "linformer_attention",
                "LinformerAttention",
                {"length": S, "rank": M + 1},
                {"keeps": ("key_projection", "value_projection")},
                {"fixed": "S"},
            ),
        )
    ),
    Case(
        name="lsh_attention",
        inputs={"query": _X["x"]},
        axes=("BTD", "B11T"),
        mask=PADDING[:, None, None],
        reference=_over_heads("lsh_attention", keeps=("rotations",), num_buckets=2, num_rounds=2, chunk_size=S),
        sizes={"model_dim": H, "num_heads": 2, "key_dim": M + 1, "num_buckets": 2, "num_rounds": 2, "chunk_size": S},
        layer="LSHAttention",
        no_onnx="sort",
        branches=True,
        blocked=("query",),
        changes=(
            ("query", _X["x"][0], "query"),
            ("query", _X["x"][..., 1:], "query"),
            *_MASKS,
            ("mask", np.ones((B, S, S), bool), "mask"),
        ),
    ),
    Case(
        name="grouped_query_attention",
        inputs={"query": _X["state"], "key": _X["memory"], "value": _X["other_memory"]},
        axes=("BTD", "BSE", "BSF", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.grouped_query_layer(
            *x.values(), parameters, num_heads=6, num_kv_heads=3, mask=mask
        ),
        sizes={
            "model_dim": H,
            "num_heads": 6,
            "num_kv_heads": 3,
            "key_dim": 5,
            "value_dim": 7,
            "memory_dim": (E, V),
        },
        layer="GroupedQueryAttention",
        blocked=("key", "value"),
        changes=(
            ("query", _X["state"][0], "query"),
            ("query", _X["state"][..., 1:], "query"),
            ("key", _X["memory"][1:], "key"),
            ("key", _X["memory"].astype("float32"), "key"),
            ("value", _X["other_memory"][:, 1:], "value"),
            ("mask", np.ones((B, T, S), bool), "mask"),
            *_MASKS,
        ),
    ),
    Case(
        name="latent_attention",
        inputs={"x": _X["x"]},
        axes=("BTD", "B11T"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.latent_attention(
            x["x"], parameters, mask, num_heads=2, key_dim=5, value_dim=7, rope_dim=4
        ),
        sizes={
            "model_dim": H,
            "num_heads": 2,
            "latent_dim": 11,
            "rope_dim": 4,
            "key_dim": 5,
            "value_dim": 7,
            "query_latent_dim": A,
        },
        layer="LatentAttention",
        blocked=("x",),
        changes=(
            ("x", _X["x"][0], "x"),
            ("x", _X["x"][..., 1:], "x"),
            *_MASKS,
            ("mask", np.ones((B, S, S), bool), "mask"),
        ),
    ),
    Case(
        name="recurrent_encoder",
        inputs={"tokens": _X["source"]},
        axes=("BS", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.recurrent_encoder(x["tokens"], parameters, mask=mask),
        sizes={"vocab_size": N, "embedding_dim": M, "hidden_dim": H},
        layer="RecurrentEncoder",
        cell=True,
    ),
    Case(
        name="bahdanau_decoder",
        inputs={name: _X[name] for name in ("targets", "memory", "initial_state")},
        axes=("BT", "BSE", "BH", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.bahdanau_decoder(*x.values(), parameters, mask),
        sizes={"vocab_size": N, "embedding_dim": M, "hidden_dim": H, "memory_dim": E, "attention_dim": A},
        layer="BahdanauDecoder",
        blocked=("memory",),
        cell=True,
        fixed="T",
    ),
    Case(
        name="luong_decoder",
        inputs={name: _X[name] for name in ("targets", "memory", "initial_state")},
        axes=("BT", "BSE", "BH", "BS"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.luong_decoder(*x.values(), parameters, mask, score="general"),
        sizes={"vocab_size": N, "embedding_dim": M, "hidden_dim": H, "memory_dim": E},
        layer="LuongDecoder",
        blocked=("memory",),
        make=_luong_decoder,
        cell=True,
        fixed="T",
    ),
    Case(
        name="encoder_decoder",
        inputs={"source": _X["source"], "target_in": _X["targets"]},
        axes=("BS", "BT", "BS"),
        mask=PADDING,
        reference=_encoder_decoder,
        sizes={},
        layer="EncoderDecoder",
        make=_both_parts,
        cell=True,
        fixed="T",
    ),
    Case(
        name="feed_forward",
        inputs={"x": _X["x"]},
        axes=("BTD",),
        mask=None,
        reference=lambda x, mask, parameters: (reference.feed_forward(x["x"], parameters, activation="gelu"),),
        sizes={"model_dim": H, "ff_dim": K, "activation": "gelu"},
        layer="FeedForward",
        changes=(("x", _X["x"][0], "x"), ("x", _X["x"][..., 1:], "x")),
    ),
    Case(
        name="encoder_layer",
        inputs={"x": _X["memory"]},
        axes=("BTD", "B11T"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.encoder_layer(x["x"], parameters, num_heads=2, mask=mask),
        sizes={"model_dim": E, "num_heads": 2, "ff_dim": K},
        layer="EncoderLayer",
        changes=(("x", _X["memory"][0], "x"), ("x", _X["memory"][..., 1:], "x"), *_MASKS),
    ),
    Case(
        name="encoder",
        inputs={"x": _X["memory"]},
        axes=("BTD", "B11T"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.encoder(
            x["x"], parameters, num_layers=2, num_heads=2, norm="pre", mask=mask
        ),
        sizes={"num_layers": 2, "model_dim": E, "num_heads": 2, "ff_dim": K, "norm": "pre"},
        layer="Encoder",
    ),
    Case(
        name="decoder_layer",
        inputs={"x": _X["written"], "memory": _X["memory"]},
        axes=("BTD", "BSE", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.decoder_layer(
            *x.values(), parameters, num_heads=2, memory_mask=mask
        ),
        sizes={"model_dim": E, "num_heads": 2, "ff_dim": K},
        layer="DecoderLayer",
        blocked=("memory",),
        changes=(
            ("x", _X["written"][0], "x"),
            ("x", _X["written"][..., 1:], "x"),
            ("memory", _X["memory"][1:], "memory"),
            ("memory", _X["memory"][..., 1:], "memory"),
            *_MASKS,
        ),
    ),
    Case(
        name="decoder",
        inputs={"x": _X["written"], "memory": _X["memory"]},
        axes=("BTD", "BSE", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.decoder(
            *x.values(), parameters, num_layers=2, num_heads=2, norm="pre", memory_mask=mask
        ),
        sizes={"num_layers": 2, "model_dim": E, "num_heads": 2, "ff_dim": K, "norm": "pre"},
        layer="Decoder",
        blocked=("memory",),
    ),
    Case(
        name="transformer",
        inputs={"source": _X["source"], "target": _X["targets"]},
        axes=("BS", "BT", "B11S"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.transformer(
            *x.values(), parameters, num_layers=2, num_heads=2, source_mask=mask
        ),
        sizes={"vocab_size": N, "num_layers": 2, "model_dim": E, "num_heads": 2, "ff_dim": K},
        layer="Transformer",
        changes=(
            ("source", _X["source"][0], "source"),
            ("source", _X["memory"], "source"),
            ("target", _X["targets"][1:], "target"),
            ("target", _X["targets"].astype("float64"), "target"),
        ),
    ),
    Case(
        name="language_model",
        inputs={"tokens": _X["source"]},
        axes=("BT", "B11T"),
        mask=PADDING[:, None, None],
        reference=lambda x, mask, parameters: reference.language_model(
            x["tokens"], parameters, num_layers=2, num_heads=2, norm="pre", mask=mask
        ),
        sizes={"vocab_size": N, "num_layers": 2, "model_dim": E, "num_heads": 2, "ff_dim": K, "norm": "pre"},
        layer="LanguageModel",
    ),
    Case(
        name="feature_map_attention",
        inputs={"image": _X["image"]},
        axes=("BYXC", "B1P"),
        mask=np.arange(15) < np.array([[15], [7], [0]])[:, None],
        reference=lambda x, mask, parameters: reference.feature_map_attention(x["image"], parameters, mask),
        sizes={"channels": H, "key_dim": K, "value_dim": V, "data_format": "channels_last"},
        layer="FeatureMapAttention",
    ),
    Case(
        name="intra_attention_lstm",
        inputs={"x": _X["x"]},
        axes=("BTD", "BT"),
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.intra_attention_lstm(x["x"], parameters, mask),
        sizes={"input_dim": H, "hidden_dim": A, "attention_dim": K},
        layer="IntraAttentionLSTM",
        fixed="T",
        blocked=("x",),
        changes=(("x", _X["x"][0], "x"), ("x", _X["x"][..., 1:], "x"), *_MASKS),
    ),
    Case(
        name="sinusoidal_encoding",
        inputs={"x": _X["x"]},
        axes=("BTD",),
        mask=None,
        reference=lambda x, mask, parameters: (x["x"] + reference.sinusoidal_encoding(x["x"].shape[1], H),),
        sizes={"model_dim": H},
        layer="SinusoidalEncoding",
    ),
    Case(
        name="learned_encoding",
        inputs={"x": _X["x"]},
        axes=("BTD",),
        mask=None,
        reference=lambda x, mask, parameters: (reference.learned_encoding(x["x"], parameters),),
        sizes={"max_length": A, "model_dim": H},
        layer="LearnedEncoding",
    ),
    Case(
        name="rotary_encoding",
        inputs={name: _X[name][..., 1:] for name in ("query", "key")},
        axes=("BHTK", "BHSK"),
        mask=None,
        reference=_rotary_encoding,
        sizes={"key_dim": K - 1},
        layer="RotaryEncoding",
    ),
    Case(
        name="log_length_scale",
        inputs={name: _X[name] for name in ("query", "key")},
        axes=("BHTK", "BHSK"),
        mask=None,
        reference=_log_length_scale,
        sizes={"trained_length": 3},
        layer="LogLengthScale",
    ),
    Case(
        name="alibi_bias",
        inputs={"score": _X["score"]},
        axes=("BHTS",),
        mask=None,
        reference=lambda x, mask, parameters: (x["score"] + reference.alibi_bias(2, *x["score"].shape[2:]),),
        sizes={"num_heads": 2},
        layer="AlibiBias",
        make=_biased,
    ),
    Case(
        name="relative_bias",
        inputs={"score": _X["score"]},
        axes=("BHTS",),
        mask=None,
        reference=lambda x, mask, parameters: (
            x["score"]
            + reference.relative_bias(*x["score"].shape[2:], part(parameters, "bias_layer."), max_distance=23),
        ),
        sizes={"num_heads": 2, "num_buckets": 6, "max_distance": 23},
        layer="RelativeBias",
        make=_biased,
    ),
)


def _pattern(name, layer, builder, *, fixed="", **sizes):
    """A layer of heads that see what a mask says: all else is multi-head attention."""
    given = dict(sizes)

    def specification(inputs, mask, parameters):
        pattern = builder(inputs["query"].shape[1], inputs["key"].shape[1], **given)
        mask = pattern if mask is None else pattern & mask
        return reference.multi_head_attention(*inputs.values(), parameters, num_heads=M, mask=mask)[0], None

    multi_head = next(case for case in CASES if case.name == "multi_head_attention")
    sizes = multi_head.sizes | {key: size for key, size in sizes.items() if key != "causal"}
    return multi_head._replace(name=name, layer=layer, reference=specification, sizes=sizes, fixed=fixed)


_LAYOUT = [[False, True, False, True], [True, False, False, True], [False, True, True, True]]
CASES += (
    _pattern("flash_attention", "FlashAttention", lambda T, S, block_size: np.ones((T, S), bool), block_size=2),
    _pattern("sliding_window_attention", "SlidingWindowAttention", masks.sliding_window_mask, window=2, causal=False),
    _pattern(
        "dilated_window_attention",
        "DilatedWindowAttention",
        masks.dilated_window_mask,
        window=2,
        dilation=3,
        causal=False,
    ),
    _pattern("longformer_attention", "LongformerAttention", masks.longformer_mask, window=2, positions=[0, 6]),
    _pattern("strided_attention", "StridedAttention", masks.strided_mask, stride=2, causal=False),
    _pattern("fixed_attention", "FixedAttention", masks.fixed_mask, stride=3, summary=1, causal=False),
    _pattern(
        "block_sparse_attention", "BlockSparseAttention", masks.block_mask, layout=_LAYOUT, block_size=2, fixed="TS"
    ),
    _pattern(
        "big_bird_attention", "BigBirdAttention", masks.big_bird_mask, block_size=1, num_random=1, seed=5, fixed="TS"
    ),
)


def specified(case, item, inputs, mask):
    """What the specification says, with the parameters of a layer."""
    parameters = {k: np.asarray(v, np.float64) for k, v in get_parameters(item).items()} if case.layer else None
    return case.reference(inputs, mask, parameters)


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


# Public names that are no row of the catalog: what tests/topics checks of them.
PARTS = {
    "masked_softmax": "tests/topics/test_dot_product.py",
    "local_window": "tests/topics/test_luong.py",
    "luong_score": "tests/topics/test_luong.py",
    "image_to_tokens": "tests/topics/test_self_attention.py",
    "tokens_to_image": "tests/topics/test_self_attention.py",
    "split_heads": "tests/topics/test_multi_head.py",
    "merge_heads": "tests/topics/test_multi_head.py",
    "head_importance": "tests/topics/test_multi_head_heads.py",
    "to_grouped": "tests/topics/test_grouped_query.py",
    "KVCache": "tests/topics/test_kv_cache.py",
    "PagedKVCache": "tests/topics/test_kv_cache.py",
    "rotary_frequencies": "tests/topics/test_lengthening.py",
    "rotate": "tests/topics/test_positional_rotary.py",
    "change_layout": "tests/topics/test_positional_rotary.py",
    "alibi_slopes": "tests/topics/test_distance_bias.py",
    "relative_buckets": "tests/topics/test_distance_bias.py",
    "linear_attention_step": "tests/topics/test_linear.py",
    "retention_decay": "tests/topics/test_linear.py",
    "delta_rule_step": "tests/topics/test_delta_rule.py",
    "softmax_features": "tests/topics/test_random_features.py",
    "orthogonal_projection": "tests/topics/test_random_features.py",
    "gaussian_projection": "tests/topics/test_random_features.py",
    "online_softmax": "tests/topics/test_flash.py",
    "memory_traffic": "tests/topics/test_flash.py",
    "lsh_buckets": "tests/topics/test_hashing.py",
    "ReversibleLayers": "tests/topics/test_hashing.py",
    "label_smoothing": "tests/topics/test_transformer.py",
    "warm_up_rate": "tests/topics/test_transformer.py",
    "greedy_decode": "tests/topics/test_decoding.py",
    "beam_search": "tests/topics/test_decoding.py",
}
