"""A program: every layer of TensorFlow with one query position and with one head, while oneDNN is on.

TensorFlow 2.21 with oneDNN writes beyond its memory in float32 products of (B, 1, M, K) with a matrix or a vector that
all of the batch share. ``attn_course`` turns oneDNN off, which comes too late where TensorFlow was imported first, as
here. Computed in float64, which oneDNN leaves alone, the same layer must give the same numbers.
"""

import os

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"

import keras
import numpy as np

from attn_course import reference, tf
from attn_course.parity import get_parameters, set_parameters

D, E, A, S, N = 13, 14, 17, 7, 11
BATCHES = (1, 2, 7, 8, 64)
WORDS = {"targets", "source", "tokens"}
LAYOUT = [[True, False], [True, True]]


def memory_layers():
    """(name, function of a dtype that makes a layer, shapes of its inputs behind the batch, options of the call)."""
    look = {"query": (1, D), "memory": (S, E)}
    yield "AdditiveAttention", {"query_dim": D, "memory_dim": E, "hidden_dim": A}, look
    for score in ("general", "concat", "location"):
        sizes = {"query_dim": D, "memory_dim": E, "score": score, "max_length": S if score == "location" else None}
        sizes["hidden_dim"] = A if score == "concat" else None
        yield "LuongAttention", sizes, look
    sizes = {"query_dim": D, "memory_dim": E, "half_width": 2, "hidden_dim": A, "score": "concat"}
    yield "LocalAttention", sizes, look
    sizes = {"vocab_size": N, "embedding_dim": 2, "hidden_dim": D, "memory_dim": E, "attention_dim": A}
    writes = {"targets": (1,), "memory": (S, E), "state": (D,)}
    yield "BahdanauDecoder", sizes, writes
    yield "LuongDecoder", {"vocab_size": N, "embedding_dim": 2, "hidden_dim": D, "memory_dim": E}, writes
    yield "FixedContextDecoder", {"vocab_size": N, "embedding_dim": 2, "hidden_dim": D, "memory_dim": E}, writes
    yield "RecurrentEncoder", {"vocab_size": N, "embedding_dim": 2, "hidden_dim": D}, {"tokens": (1,)}
    yield "EncoderDecoder", {}, {"source": (S,), "targets": (1,)}
    yield "SelfAttention", {"model_dim": D, "key_dim": 5, "value_dim": 7}, {"x": (1, D)}
    yield "IntraAttentionLSTM", {"input_dim": D, "hidden_dim": 5, "attention_dim": A}, {"x": (3, D)}
    yield "FeatureMapAttention", {"channels": D, "key_dim": 5, "value_dim": 7}, {"x": (1, 3, D)}


def head_layers(H):
    apart = {"query": (1, D), "key": (S, D)}
    wide = {"model_dim": D, "num_heads": H, "key_dim": 17, "value_dim": 19}
    for name, sizes in (
        ("MultiHeadAttention", {}),
        ("GroupedQueryAttention", {"num_kv_heads": 1}),
        ("RelativeAttention", {"max_distance": 3}),
        ("SlidingWindowAttention", {"window": 3}),
        ("gated", {}),
        ("DilatedWindowAttention", {"window": 3, "dilation": 2}),
        ("LongformerAttention", {"window": 3, "positions": [0, 6]}),
        ("LongformerAttention", {"window": 3, "positions": [0, 6], "global_projections": True}),
        ("BigBirdAttention", {"block_size": 1, "num_random": 1, "seed": 0}),
        ("StridedAttention", {"stride": 3}),
        ("FixedAttention", {"stride": 3, "summary": 1}),
        ("BlockSparseAttention", {"layout": LAYOUT, "block_size": 4}),
        ("LinearAttention", {"decay": "learned"}),
        ("DeltaRuleAttention", {"decay": "learned"}),
        ("PerformerAttention", {"num_features": 16}),
        ("PerformerAttention", {"num_features": 16, "features": "trigonometric"}),
        ("RandomFeatureAttention", {"num_features": 16}),
        ("LinformerAttention", {"length": S, "rank": 3}),
        ("FlashAttention", {"block_size": 3}),
    ):
        shapes = {"x": (S, D)} if name == "BlockSparseAttention" else apart
        yield name, wide | sizes, shapes
    yield "LSHAttention", wide | {"num_buckets": 4, "chunk_size": 3}, {"x": (S, D)}
    latent = {"latent_dim": 11, "rope_dim": 4, "key_dim": 5, "value_dim": 3}
    yield "LatentAttention", {"model_dim": D, "num_heads": H, **latent}, {"x": (1, D)}
    sizes = {"model_dim": 2 * D, "num_heads": H, "ff_dim": A}
    yield "EncoderLayer", sizes, {"x": (1, 2 * D)}
    yield "DecoderLayer", sizes, {"x": (1, 2 * D), "memory": (S, 2 * D)}
    yield "Encoder", sizes | {"num_layers": 2}, {"x": (1, 2 * D)}
    yield "Decoder", sizes | {"num_layers": 2}, {"x": (1, 2 * D), "memory": (S, 2 * D)}
    yield "Transformer", sizes | {"num_layers": 1, "vocab_size": N}, {"source": (S,), "targets": (1,)}
    sizes |= {"num_layers": 1, "vocab_size": N, "positions": "sinusoidal"}  # a head has an odd number of columns
    yield "LanguageModel", sizes, {"tokens": (1,)}


