"""One run of attention in TensorFlow, for its peak of memory."""

from attn_course import tf as attn_tf
from attn_course.core.frameworks import tf
from attn_course.course.labs.flash import draw


def runner(method, positions, backward, seed):
    """A function of no arguments: attention, and the gradients if backward."""
    heads = tf.unstack(tf.constant(draw(positions, seed)))
    function = getattr(attn_tf, method)

    def run():
        if not backward:
            return function(*heads)[0]
        with tf.GradientTape() as tape:
            tape.watch(heads)
            output = tf.reduce_sum(function(*heads)[0])
        return tape.gradient(output, heads)

    return tf.function(run)
