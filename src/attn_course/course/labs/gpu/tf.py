"""Demos in TensorFlow."""

from contextlib import contextmanager
from functools import partial

from attn_course import tf as attn_tf
from attn_course.core.frameworks import tf
from attn_course.course.labs.decode.tf import make_step
from attn_course.course.labs.gpu import Plan, training
from attn_course.course.labs.gpu.timing import host_clock, of_runs, of_ways, ours
from attn_course.notebook import device

ROUNDS = 10  # at most three without a GPU


@contextmanager
def ready():
    """Nothing to do: TensorFlow takes the GPU, and TF32, by itself."""
    yield


def attention(plan: Plan):
    """Chapters 10, 11, 14: way, length, milliseconds, MiB beside the inputs."""

    def measure(way, shape):
        drawn = tf.random.normal((3, *shape), dtype=getattr(tf, plan.dtype))
        return measured(way, tf.unstack(drawn))

    return of_ways(plan, device("tf"), measure, tf.errors.OpError)


heads = attention  # Chapter 6: the same, by the number of heads


def depth(plan: Plan):
    """Chapter 8: a stack's step forward, and with the gradients, by its layers."""
    D, shape = plan.sizes["width"], (plan.sizes["batch"], plan.sizes["positions"])
    for layers in plan.ways["encoder"]:
        stack = attn_tf.Encoder(layers, D, max(1, D // 64), 4 * D)
        x = tf.random.normal((*shape, D))
        run = partial(stack, x, need_weights=False)
        run()
        row = {"way": "encoder", "layers": layers, "batch": shape[0]}
        inputs = [each.value for each in stack.trainable_weights]
        yield row | timed(lambda run=run: run()[0], inputs)


def decode(plan: Plan):
    """Chapter 13: a step behind a cache, tokens per second, bytes that it reads."""
    batch, dtype = plan.sizes["batch"], getattr(tf, plan.dtype)
    for kind, contexts in plan.ways.items():
        for context in contexts:
            step, size = make_step(kind, context, batch=batch, dtype=dtype)
            wait(step())
            ms, *ends = spread(step)
            row = {"way": kind, "context": context, "batch": batch, "bytes": size}
            row |= {"ms": ms, "range": ends}
            yield {**row, "tokens_per_second": round(1e3 * batch / ms)}


@contextmanager
def no_graphs_without_a_gpu():
    """Two steps of a tiny model take less time than their graph."""
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(
        before or not tf.config.list_physical_devices("GPU")
    )
    try:
        yield
    finally:
        tf.config.run_functions_eagerly(before)


def dates(plan: Plan):
    """Chapter 2 in a larger size."""
    with no_graphs_without_a_gpu():
        yield from training.dates(plan, "tf")


def translate(plan: Plan):
    """Chapter 9 in a larger size."""
    from attn_course.course.labs.translate import tf as lab

    with no_graphs_without_a_gpu():
        yield from training.translate(plan, lab)


attend = partial(ours, attn_tf)  # by the name of a way


def measured(way, heads):
    """Milliseconds and MiB of a run forward, and of one with the gradients."""
    function = attend(way)
    return timed(lambda: function(*heads), heads)


def timed(run, inputs):
    """The same for any run; the gradients are those of inputs."""

    def both():
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            output = tf.reduce_sum(run())
        return tape.gradient(output, inputs)

    found = {}
    for name, each in {"forward": run, "gradients": both}.items():
        graph = tf.function(each)
        wait(graph())  # traced
        found[f"{name}_mib"] = peak(graph)
        found[f"{name}_ms"], *found[f"{name}_range"] = spread(graph)
    return found


def wait(found):
    """Until the numbers are there: a GPU is asked for one of them."""
    last = tf.nest.flatten(found)[-1]
    return tf.reshape(last, (-1,))[0].numpy()


def peak(run):
    """MiB at most beside what was held before; None without a GPU."""
    if not tf.config.list_physical_devices("GPU"):
        return None
    tf.config.experimental.reset_memory_stats("GPU:0")
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    wait(run())
    found = tf.config.experimental.get_memory_info("GPU:0")["peak"]
    return round((found - before) / 2**20, 1)


def spread(run):
    """Milliseconds of some runs: median, fastest, slowest.

    TensorFlow gives no clock of the GPU: the host's, which waits for it.
    """
    rounds = ROUNDS if tf.config.list_physical_devices("GPU") else min(3, ROUNDS)
    return of_runs(host_clock(lambda: wait(run())) for _ in range(rounds))
