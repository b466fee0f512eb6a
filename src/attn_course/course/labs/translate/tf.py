"""Building, training and resuming a translation model in TensorFlow.

On one device, or on all that there are (MirroredStrategy).
"""

import time
from pathlib import Path

import numpy as np

from attn_course import tf as names
from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.translate import (
    CLIP,
    SMOOTHING,
    batches_from,
    chunks,
    is_best,
    model_of,
    part_of,
    rate_of,
    real_tokens,
    run_name,
    written,
)
from attn_course.course.training import progress
from attn_course.files import replacing
from attn_course.tasks.text import PAD


def build(setting):
    """One of the four models, drawn with the setting's seed."""
    keras.utils.set_random_seed(setting.seed)
    model = model_of(names, setting)
    if setting.model == "transformer":
        return model
    for part in (model.encoder, model.decoder):
        part.embedding = Dropped(part.embedding, setting.dropout)
    output = Dropped(model.decoder.output_layer, setting.dropout, before=True)
    model.decoder.output_layer = output
    return model


class Dropped(keras.layers.Layer):
    """A layer of a recurrent model, with dropout behind or before it.

    On the embeddings of source and target, and on what the output layer is given:
    where the Transformer has it outside its layers.
    """

    def __init__(self, layer, rate, before=False):
        super().__init__()
        self.layer, self.dropout = layer, keras.layers.Dropout(rate)
        self.before, self.built = before, True

    def call(self, x, training=None):
        """The layer's output, or what it makes of x, with some numbers left out."""
        if self.before:
            return self.layer(self.dropout(x, training=training))
        return self.dropout(self.layer(x), training=training)


def call(model, source, mask, target_in, training):
    """A model that is called with a batch: (source, mask, target_in) -> logits."""
    options = {"training": training}
    if isinstance(model, names.Transformer):
        mask = mask[:, None, None]
        options["need_weights"] = False
    return model(source, target_in, mask, **options)[0]


def summed_loss(model, batch, smoothing, training):
    """The sum of the losses of all tokens that are not padding."""
    source, mask, target_in, target_out = batch
    logits = call(model, source, mask, target_in, training)
    each = names.label_smoothing(logits, target_out, smoothing=smoothing)
    return tf.reduce_sum(each * tf.cast(target_out != PAD, each.dtype))


def train(model, data, setting, *, folder=None, stop=None, strategy=None):
    """Train up to ``setting.steps``; returns the log: a dict of lists.

    At the end the model has the parameters of the lowest loss on dev.

    folder: where the checkpoint is kept, and gone on from if there is one. stop: the
    step to stop at before the end. strategy: of several devices, under whose scope the
    model was built; each gets its part of every batch, and the loss is of the whole.
    """
    strategy = tf.distribute.get_strategy() if strategy is None else strategy
    with strategy.scope():
        optimizer = keras.optimizers.Adam(setting.rate, beta_2=0.98, epsilon=1e-9)
        step_of = step_function(model, optimizer, strategy)
        first = next(batches_from(data, setting, 0))
        call(model, *first[:3], training=False)  # some have their weights from now on
        optimizer.build(model.trainable_variables)
    log, best = load(folder, setting, model, optimizer)
    step, started = len(log["train"]), time.monotonic() - log["seconds"]
    stream = batches_from(data, setting, step)
    last = min(setting.steps, stop or setting.steps)
    for _, whole in zip(progress(last - step, setting.model), stream, strict=False):
        step += 1
        optimizer.learning_rate.assign(rate_of(step, setting))
        log["train"].append(round(float(step_of(whole)), 6))
        if step % setting.every == 0 or step == setting.steps:
            log["dev"].append((step, dev_loss(model, data.dev)))
            log["seconds"] = round(time.monotonic() - started, 1)
            if is_best(log):
                best = [x.numpy() for x in model.weights]
            save(folder, setting, model, optimizer, best, log)
    if step == setting.steps:
        model.set_weights(best)
    return log


