"""Attention over several devices in TensorFlow; see ``attn_course.course.labs.ring``.

``tf.distribute`` gathers and sums; it does not send from one device to another, so
there is no ring here.
"""

import numpy as np

from attn_course.core.frameworks import tf
from attn_course.core.split_keys.tf import of_parts
from attn_course.course.labs.ring import alone, draw, zigzag
from attn_course.mechanisms.flash.tf import apart


class Team:
    """This device among R, inside ``strategy.run``, and the bytes that it has sent."""

    def __init__(self):
        self.context, self.sent = tf.distribute.get_replica_context(), 0
        self.size = self.context.num_replicas_in_sync

    def gather(self, x):
        """What every device has, a list of R."""
        found = self.context.all_gather(x[None], axis=0)
        self.sent += (self.size - 1) * x.dtype.size * x.shape.num_elements()
        return tf.unstack(found, num=self.size)


def gathered_attention(query, key, value, mine, places, team, causal=True):
    """All keys to every device, then attention as on one."""
    key, value = (tf.concat(team.gather(x), axis=-2) for x in (key, value))
    seen = (np.concatenate(places) <= mine[:, None]) | (not causal)
    return attend(query, key, value, seen)


def attend(query, key, value, seen=None):
    """Attention as the package has it for one part of the keys."""
    _, total, context = of_parts(query * query.shape[-1] ** -0.5, key, value, seen)
    return context / apart(total)


def make_devices(count):
    """The processor as so many devices; before TensorFlow has used it."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    one = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [one] * count)
    return tf.distribute.MirroredStrategy([f"CPU:{n}" for n in range(count)])


def compare(sizes):
    """See ``ring.pytorch``: of each device, by the one way that there is here."""
    strategy, places = make_devices(sizes.R), zigzag(sizes.S, sizes.R)
    heads, sent = draw(sizes), []
    whole = alone(*heads)

    def share_of(context):
        mine = places[context.replica_id_in_sync_group]
        own = [x[..., mine, :] for x in heads]
        return tuple(tf.constant(x) for x in (*own, mine))

    def work(query, key, value, mine):
        team = Team()
        output = gathered_attention(query, key, value, mine, places, team)
        sent.append(team.sent)
        return output

    given = strategy.experimental_distribute_values_from_function(share_of)
    found = tf.function(lambda: strategy.run(work, given))()
    return [
        {"gather": (float(np.abs(x - whole[..., p, :]).max()), n)}
        for x, p, n in zip(found.values, places, sent, strict=True)
    ]
