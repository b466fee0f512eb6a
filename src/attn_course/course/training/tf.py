"""The training loop of every chapter in TensorFlow; greedy decoding of many rows."""

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.course.training import as_arrays, log_line, progress, short
from attn_course.tasks.text import BEGIN, PAD


def train(
    model,
    batches,
    loss,
    *,
    steps,
    rate,
    betas=(0.9, 0.999),
    clip=None,
    schedule=None,
    every=20,
):
    """Train with Adam on endless batches of arrays; returns the log.

    loss: of the model and a batch's tensors. It returns the loss, or the loss and a
    score to log beside it. betas: Adam's. clip: the most that the norm of all
    gradients may be.
    schedule: of the step, the number of steps and the rate; returns the step's rate.
    """
    # PyTorch's epsilon
    optimizer = keras.optimizers.Adam(rate, *betas, epsilon=1e-8)

    @tf.function(reduce_retracing=True)
    def train_step(*batch):
        with tf.GradientTape() as tape:
            found = loss(model, *batch)
            found = found if isinstance(found, tuple) else (found,)
        variables = model.trainable_variables
        # Dense: Adam moves every vector at every step, as in PyTorch.
        gradients = map(tf.convert_to_tensor, tape.gradient(found[0], variables))
        if clip is not None:
            gradients, _ = tf.clip_by_global_norm(list(gradients), clip)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return found

    steps, log, seen = short(steps), [], []
    for step, batch in zip(progress(steps, "TensorFlow"), batches, strict=False):
        tensors = [tf.constant(array) for array in batch]
        if not optimizer.built:
            loss(model, *tensors)  # a Keras model has its weights from its first call
            optimizer.build(model.trainable_variables)
        if schedule is not None:
            optimizer.learning_rate.assign(schedule(step, steps, rate))
        seen.append([float(x) for x in train_step(*tensors)])
        if step % every == 0 or step == steps:
            log_line(log, seen, step)
    return log


def class_loss(logits, targets, skip=None):
    """Mean cross-entropy of classes (...) under logits (..., N), but for ``skip``."""
    if skip is not None:
        kept = targets != skip
        logits, targets = logits[kept], targets[kept]
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return tf.reduce_mean(each)


def scored(logits, targets):
    """``class_loss``, and the share of classes whose logit is the largest."""
    right = tf.argmax(logits, axis=-1) == targets
    return class_loss(logits, targets), tf.reduce_mean(tf.cast(right, "float32"))


def token_loss(model, source, mask, target_in, target_out):
    """The cross-entropy of the next target token with teacher forcing.

    A mean over the tokens that are not padding; ``attn_course.tasks.text.Batch``.
    """
    logits, _ = model(source, target_in, mask)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(target_out, logits)
    real = tf.cast(target_out != PAD, each.dtype)
    return tf.reduce_sum(each * real) / tf.reduce_sum(real)


def read(model, *arrays):
    """What a model gives for some arrays: an array, or a tuple of several."""
    return as_arrays(model(*map(tf.constant, arrays)))


def guessed(model, inputs, targets):
    """A model's first output, logits (..., N), and nats of targets (...): arrays."""
    logits = model(tf.constant(inputs))[0]
    nats = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
    return logits.numpy(), nats.numpy()


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


def _join(parts):
    """One array of NumPy out of the parts; None if there are none."""
    return None if parts[0] is None else np.concatenate([x.numpy() for x in parts])