def run(setting, data, folder=None):
    """Build and train on all GPUs that there are; returns the model and its log."""
    several = len(tf.config.list_physical_devices("GPU")) > 1
    strategy = tf.distribute.MirroredStrategy() if several else None
    with (strategy or tf.distribute.get_strategy()).scope():
        model = build(setting)
    return model, train(model, data, setting, folder=folder, strategy=strategy)


def step_function(model, optimizer, strategy):
    """What takes a batch of NumPy, makes one step on all devices, returns the loss."""
    count = strategy.num_replicas_in_sync

    def one(*given):
        *batch, tokens = given
        with tf.GradientTape() as tape:
            loss = summed_loss(model, batch, SMOOTHING, True) / tokens
        variables = model.trainable_variables
        found = tape.gradient(loss, variables)
        found = [tf.convert_to_tensor(x) for x in found]
        context = tf.distribute.get_replica_context()
        if count > 1:  # the norm to clip by is that of the whole gradient
            found = context.all_reduce(tf.distribute.ReduceOp.SUM, found)
        found, _ = tf.clip_by_global_norm(found, CLIP)
        # Keras adds up what the devices give, hence the count.
        found = [x / count for x in found]
        optimizer.apply_gradients(zip(found, variables, strict=True))
        return loss

    @tf.function(reduce_retracing=True)
    def everywhere(*given):
        losses = strategy.run(one, given)
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    def step(whole):
        tokens = np.float32(real_tokens(whole))

        def own(place):
            part = part_of(whole, place.replica_id_in_sync_group, count)
            return (*map(tf.constant, part), tf.constant(tokens))

        if count == 1:
            return everywhere(*map(tf.constant, whole), tf.constant(tokens))
        given = strategy.experimental_distribute_values_from_function(own)
        return everywhere(*given)

    return step


def dev_loss(model, examples):
    """The mean cross-entropy of a token, without label smoothing and dropout."""
    total = 0.0
    for chunk in chunks(examples, 128):
        total += float(summed_loss(model, to_tensors(chunk), 0.0, False))
    return round(total / real_tokens(examples), 4)


def translate(model, source, mask, **options):
    """``written`` of arrays; an array."""
    return written(names, model, *to_tensors((source, mask)), **options).numpy()


def to_tensors(arrays):
    """Arrays of NumPy as tensors."""
    return [tf.constant(array) for array in arrays]


def place():
    """This process's number and how many there are: one serves all devices."""
    return 0, 1


def save(folder, setting, model, optimizer, best, log):
    """Write the checkpoint, whole or not at all."""
    if folder is None:
        return
    path = checkpoint(folder, setting)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The variables of the model hold the state of its dropout too.
    state = [x.numpy() for x in (*model.variables, *optimizer.variables)]
    arrays = {f"{number}": x for number, x in enumerate(state)}
    arrays |= {f"best {number}": x for number, x in enumerate(best)}
    curves = {name: np.array(log[name]) for name in ("train", "dev", "seconds")}
    with replacing(path) as new:
        np.savez(new, **arrays, **curves)


def load(folder, setting, model, optimizer):
    """Go on from the checkpoint; returns its log and the best parameters so far."""
    path = None if folder is None else checkpoint(folder, setting)
    if path is None or not path.exists():
        return {"train": [], "dev": [], "seconds": 0}, None
    with np.load(path) as state:
        variables = (*model.variables, *optimizer.variables)
        for number, variable in enumerate(variables):
            variable.assign(state[f"{number}"])
        dev = [(int(step), float(loss)) for step, loss in state["dev"]]
        log = {"train": state["train"].tolist(), "dev": dev}
        best = [state[f"best {number}"] for number in range(len(model.weights))]
        return log | {"seconds": float(state["seconds"])}, best


def checkpoint(folder, setting):
    """Where a run's checkpoint is."""
    return Path(folder) / f"{run_name(setting)}.npz"
