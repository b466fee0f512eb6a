"""Teacher forcing in TensorFlow: the loop of every sequence-to-sequence chapter."""

import numpy as np

from attn_course.frameworks import keras, tf
from attn_course.tasks.text import BEGIN, PAD
from attn_course.training import log_line, progress


def train(model, batches, *, steps, learning_rate=2e-3, clip=1.0, every=20):
    """Train with Adam on endless batches (see ``attn_course.tasks.text.Batch``); returns the log.

    The loss is the cross-entropy of the next target token, averaged over the tokens that are not padding.
    """
    optimizer = keras.optimizers.Adam(learning_rate, epsilon=1e-8)  # PyTorch's epsilon

    def train_step(source, mask, target_in, target_out):
        with tf.GradientTape() as tape:
            logits, _ = model(source, target_in, mask)
            token_loss = tf.nn.sparse_softmax_cross_entropy_with_logits(target_out, logits)
            real = tf.cast(target_out != PAD, token_loss.dtype)
            loss = tf.reduce_sum(token_loss * real) / tf.reduce_sum(real)
        gradients = tape.gradient(loss, model.trainable_variables)
        gradients, _ = tf.clip_by_global_norm(gradients, clip)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    log, losses, compiled = [], [], None
    for step, batch in zip(progress(steps, "TensorFlow"), batches, strict=False):
        compiled = compiled or tf.function(train_step, input_signature=_signature(batch))
        losses.append(float(compiled(*batch)))
        log_line(log, losses, step, every)
    return log


def predict(model, examples, *, max_length, batch_size=500):
    """Greedy decoding of all examples.

    Shapes:
        returns: tokens (n, max_length) and weights (n, max_length, S), or None without attention.
    """
    greedy = tf.function(lambda source, mask: model.greedy(source, mask, begin=BEGIN, max_length=max_length))
    parts = []
    for start in range(0, len(examples.source), batch_size):
        source, mask = (tf.constant(a[start : start + batch_size]) for a in examples[:2])
        parts.append(greedy(source, mask))
    tokens, weights = zip(*parts, strict=True)
    weights = None if weights[0] is None else np.concatenate([part.numpy() for part in weights])
    return np.concatenate([part.numpy() for part in tokens]), weights


def _signature(batch):
    """One graph for all batches: the number of examples and of source positions may change from batch to batch."""
    positions = (None, None, batch.target_in.shape[1], batch.target_out.shape[1])
    return [tf.TensorSpec((None, size), array.dtype) for array, size in zip(batch, positions, strict=True)]
