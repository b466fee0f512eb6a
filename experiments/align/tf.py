"""Two translators whose attention is read as an alignment, in TensorFlow."""

from functools import partial

from attn_course import tf as attn_tf
from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as loop
from attn_course.tasks.text import PAD
from experiments import align
from experiments.align import DROPOUT


class Recurrent(attn_tf.EncoderDecoder):
    """Bahdanau's model, with dropout on what the encoder hands over."""

    def __init__(self, *sizes):
        super().__init__(*align.recurrent(attn_tf, *sizes))
        self.dropout = keras.layers.Dropout(DROPOUT)

    def call(self, source, target_in, source_mask=None, *, training=None):
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        memory = self.dropout(memory, training=training)
        return self.decoder(target_in, memory, state, source_mask)


class Attending(align.Attending, attn_tf.Transformer):
    def call(self, source, target_in, source_mask, *, training=None):
        mask = source_mask[:, None, None]
        logits, (_, seen) = super().call(source, target_in, mask, training=training)
        across = [weights for _, weights in seen]
        return logits, tf.stack(across, axis=1)  # (B, layers, heads, T, S)


MODELS = {"Bahdanau": Recurrent, "Transformer": Attending}
train = loop.train


def loss(model, *batch):
    """The loss of a word, with dropout."""
    return loop.token_loss(partial(model, training=True), *batch)


def read(model, examples, size=200):
    """See ``align.read``."""

    def loss(logits, target):
        return float(loop.class_loss(*map(tf.constant, (logits, target)), skip=PAD))

    @tf.function(reduce_retracing=True)
    def graph(*given):
        return model(*given, training=False)

    return align.read(partial(loop.read, graph), loss, examples, size)
