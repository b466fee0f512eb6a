"""Teacher forcing in TensorFlow: the loop of every sequence-to-sequence chapter."""

import numpy as np

from attn_course.frameworks import keras, tf
from attn_course.tasks.text import BEGIN, PAD
from attn_course.training import log_line, progress


def train(model, batches, *, steps, learning_rate=2e-3, clip=1.0, every=20):
    """Train with Adam on endless batches (``attn_course.tasks.text.Batch``).

    The loss is the cross-entropy of the next target token, averaged over the tokens
    that are not padding.
    """
    optimizer = keras.optimizers.Adam(learning_rate, epsilon=1e-8)  # PyTorch's epsilon

    def train_step(source, mask, target_in, target_out):
        with tf.GradientTape() as tape:
            logits, _ = model(source, target_in, mask)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(target_out, logits)
            real = tf.cast(target_out != PAD, each.dtype)
            loss = tf.reduce_sum(each * real) / tf.reduce_sum(real)
        variables = model.trainable_variables
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), clip)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    log, losses, compiled = [], [], None
    for step, batch in zip(progress(steps, "TensorFlow"), batches, strict=False):
        if compiled is None:
            compiled = tf.function(train_step, input_signature=_signature(batch))
        losses.append(float(compiled(*batch)))
        log_line(log, losses, step, every)
    return log


def predict(model, examples, *, max_length, batch_size=500):
    """Greedy decoding of all examples.

    Shapes:
        returns: tokens (n, max_length) and weights (n, max_length, S);
            weights are None without attention.
    """

    @tf.function
    def greedy(source, mask):
        return model.greedy(source, mask, begin=BEGIN, max_length=max_length)

    parts = []
    for start in range(0, len(examples.source), batch_size):
        some = (array[start : start + batch_size] for array in examples[:2])
        source, mask = (tf.constant(array) for array in some)
        parts.append(greedy(source, mask))
    tokens, weights = (_join(part) for part in zip(*parts, strict=True))
    return tokens, weights


def build(optimizer, model, *inputs):
    """Call a model once, so that it has its weights, and ready the optimizer."""
    model(*inputs)
    optimizer.build(model.trainable_variables)


def descend(optimizer, tape, loss, model):
    """One step of the optimizer along the slopes of the loss."""
    variables = model.trainable_variables
    gradients = tape.gradient(loss, variables)
    optimizer.apply_gradients(zip(gradients, variables, strict=True))


def _join(parts):
    """One array of NumPy out of the parts; None if there are none."""
    return None if parts[0] is None else np.concatenate([x.numpy() for x in parts])


def _signature(batch):
    """One graph for all batches, however many examples and source positions."""
    positions = (None, None, batch.target_in.shape[1], batch.target_out.shape[1])
    pairs = zip(batch, positions, strict=True)
    return [tf.TensorSpec((None, size), array.dtype) for array, size in pairs]
