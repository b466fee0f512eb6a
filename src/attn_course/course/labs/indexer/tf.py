"""The language model layer by layer, and its indexers' training, in TensorFlow."""

from functools import partial

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.indexer import INDEX_DIM, RATE, STEPS, batches, read_layers
from attn_course.course.labs.positions import rate_at
from attn_course.course.training import tf as loop
from attn_course.tf import RotaryEncoding, index_loss, index_scores, split_heads


def read(model, tokens, choose=None):
    """``read_layers`` of this framework's model."""
    return read_layers(model, tokens, choose, tf.constant)


class Indexer(keras.layers.Layer):
    """(B, T, D) -> the score of every key for every query (B, T, T)."""

    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        dense = partial(keras.layers.Dense, use_bias=False)
        self.query = dense(heads * INDEX_DIM)
        self.key = dense(INDEX_DIM)
        self.weight = dense(heads)
        self.rotary = RotaryEncoding(INDEX_DIM)

    def call(self, x):
        query = split_heads(self.query(x), self.heads)
        query, key = self.rotary(query, self.key(x)[:, None])
        return index_scores(query, key[:, 0], self.weight(x))


def loss(indexer, x, weights):
    """How far its scores are from what the heads attended to."""
    return index_loss(indexer(x), weights, causal=True)


def train(indexer, x, weights, steps=STEPS, seed=0):
    """Train by ``index_loss``; x (N, T, D), weights (N, H, T, T). Returns the log."""
    options = {"steps": steps, "rate": RATE, "schedule": rate_at}
    return loop.train(indexer, batches(x, weights, seed), loss, **options)


def scores(indexer, x):
    """The score of every key for every query, (B, T, D) -> (B, T, T), NumPy."""
    return indexer(tf.constant(x)).numpy()
