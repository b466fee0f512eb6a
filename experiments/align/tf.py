"""Two translators whose attention is read as an alignment, in TensorFlow."""

from functools import partial

from attn_course.core.frameworks import keras, tf
from attn_course.course.training import tf as loop
from attn_course.tasks.text import PAD
from attn_course.tf import (
    BahdanauDecoder,
    EncoderDecoder,
    RecurrentEncoder,
    Transformer,
)
from experiments.align import DROPOUT, FF, HEADS, LAYERS, A, D, H, pieces


class Recurrent(EncoderDecoder):
    """Bahdanau's model, with dropout on what the encoder hands over."""

    def __init__(self, num_greek, num_english):
        sizes = {"memory_dim": H, "attention_dim": A}
        super().__init__(
            RecurrentEncoder(num_greek, D, H // 2),
            BahdanauDecoder(num_english, D, H, **sizes),
        )
        self.dropout = keras.layers.Dropout(DROPOUT)

    def call(self, source, target_in, source_mask=None, *, training=None):
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        memory = self.dropout(memory, training=training)
        return self.decoder(target_in, memory, state, source_mask)


class Attending(Transformer):
    """A small Transformer, called as `Recurrent` is; the weights of all its heads."""

    def __init__(self, num_greek, num_english):
        more = {"source_vocab_size": num_greek, "norm": "pre", "dropout": DROPOUT}
        super().__init__(num_english, LAYERS, D, HEADS, FF, **more)

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
    """The weights of every verse, (..., T + 1, S), and the mean loss of a word.

    Row t has the weights while word t is written; the last row ends the verse.
    """

    @tf.function(reduce_retracing=True)
    def compute(source, mask, target_in):
        return model(source, target_in, mask, training=False)

    found, total, words = [], 0.0, 0
    for arrays, sizes in pieces(examples, size):
        *given, target_out = map(tf.constant, arrays)
        logits, weights = compute(*given)
        count = int((arrays[-1] != PAD).sum())
        total += count * float(loop.class_loss(logits, target_out, skip=PAD))
        words += count
        weights = weights.numpy()
        found += [w[..., :t, :s] for w, (t, s) in zip(weights, sizes, strict=True)]
    return found, total / words
