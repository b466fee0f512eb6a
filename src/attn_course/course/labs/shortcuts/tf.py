"""The encoder with full, low-rank or hashed attention in TensorFlow."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.shortcuts import (
    BUCKETS,
    CHUNK,
    FF_DIM,
    HEADS,
    LAYERS,
    MODEL_DIM,
    OUTPUTS,
    POSITIONS,
    RATE,
    REDRAWN,
    batches,
)
from attn_course.course.training import tf as loop
from attn_course.tf import (
    Encoder,
    LearnedEncoding,
    LinformerAttention,
    LSHAttention,
    MultiHeadAttention,
)


def attention(kind, seed=0):
    """The attention of one layer: "full", "Linformer 16", "LSH 2" (rounds)."""
    name, _, number = kind.partition(" ")
    if name == "Linformer":
        sizes = {"length": POSITIONS, "rank": int(number)}
        return LinformerAttention(MODEL_DIM, HEADS, **sizes)
    if name == "LSH":
        sizes = {"num_buckets": BUCKETS, "num_rounds": int(number)}
        return LSHAttention(MODEL_DIM, HEADS, **sizes, chunk_size=CHUNK, seed=seed)
    return MultiHeadAttention(MODEL_DIM, HEADS)


class Reader(keras.Model):
    """Two encoder layers over 64 positions; kind "none" leaves attention out.

    Shapes:
        inputs (B, 64, features) -> logits (B, 10) of the mean of all positions for
            digits, (B, 64, 5) for twins.
    """

    def __init__(self, task, kind, seed=0):
        super().__init__()
        self.task, self.kind = task, kind
        self.input_layer = keras.layers.Dense(MODEL_DIM)
        self.positions = LearnedEncoding(POSITIONS, MODEL_DIM)
        sizes = LAYERS, MODEL_DIM, HEADS, FF_DIM
        options = {"attention": lambda number: attention(kind, seed + number)}
        self.encoder = Encoder(*sizes, norm="pre", **options)
        self.output_layer = keras.layers.Dense(OUTPUTS[task])

    def call(self, inputs):
        x, mask = self.positions(self.input_layer(inputs)), None
        if self.kind == "none":
            mask = tf.zeros((POSITIONS, POSITIONS), tf.bool)
        x, _ = self.encoder(x, mask, need_weights=False)
        digits = self.task == "digits"
        return self.output_layer(tf.reduce_mean(x, axis=1) if digits else x)


def train(model, *, steps, seed=0, every=50, rate=RATE):
    """Train with Adam on the cross-entropy; returns the log: loss, share right."""
    data = batches(model.task, seed=seed)
    options = {"steps": steps, "rate": rate, "every": every, "clip": 1.0}
    return loop.train(model, data, _loss, **options)


def _loss(model, inputs, right):
    logits = model(inputs)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(right, logits)
    found = tf.cast(tf.argmax(logits, axis=-1) == right, each.dtype)
    return tf.reduce_mean(each), tf.reduce_mean(found)


def rehashed(model, rounds, seed=REDRAWN):
    """The same weights with so many rounds, and directions never met in training."""
    other = Reader(model.task, f"LSH {rounds}", seed)
    other(tf.zeros((1, POSITIONS, model.input_layer.kernel.shape[0])))
    pairs = zip(other.trainable_variables, model.trainable_variables, strict=True)
    for own, trained in pairs:
        own.assign(trained)
    return other


def guess(model, inputs):
    """The likeliest digit (B), or number of every card's twin (B, 64)."""
    return tf.argmax(model(tf.constant(inputs)), axis=-1).numpy()
