"""The decoder of ``experiments.ailing`` in TensorFlow, and its runs."""

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.tf import merge_heads, split_heads
from experiments.ailing import HALF, HEADS, ROWS, STEPS, TOKENS, WIDTH, T


def normed(x):
    """A norm without parameters over the last axis."""
    mean, variance = tf.nn.moments(x, -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5)


class Block(keras.layers.Layer):
    def __init__(self, cause, last):
        super().__init__()
        self.cause = cause
        drawn = keras.initializers.RandomNormal(stddev=WIDTH**-0.5)
        self.maps = self.add_weight(shape=(3, WIDTH, WIDTH), initializer=drawn)
        self.out = self.add_weight(shape=(WIDTH, WIDTH), initializer=drawn)
        self.alive = np.ones((HEADS, 1, 1), np.float32)
        self.alive[-1] = float(not (last and cause == "dead head"))

    def call(self, x, past=None):
        """``past``: keys and values of the rows before; all so far are returned."""
        own = x if self.cause == "norm misplaced" else normed(x)
        query, key, value = (
            split_heads(own @ each, HEADS) for each in tf.unstack(self.maps)
        )
        if past is not None:
            key, value = tf.concat([past[0], key], 2), tf.concat([past[1], value], 2)
        score = tf.matmul(query, key, transpose_b=True)
        if self.cause != "scale missing":
            score = score / key.shape[-1] ** 0.5
        ahead = key.shape[2] - query.shape[2] + (self.cause == "leaking mask")
        seen = np.tri(*score.shape[-2:], ahead, dtype=bool)
        weights = tf.nn.softmax(tf.where(seen, score, score.dtype.min))
        heads = weights @ value * self.alive
        x = x + merge_heads(heads) @ self.out
        x = normed(x) if self.cause == "norm misplaced" else x
        return x, weights, heads, (key, value)


class Model(keras.Model):
    def __init__(self, cause):
        super().__init__()
        self.cause = cause
        drawn = keras.initializers.RandomNormal(stddev=1.0)
        self.tokens = self.add_weight(shape=(TOKENS, WIDTH), initializer=drawn)
        self.places = self.add_weight(shape=(T + 1, WIDTH), initializer=drawn)
        self.blocks = [Block(cause, last) for last in (False, True)]
        self.logits = self.add_weight(shape=(WIDTH, TOKENS), initializer="zeros")

    def call(self, tokens, past=None):
        """``past``: what each block has kept of the tokens before."""
        done = 0 if past is None else past[0][0].shape[2]
        if done and self.cause == "cache off by one":
            done = done + 1
        places = self.places[done : done + tokens.shape[1]]
        x = tf.gather(self.tokens, tokens) + places
        streams, found = [x], []
        for place, block in enumerate(self.blocks):
            x, *own = block(x, None if past is None else past[place])
            streams.append(x)
            found.append(own)
        return normed(x) @ self.logits, streams, *zip(*found, strict=True)


def drawn(rng):
    return np.tile(rng.integers(TOKENS, size=(ROWS, HALF)), 2)


def errors(model, rng, cache):
    """The share of tokens that it says wrong when it goes on by itself.

    cache: whether it is given the last token and what is kept of the others, or all.
    """
    right = drawn(rng)
    said = new = right[:, :HALF]
    past = None
    for _ in range(HALF):
        given = (tf.constant(new), past) if cache else (tf.constant(said),)
        logits, *_, past = model(*given)
        new = tf.argmax(logits[:, -1:], axis=-1).numpy()
        said = np.concatenate([said, new], axis=1)
    return float((said != right)[:, HALF:].mean())


def entropy(maps):
    """The mean entropy of the last rows of all maps, as a share of the largest."""
    rows = np.concatenate([weights[:, :, -1].numpy() for weights in maps])
    return float(-(rows * np.log(np.maximum(rows, 1e-9))).sum(-1).mean() / np.log(T))


def readings(cause, seed):
    """Train once; what can be seen of the run: see ``ailing.pytorch``."""
    keras.utils.set_random_seed(seed)
    rng, model = np.random.default_rng(seed), Model(cause)
    optimizer, losses = keras.optimizers.Adam(3e-3, epsilon=1e-8), []

    @tf.function
    def step(given, wanted):
        with tf.GradientTape() as tape:
            logits, streams, maps, heads, _ = model(given)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, logits)
            loss = tf.reduce_mean(each)
        learned = model.trainable_variables
        *gradients, first, second = tape.gradient(loss, [*learned, *heads])
        gradients = map(tf.convert_to_tensor, gradients)
        optimizer.apply_gradients(zip(gradients, learned, strict=True))
        return loss, streams, maps, (first, second)

    _, _, maps, *_ = model(tf.constant(drawn(rng)[:, :-1]))
    start = entropy(maps)
    for number in range(STEPS):
        tokens = drawn(rng)
        given, wanted = tokens[:, :-1], tokens[:, 1:]
        wanted = given if cause == "shift by one" else wanted
        loss, streams, maps, reached = step(tf.constant(given), tf.constant(wanted))
        losses += [float(loss)] if number % 20 == 0 else []
    found = {"loss": losses, "entropy": start}
    found["maps"] = [weights[0].numpy().round(3).tolist() for weights in maps]
    found["gradients"] = [
        [float(tf.norm((block.alive * each)[:, head])) for head in range(HEADS)]
        for block, each in zip(model.blocks, reached, strict=True)
    ]
    found["norms"] = [float(tf.reduce_mean(tf.norm(x, axis=-1))) for x in streams]
    found["free"] = errors(model, rng, cache=False)
    return found | {"cached": errors(model, rng, cache=True)}