def calls(name):
    """Options of the call; what decays is causal."""
    if name in ("LinearAttention", "DeltaRuleAttention"):
        return ({"causal": True},)
    return ({}, {"absorbed": True}) if name == "LatentAttention" else ({},)


def made(name, sizes, dtype):
    """A layer; what is built of others has them in the same dtype."""
    if name == "LuongDecoder":
        sizes = sizes | {"attention": tf.LuongAttention(D, E, score="general", dtype=dtype)}
    if name == "EncoderDecoder":
        words = {"vocab_size": N, "embedding_dim": 2, "hidden_dim": D}
        decoder = tf.BahdanauDecoder(**words, memory_dim=2 * D, attention_dim=A, dtype=dtype)
        return tf.EncoderDecoder(tf.RecurrentEncoder(**words, dtype=dtype), decoder)
    if name == "gated":
        parts = {"output_gate": tf.OutputGate(D, sizes["num_heads"], 19, dtype=dtype)}
        return tf.MultiHeadAttention(**sizes, **parts, dtype=dtype)
    return getattr(tf, name)(**sizes, dtype=dtype)


def compare(name, sizes, shapes):
    rng = np.random.default_rng(0)
    narrow, wide = (made(name, sizes, dtype) for dtype in ("float32", "float64"))
    parameters = {key: np.float32(x) for key, x in get_parameters(narrow).items()}
    set_parameters(wide, parameters)
    for B in BATCHES:
        inputs = [rng.normal(size=(B, *shape)).astype("float32") for shape in shapes.values()]
        for number, which in enumerate(shapes):
            if which in WORDS:
                inputs[number] = rng.integers(0, N, (B, *shapes[which]), "int32")
        for options in calls(name):
            found = narrow(*map(keras.ops.convert_to_tensor, inputs), **options)
            exact = [x.astype("float64") if x.dtype == "float32" else x for x in inputs]
            expected = wide(*map(keras.ops.convert_to_tensor, exact), **options)
            for one, other in zip(keras.tree.flatten(found), keras.tree.flatten(expected), strict=True):
                if one is not None:
                    where = f"{name} {sizes} {options} batch {B}"
                    np.testing.assert_allclose(np.asarray(one), np.asarray(other), 2e-4, 2e-4, err_msg=where)


def functions():
    """What the layers above compute, as functions of tensors, against NumPy."""
    rng = np.random.default_rng(1)
    for B in BATCHES:
        query, memory = rng.normal(size=(B, 1, D)), rng.normal(size=(B, S, E))
        parameters = {"query_weight": (D, A), "memory_weight": (E, A), "score_weight": (A,)}
        parameters = {key: rng.normal(size=shape) for key, shape in parameters.items()}
        expected = reference.additive_attention(query, memory, parameters)
        arrays = (keras.ops.cast(x, "float32") for x in (query, memory))
        found = tf.additive_attention(*arrays, {key: keras.ops.cast(x, "float32") for key, x in parameters.items()})
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, 2e-4, 2e-4, err_msg=f"additive_attention batch {B}")


def main():
    keras.utils.set_random_seed(0)
    functions()
    count = 0
    for layers in (memory_layers(), head_layers(1), head_layers(2)):
        for each in layers:
            print(*each[:2], flush=True)
            compare(*each)
            count += 1
    print(f"{count} layers agree")


if __name__ == "__main__":
    main()
