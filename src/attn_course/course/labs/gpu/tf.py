"""Demos in TensorFlow."""

import time
from functools import partial

from attn_course import tf as attn_tf
from attn_course.core.frameworks import keras, tf
from attn_course.course.labs.decode.tf import make_step
from attn_course.course.labs.gpu import HEADS, WIDTH, WINDOW, Plan, training

ROUNDS = 5


def place():
    """Before anything is computed: take no more of the GPU's memory than is needed.

    Else TensorFlow takes all of it, and PyTorch finds none.
    """
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)


def attention(plan: Plan):
    """Chapters 10, 11, 14: way, length, milliseconds, MiB beside the inputs.

    Where a way fails, for want of memory, its row says so.
    """
    for way, lengths in plan.ways.items():
        for length in lengths:
            row = {"way": way, "positions": length}
            try:
                shape = 3, 1, HEADS, length, WIDTH
                drawn = tf.random.normal(shape, dtype=getattr(tf, plan.dtype))
                yield row | measured(way, tf.unstack(drawn))
            except tf.errors.OpError as error:
                yield row | {"error": str(error).partition("\n")[0]}
                break


def decode(plan: Plan):
    """Chapter 13: a step behind a cache, tokens per second, bytes that it reads."""
    batch, dtype = plan.sizes["batch"], getattr(tf, plan.dtype)
    for kind, contexts in plan.ways.items():
        for context in contexts:
            step, size = make_step(kind, context, batch=batch, dtype=dtype)
            wait(step())
            seconds = best(step)
            row = {"way": kind, "context": context, "batch": batch, "bytes": size}
            row |= {"ms": round(1e3 * seconds, 4)}
            yield {**row, "tokens_per_second": round(batch / seconds)}


def dates(plan: Plan):
    """Chapter 2 in a larger size."""
    return training.dates(plan, "tf")


def translate(plan: Plan):
    """Chapter 9 in a larger size."""
    from attn_course.course.labs.translate import tf as lab

    return training.translate(plan, lab)


def language(plan: Plan):
    """Chapter 13: what fewer heads of key and value cost in loss."""
    from attn_course.course.labs.generate import tf as lab
    from attn_course.course.training import tf as loop

    def number(model, *arrays):
        return float(lab.loss(model, *map(tf.constant, arrays)))

    keras.utils.set_random_seed(0)
    return training.language(plan, lab, loop, lambda x: x, number)


OURS = {
    "weights": ("scaled_dot_product_attention", {}),
    "tiles": ("flash_attention", {}),
    "window": ("sliding_window_attention", {"window": WINDOW}),
    "strided": ("strided_attention", {}),
    "linear": ("linear_attention", {}),
}


def attend(way):
    """A function of query, key and value, causal; gives the output."""
    name, sizes = OURS[way]
    function = partial(getattr(attn_tf, name), **sizes, causal=True)
    if way == "strided":
        return lambda *x: function(*x, stride=round(x[0].shape[2] ** 0.5))[0]
    return lambda *heads: function(*heads)[0]


def measured(way, heads):
    """Milliseconds and MiB of a run forward, and of one with the gradients."""
    function = attend(way)

    def both():
        with tf.GradientTape() as tape:
            tape.watch(heads)
            output = tf.reduce_sum(function(*heads))
        return tape.gradient(output, heads)

    found = {}
    for name, run in {"forward": lambda: function(*heads), "gradients": both}.items():
        graph = tf.function(run)
        wait(graph())  # traced
        found[f"{name}_mib"] = peak(graph)
        found[f"{name}_ms"] = round(1e3 * best(graph), 3)
    return found


def wait(found):
    """Until the numbers are there: a GPU is asked for one of them."""
    last = tf.nest.flatten(found)[-1]
    return tf.reshape(last, (-1,))[0].numpy()


def peak(run):
    """MiB at most beside what was held before; None without a GPU."""
    if not tf.config.list_physical_devices("GPU"):
        wait(run())
        return None
    tf.config.experimental.reset_memory_stats("GPU:0")
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    wait(run())
    found = tf.config.experimental.get_memory_info("GPU:0")["peak"]
    return round((found - before) / 2**20, 1)


def best(run):
    """Seconds of the fastest of a few runs."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        wait(run())
        seconds.append(time.perf_counter() - start)
    return min(seconds)
