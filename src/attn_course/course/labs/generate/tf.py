"""The language model of ``attn_course.course.labs.generate`` in TensorFlow."""

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.tasks import glassllm
from attn_course.tf import (
    Encoder,
    GroupedQueryAttention,
    KVCache,
    RotaryEncoding,
    to_grouped,
)


class LanguageModel(keras.Model):
    """Tokens (B, T) -> logits (B, T, symbols) of the token behind each."""

    def __init__(self, symbols, model_dim, num_heads, num_kv_heads, ff_dim, num_layers):
        super().__init__()
        self.config = {
            "symbols": symbols,
            "model_dim": model_dim,
            "num_heads": num_heads,
            "num_kv_heads": num_kv_heads,
            "ff_dim": ff_dim,
            "num_layers": num_layers,
        }
        self.key_dim = model_dim // num_heads

        def attention(_):
            rotary = RotaryEncoding(self.key_dim, layout="interleaved")
            options = {"use_bias": False, "rotary": rotary}
            return GroupedQueryAttention(
                model_dim, num_heads, num_kv_heads=num_kv_heads, **options
            )

        kind = {"norm": "pre", "normalization": "rms", "activation": "swiglu"}
        drawn = keras.initializers.RandomNormal(stddev=0.02)
        self.embedding = keras.layers.Embedding(symbols, model_dim, drawn)
        self.embedding.build((None, None))
        self.encoder = Encoder(
            num_layers, model_dim, num_heads, ff_dim, attention=attention, **kind
        )

    def call(self, tokens, caches=None):
        options = {"causal": True, "need_weights": False, "cache": caches}
        x, _ = self.encoder(self.embedding(tokens), **options)
        return tf.matmul(x, self.embedding.embeddings, transpose_b=True)

    def new_caches(self, batch, capacity, **options):
        """A cache per layer; options: those of ``KVCache``."""
        heads, layers = self.config["num_kv_heads"], self.config["num_layers"]
        return tuple(
            KVCache(batch, heads, capacity, self.key_dim, **options)
            for _ in range(layers)
        )


def load_glassllm():
    """The model that ships, with its weights."""
    model = LanguageModel(**glassllm.SIZES)
    set_parameters(model, glassllm.load_weights())
    return model


def convert(model, num_kv_heads, method):
    """The same model with fewer heads of key and value in every layer."""
    small = LanguageModel(**model.config | {"num_kv_heads": num_kv_heads})
    parameters = get_parameters(model)
    for number, layer in enumerate(model.encoder.layers):
        grouped = to_grouped(layer.attention, num_kv_heads, method)
        for name, array in get_parameters(grouped).items():
            parameters[f"encoder.layers.{number}.attention.{name}"] = array
    set_parameters(small, parameters)
    return small


def stepper(model, capacity, **options):
    """A function of tokens (n), NumPy, that gives the logits (N) behind the last.

    It reads every token once: caches keep what is behind it. options: of the caches.
    """
    caches = model.new_caches(1, capacity, **options)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int64)])
    def step(tokens):
        return model(tokens[None], caches=caches)[0, -1]

    return lambda tokens: step(tf.constant(tokens)).numpy()


def loss(model, tokens, targets):
    """The cross-entropy in nats, for the training loop."""
    logits = model(tokens)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return tf.reduce_mean(each)


def score(model, tokens, targets, at_once=32):
    """The cross-entropy in nats (B, T), and whether the guess is right."""
    nats, right = [], []
    for start in range(0, len(tokens), at_once):
        rows = slice(start, start + at_once)
        logits = model(tf.constant(tokens[rows]))
        chosen = tf.constant(targets[rows])
        found = tf.nn.sparse_softmax_cross_entropy_with_logits(chosen, logits)
        nats.append(found.numpy())
        right.append((tf.argmax(logits, axis=-1) == chosen).numpy())
    return np.concatenate(nats), np.concatenate(right)
