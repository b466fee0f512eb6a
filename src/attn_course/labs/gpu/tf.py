"""Demos in TensorFlow."""

import time

from attn_course import tf as attn_tf
from attn_course.frameworks import tf
from attn_course.labs.gpu import HEADS, WIDTH, Plan

ROUNDS = 5


def flash(plan: Plan) -> list:
    """Rows of chapter 14: way, length, milliseconds, MiB beside the inputs."""
    rows = []
    for way, lengths in plan.ways.items():
        for length in lengths:
            shape = 3, 1, HEADS, length, WIDTH
            drawn = tf.random.normal(shape, dtype=getattr(tf, plan.dtype))
            heads = tf.unstack(drawn)
            rows.append({"way": way, "positions": length, **measured(way, heads)})
            print(rows[-1], flush=True)
    return rows


def attend(way):
    """A function of query, key and value, causal; gives the output."""
    name = {"weights": "scaled_dot_product_attention", "tiles": "flash_attention"}
    function = getattr(attn_tf, name[way])
    return lambda *heads: function(*heads, causal=True)[0]


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
