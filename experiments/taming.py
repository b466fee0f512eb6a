"""A language model of bytes at rates that are too high, with and without tamed scores.

Two widths, five learning rates, three kinds: plain, the norm of queries and keys, and
capped scores. No warm-up, no decay, no clipping: what keeps the scores small is the
part alone. The largest score of any pair is kept over the training. In TensorFlow with
one seed.

python -m experiments.taming --seeds 0 1 2
"""

from itertools import product

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import keras, tf, torch
from attn_course.course.labs.uptrain import batches
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan
from experiments.models import in_both

STEPS, LENGTH, BATCH, EVERY = 200, 48, 8, 10
WIDTHS, RATES = (32, 96), (3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
KINDS, CAP, HEAD = ("plain", "norm", "cap"), 20.0, 16


def make_stack(face, width, kind, watched):
    """Two layers, pre-norm, with RoPE; face: ``attn_course.pytorch`` or ``.tf``."""

    def attention(number):
        norm = face.QueryKeyNorm(HEAD) if kind == "norm" else None
        parts = {"rotary": face.RotaryEncoding(HEAD), "query_key_norm": norm}
        parts["softmax"] = watched[number]
        return face.MultiHeadAttention(width, width // HEAD, **parts)

    options = {"norm": "pre", "attention": attention}
    return face.Encoder(2, width, width // HEAD, 4 * width, **options)


class TorchWatched(torch.nn.Module):
    """Another softmax, and the largest score that it was given."""

    def __init__(self, kind):
        super().__init__()
        self.softmax = pytorch.CappedSoftmax(CAP) if kind == "cap" else None
        self.largest = 0.0

    def forward(self, score, mask=None):
        self.largest = score.detach().abs().max()
        if self.softmax is not None:
            return self.softmax(score, mask)
        return torch.softmax(score.masked_fill(~mask, -torch.inf), dim=-1)


class KerasWatched(keras.layers.Layer):
    """Another softmax, and the largest score that it was given."""

    def __init__(self, kind):
        super().__init__()
        self.softmax = in_tf.CappedSoftmax(CAP) if kind == "cap" else None
        self.largest = 0.0
        self.built = True

    def call(self, score, mask=None):
        self.largest = tf.reduce_max(tf.abs(score))
        if self.softmax is not None:
            return self.softmax(score, mask)
        return tf.nn.softmax(tf.where(mask, score, score.dtype.min))


WATCHED = {"pytorch": TorchWatched, "tf": KerasWatched}


class Model:
    """Bytes (B, T) -> logits (B, T, 256): two layers, pre-norm, with RoPE."""

    def __init__(self, width, kind):
        super().__init__()
        self.watched = self.listed(WATCHED[self.framework](kind) for _ in range(2))
        self.embedding = self.table(256, width)
        self.logits = self.linear(width, 256)
        self.encoder = make_stack(self.face, width, kind, self.watched)

    def call(self, tokens):
        return self.logits(self.encoder(self.embedding(tokens), causal=True)[0])

    def largest(self):
        return self.library.maximum(*(part.largest for part in self.watched))


MODELS = in_both(Model)


def run(framework, width, rate, kind, seed):
    """One training: the loss of its last tenth, and the largest scores on its way."""
    draw_from(seed)
    model, options = MODELS[framework](width, kind), {"steps": STEPS, "rate": rate}

    def loss(model, tokens, targets):
        return model.loop.class_loss(model(tokens), targets), model.largest()

    data = batches(load_topics("train"), seed=seed, length=LENGTH, count=BATCH)
    log = model.loop.train(model, data, loss, **options, every=1)
    largest = [round(line.score, 2) for line in log[EVERY - 1 :: EVERY]]
    row = {"framework": framework, "width": width, "rate": rate, "kind": kind}
    last = sum(line.loss for line in log[-STEPS // 10 :]) / (STEPS // 10)
    return [row | {"seed": seed, "loss": round(last, 4), "largest": largest}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], WIDTHS, RATES, KINDS))
    beside = list(product(["tf"], [32], (3e-3, 3e-2, 1e-1), KINDS))
    beside += product(["tf"], [96], RATES, KINDS)
    sizes = {"steps": STEPS, "length": LENGTH, "batch": BATCH, "every": EVERY}
    run_plan("taming", plan, run, beside, sizes=lambda: sizes | {"cap": CAP})
