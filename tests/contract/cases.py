"""One case for every row of the catalog: inputs, the specification, and the same thing in a framework.

A case is run as ``case.reference(inputs, mask, parameters)`` and ``case.run(face, item, inputs, mask)``, where
``item`` is the function or the layer that ``case.build(face, dtype)`` made. Sizes are different primes.
"""

from typing import NamedTuple

import numpy as np

from attn_course import masks, pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow
from attn_course.frameworks import torch

B, S, T, N, M, H, A, K, V = 3, 7, 5, 11, 2, 13, 17, 19, 23
E = 2 * H
FACES = {"pytorch": pytorch, "tf": tf}
PADDING = np.arange(S) < np.array([[7], [4], [0]])
PADDING[0, [0, 3]] = False  # from the left, and a hole; the last row may see nothing


class Case(NamedTuple):
    """``blocked`` names the inputs that the mask hides; ``changes`` are wrong arguments and who must be named."""

    name: str
    inputs: dict
    mask: np.ndarray
    reference: object
    sizes: dict | None
    layer: str | None
    blocked: tuple
    changes: tuple

    def build(self, face, dtype="float64", **options):
        if self.layer is None:
            return getattr(FACES[face], self.name)
        if face == "tf":
            return getattr(tf, self.layer)(**self.sizes, dtype=dtype, **options)
        return getattr(pytorch, self.layer)(**self.sizes).to(getattr(torch, dtype))

    def convert(self, face, array, dtype="float64"):
        """An array of NumPy as the framework has it, real numbers in the dtype asked for."""
        real = array.dtype == np.float64
        if face == "tf":
            return tensorflow.cast(tensorflow.constant(array), dtype) if real else tensorflow.constant(array)
        tensor = torch.from_numpy(array.copy())
        return tensor.to(getattr(torch, dtype)) if real else tensor

    def run(self, face, item, inputs, mask, dtype="float64"):
        values = [self.convert(face, x, dtype) for x in inputs.values()]
        return item(*values, mask if mask is None else self.convert(face, mask, dtype))


def numbers(x):
    """The values of any tensor as NumPy float64."""
    if torch.is_tensor(x):
        return x.detach().double().numpy()
    return tensorflow.cast(x, tensorflow.float64).numpy()


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
    }
    return {name: rng.normal(size=shape) for name, shape in shapes.items()} | {"targets": rng.integers(0, N, (B, T))}


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

CASES = (
    Case(
        name="scaled_dot_product_attention",
        inputs={name: _X[name] for name in ("query", "key", "value")},
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
        mask=PADDING,
        reference=lambda x, mask, parameters: reference.fixed_context_decoder(*x.values(), parameters, mask),
        sizes={"vocab_size": N, "embedding_dim": M, "hidden_dim": H, "memory_dim": E},
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
    Case(
        name="grouped_query_attention",
        inputs={"query": _X["state"], "key": _X["memory"], "value": _X["other_memory"]},
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
)


def _pattern(name, layer, builder, **sizes):
    """A layer of heads that see what a mask says: all else is multi-head attention."""
    pattern = builder(T, S, **sizes)

    def specification(inputs, mask, parameters):
        mask = pattern if mask is None else pattern & mask
        return reference.multi_head_attention(*inputs.values(), parameters, num_heads=M, mask=mask)[0], None

    multi_head = next(case for case in CASES if case.name == "multi_head_attention")
    sizes = multi_head.sizes | {key: size for key, size in sizes.items() if key != "causal"}
    return multi_head._replace(name=name, layer=layer, reference=specification, sizes=sizes)


_LAYOUT = [[False, True, False, True], [True, False, False, True], [False, True, True, True]]
CASES += (
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
    _pattern("block_sparse_attention", "BlockSparseAttention", masks.block_mask, layout=_LAYOUT, block_size=2),
    _pattern("big_bird_attention", "BigBirdAttention", masks.big_bird_mask, block_size=1, num_random=1, seed=5),
)

# Public names that are no row of the catalog: what tests/topics checks of them.
PARTS = {
    "masked_softmax": "tests/topics/test_dot_product.py",
    "local_window": "tests/topics/test_luong.py",
    "luong_score": "tests/topics/test_luong.py",
    "RecurrentEncoder": "tests/topics/test_bahdanau.py",
    "BahdanauDecoder": "tests/topics/test_bahdanau.py",
    "EncoderDecoder": "tests/topics/test_bahdanau.py",
    "LuongDecoder": "tests/topics/test_luong.py",
    "image_to_tokens": "tests/topics/test_self_attention.py",
    "tokens_to_image": "tests/topics/test_self_attention.py",
    "FeatureMapAttention": "tests/topics/test_self_attention.py",
    "IntraAttentionLSTM": "tests/topics/test_self_attention.py",
    "split_heads": "tests/topics/test_multi_head.py",
    "merge_heads": "tests/topics/test_multi_head.py",
    "head_importance": "tests/topics/test_multi_head_heads.py",
    "to_grouped": "tests/topics/test_grouped_query.py",
    "KVCache": "tests/topics/test_kv_cache.py",
    "PagedKVCache": "tests/topics/test_kv_cache.py",
    "sinusoidal_encoding": "tests/topics/test_positional_absolute.py",
    "rotate": "tests/topics/test_positional_rotary.py",
    "change_layout": "tests/topics/test_positional_rotary.py",
    "alibi_slopes": "tests/topics/test_positional_bias.py",
    "alibi_bias": "tests/topics/test_positional_bias.py",
    "relative_buckets": "tests/topics/test_positional_bias.py",
    "SinusoidalEncoding": "tests/topics/test_positional_absolute.py",
    "LearnedEncoding": "tests/topics/test_positional_absolute.py",
    "RotaryEncoding": "tests/topics/test_positional_rotary.py",
    "AlibiBias": "tests/topics/test_positional_bias.py",
    "RelativeBias": "tests/topics/test_positional_bias.py",
}
