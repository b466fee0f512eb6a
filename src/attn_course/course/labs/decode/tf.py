"""The steps of ``attn_course.course.labs.decode`` in TensorFlow."""

from functools import partial
from types import SimpleNamespace

from attn_course.core.frameworks import tf
from attn_course.course.labs import decode
from attn_course.tf import KVCache, grouped_query_attention


def draw(dtype, *shape):
    """Normal numbers; of two tensors a list, for a graph can't go through one."""
    drawn = tf.random.normal(shape, dtype=dtype or tf.float32)
    return drawn if len(shape) < 5 else tf.unstack(drawn)


OWN = SimpleNamespace(
    draw=draw,
    cache=lambda dtype, *sizes: KVCache(*sizes, dtype=(dtype or tf.float32).name),
    rewind=lambda cache, length: cache.length.assign(length),
    attend=grouped_query_attention,
    einsum=tf.einsum,
    concat=tf.concat,
    compiled=tf.function,
)
make_step = partial(decode.make_step, OWN)
