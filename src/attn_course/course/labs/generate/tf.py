"""The language model of ``attn_course.course.labs.generate`` in TensorFlow."""

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.course.labs.generate import KIND, SIZES, weights
from attn_course.tasks import glassllm
from attn_course.tf import (
    GroupedQueryAttention,
    LanguageModel,
    RotaryEncoding,
    to_grouped,
)


def build(symbols, model_dim, num_heads, num_kv_heads, ff_dim, num_layers, **place):
    """A ``LanguageModel`` like the one that ships, with weights of its own."""
    rotary = RotaryEncoding(model_dim // num_heads, layout="interleaved", **place)
    maps = {"num_kv_heads": num_kv_heads, "use_bias": False, "rotary": rotary, **place}
    sizes, options = (model_dim, num_heads), KIND | place
    options["attention"] = lambda _: GroupedQueryAttention(*sizes, **maps)
    model = LanguageModel(symbols, num_layers, *sizes, ff_dim, **options)
    table = model.embedding.embeddings
    table.assign(keras.initializers.RandomNormal(stddev=0.02)(table.shape, table.dtype))
    return model


def load_glassllm(dtype="float32"):
    """The model that ships; in float64 its texts are the same in any batch."""
    model = build(**glassllm.SIZES, dtype=dtype)
    set_parameters(model, weights())
    return model


def convert(model, num_kv_heads, method):
    """The same model with fewer heads of key and value in every layer."""
    symbols, width, heads, *rest = (model.config[name] for name in SIZES)
    small = build(symbols, width, heads, num_kv_heads, *rest)
    parameters = get_parameters(model)
    for number, layer in enumerate(model.stack.layers):
        grouped = to_grouped(layer.attention, num_kv_heads, method)
        for name, array in get_parameters(grouped).items():
            parameters[f"stack.layers.{number}.attention.{name}"] = array
    set_parameters(small, parameters)
    return small


def logits_of(model, tokens, cache=None):
    """Tokens (B, T) -> logits (B, T, N) of the token behind each."""
    return model(tokens, need_weights=False, cache=cache)[0]


def loss(model, tokens, targets):
    """The cross-entropy in nats, for the training loop."""
    logits = logits_of(model, tokens)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return tf.reduce_mean(each)


def score(model, tokens, targets, at_once=32):
    """The cross-entropy in nats (B, T), and whether the guess is right."""
    nats, right = [], []
    for start in range(0, len(tokens), at_once):
        rows = slice(start, start + at_once)
        logits = logits_of(model, tf.constant(tokens[rows]))
        chosen = tf.constant(targets[rows])
        found = tf.nn.sparse_softmax_cross_entropy_with_logits(chosen, logits)
        nats.append(found.numpy())
        right.append((tf.argmax(logits, axis=-1) == chosen).numpy())
    return np.concatenate(nats), np.concatenate(right)
