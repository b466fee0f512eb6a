"""Programs in TensorFlow, each as one graph, on the device that TensorFlow chooses."""

from types import SimpleNamespace

import numpy as np

from attn_course import tf as attn_tf
from attn_course.core.frameworks import keras, tf
from experiments.bench.cases import RATE


def recurrent(width):
    """A GRU, over vectors as wide as its state."""
    layer = keras.layers.GRU(width, return_sequences=True)
    return lambda x: (layer(x), None)


def convolutional(width):
    """A convolution over three positions, which keeps the width."""
    layer = keras.layers.Conv1D(width, 3, padding="same")
    return lambda x: (layer(x), None)


FACE = SimpleNamespace(
    **vars(attn_tf), recurrent=recurrent, convolutional=convolutional
)


def drawer(seed=0):
    """``draw(*shape)``: normal numbers, in both frameworks the same; zeros if whole."""
    rng = np.random.default_rng(seed)

    def draw(*shape, whole=False):
        if whole:
            return tf.zeros(shape, tf.int64)
        return tf.constant(rng.normal(size=shape).astype(np.float32))

    return draw


def program(make, n):
    """A function of no arguments that runs ``make`` at length n, without gradients."""
    call, inputs = make(FACE, drawer(), n)
    graph = tf.function(call)
    return arrived(lambda: graph(*inputs))


compiled = tf.function


def seed():
    """What layers draw from here on is the same."""
    keras.utils.set_random_seed(0)


def rewind(cache, length):
    """Forget what a cache holds behind so many positions."""
    cache.length.assign(length)


def training_step(layer, attend, target, reached=None):
    """A step, in which ``attend`` calls the layer; it returns what ``reached`` says."""

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((attend() - target) ** 2)
        variables = [variable.value for variable in layer.trainable_variables]
        gradients = tape.gradient(loss, variables)
        for variable, gradient in zip(variables, gradients, strict=True):
            variable.assign_sub(RATE * gradient)

    def run():
        step()
        last = layer.trainable_variables[-1]
        return reached() if reached else tf.convert_to_tensor(last)

    return arrived(run)


def arrived(run):
    """The same run, which waits until its numbers are there: a GPU is asked for one."""
    if not tf.config.get_visible_devices("GPU"):
        return run

    def wait():
        found = run()
        tf.reshape(found, (-1,))[0].numpy()
        return found

    return wait
