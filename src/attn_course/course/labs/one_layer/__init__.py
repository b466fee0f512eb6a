"""Texts with little to look for, and what a layer does with the rest of its weight.

Most symbols of such a text say by themselves what comes next, but one in eight, ECHO,
is followed by the symbol before it. So a head is needed at one position of eight and
has nothing to find at the others. Every text begins with BEGIN. ``pytorch`` and ``tf``
have a model of one layer with one head, whose softmax and output can be regulated.

python -m experiments.idle --seeds 0 1 2
"""

from functools import partial

import numpy as np

from attn_course.notebook import Table

SYMBOLS, ECHO, BEGIN = 16, 16, 17
LENGTH, BATCH = 32, 32
STEPS, RATE = 400, 1e-2
SIZES = {"symbols": 18, "width": 32}
KINDS = ("plain", "sink", "gate", "head gate")


def followers(seed=0):
    """The probability (SYMBOLS, SYMBOLS) that a symbol is followed by another."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(SYMBOLS, 0.2), size=SYMBOLS)


def texts(count, rng, length=LENGTH + 1):
    """Texts (count, length): BEGIN, then symbols, of which one in eight is ECHO."""
    edges = followers().cumsum(axis=1)
    found = np.full((count, length), BEGIN)
    found[:, 1] = rng.integers(SYMBOLS, size=count)
    for t in range(2, length):
        last, before = found[:, t - 1], found[:, t - 2]
        row = edges[np.minimum(last, SYMBOLS - 1)]
        new = (rng.random((count, 1)) * row[:, -1:] > row).sum(axis=1)
        new = np.where(last == ECHO, before, new)
        echo = (rng.random(count) < 1 / 8) & (last != ECHO) & (t > 2)
        found[:, t] = np.where(echo, ECHO, new)
    return found


def batches(seed, count=BATCH):
    """Endless texts (count, LENGTH), and the symbols that follow."""
    rng = np.random.default_rng(seed)
    while True:
        found = texts(count, rng)
        yield found[:, :-1], found[:, 1:]


def tested(count=256):
    """Texts that no seed of a training draws, and the symbols that follow."""
    return next(batches(10_000, count))


def evicted(length=LENGTH):
    """A mask (T, S) without the first key, as when a cache forgets the oldest."""
    mask = np.ones((length, length), bool)
    mask[1:, 0] = False
    return mask


def make_attention(face, kind, width):
    """One head with RoPE; a sink, a gate on each column, one on the head, or none.

    face: ``attn_course.pytorch`` or ``.tf``.
    """
    parts = {"rotary": face.RotaryEncoding(width)}
    if kind == "sink":
        parts["softmax"] = face.SinkSoftmax(1)
    if kind == "gate":
        parts["output_gate"] = face.OutputGate(width, 1, width)
    if kind == "head gate":
        parts["output_gate"] = face.OutputGate(width, 1)
    return face.MultiHeadAttention(width, 1, **parts)


def measure(tokens, losses, right, weights, outputs):
    """What a model does where it must look back, and where it need not.

    tokens, losses, right (B, T), weights (B, H, T, S), outputs (B, T): the length of
    what the attention adds. Positions from 8 on.
    """
    late = np.arange(tokens.shape[1]) >= 8
    echo, idle = late & (tokens == ECHO), late & (tokens < SYMBOLS)
    first, whole = weights[..., 0].mean(axis=1), weights.sum(axis=-1).mean(axis=1)
    return {
        "loss": float(losses[:, 8:].mean()),
        "echoed": float(right[echo].mean()),
        "first_idle": float(first[idle].mean()),
        "first_echo": float(first[echo].mean()),
        "sum_idle": float(whole[idle].mean()),
        "sum_echo": float(whole[echo].mean()),
        "added_idle": float(outputs[idle].mean()),
        "added_echo": float(outputs[echo].mean()),
    }


def measured(loop, model, mask=None):
    """What ``measure`` says of a model; mask: for all texts (T, S).

    loop: ``attn_course.course.training.pytorch`` or ``.tf``.
    """
    tokens, targets = tested()
    logits, nats = loop.guessed(partial(model, mask=mask), tokens, targets)
    _, weights = loop.read(partial(model, mask=mask), tokens)
    outputs = loop.read(partial(model.added, mask=mask), tokens)
    return measure(tokens, nats, logits.argmax(axis=-1) == targets, weights, outputs)


def told(found):
    """What ``measure`` says of several heads, as a table."""
    names = {
        "echoed": "ECHO answered",
        "first_echo": "On BEGIN, at ECHO",
        "first_idle": "On BEGIN, idle",
        "sum_idle": "Row sum, idle",
    }
    rows = [(kind, *(f"{x[name]:.2f}" for name in names)) for kind, x in found.items()]
    return Table(["Head", *names.values()], rows)
