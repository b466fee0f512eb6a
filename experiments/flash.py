"""What attention holds at most: every method at every length, in both frameworks.

Linux alone.

python -m experiments.flash
"""

from itertools import product

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import tf, torch
from attn_course.course.labs.flash import LENGTHS, METHODS, draw
from experiments import run_plan
from experiments.bench.measure import peak


def torch_runner(method, positions, backward, seed):
    """A function of no arguments: attention, and the gradients if backward."""
    heads = torch.from_numpy(draw(positions, seed)).unbind(0)
    heads = [x.clone().requires_grad_(backward) for x in heads]
    function = getattr(pytorch, method)

    def run():
        with torch.set_grad_enabled(backward):
            output, _ = function(*heads)
            return torch.autograd.grad(output.sum(), heads) if backward else output

    return run


def tf_runner(method, positions, backward, seed):
    """The same in TensorFlow."""
    heads = tf.unstack(tf.constant(draw(positions, seed)))
    function = getattr(in_tf, method)

    def run():
        if not backward:
            return function(*heads)[0]
        with tf.GradientTape() as tape:
            tape.watch(heads)
            output = tf.reduce_sum(function(*heads)[0])
        return tape.gradient(output, heads)

    return tf.function(run)


def run(framework, backward, method, positions, seed):
    """One row of the record, alone in a list."""
    runner = {"pytorch": torch_runner, "tf": tf_runner}[framework]
    held = peak(runner(method, positions, backward, seed))
    row = {"framework": framework, "method": method, "positions": positions}
    return [row | {"backward": backward, "seed": seed, "peak_mib": held}]


if __name__ == "__main__":
    run_plan(
        "flash", list(product(("pytorch", "tf"), (False, True), METHODS, LENGTHS)), run
    )
