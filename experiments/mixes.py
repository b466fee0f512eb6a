"""How far four layers see, by how many of them have a window.

A text of symbols that mean nothing holds one key; at its end the key is asked for. The
layers' maps have the same sizes in every mix: a window, a rotation and their absence
have no parameters. Trained on texts of 96, tested by distance on 96 and 192; in
TensorFlow with one seed.

python -m experiments.mixes --seeds 0 1 2
"""

import numpy as np

from attn_course.core.parity import get_parameters
from attn_course.course.labs.positions import rate_at
from experiments import draw_from, run_plan
from experiments.models import in_both

FILLERS, KEYS, ASK = 16, 16, 32
WIDTH, HEADS, WINDOW = 32, 2, 12
LENGTH, BATCH, STEPS, RATE, ASKED = 96, 16, 500, 3e-3, 6
# w: a window; f: all keys, with RoPE; n: all keys, without positions
MIXES = {"4 windows": "wwww", "3 : 1": "wwwf", "3 : 1, NoPE": "wwwn", "4 full": "ffff"}
TESTED = {96: (8, 24, 40, 48, 64, 94), 192: (8, 40, 94, 128, 190)}


def make_layer(face, letter):
    """The attention of one layer; face: ``attn_course.pytorch`` or ``.tf``."""
    if letter == "n":
        return face.MultiHeadAttention(WIDTH, HEADS)
    rotary = face.RotaryEncoding(WIDTH // HEADS)
    if letter == "f":
        return face.MultiHeadAttention(WIDTH, HEADS, rotary=rotary)
    return face.SlidingWindowAttention(WIDTH, HEADS, window=WINDOW, rotary=rotary)


def make_stack(face, mix):
    """An encoder of the layers of a mix."""
    sizes = len(MIXES[mix]), WIDTH, HEADS, 4 * WIDTH
    options = {"norm": "pre", "attention": lambda n: make_layer(face, MIXES[mix][n])}
    return face.Encoder(*sizes, **options)


def questions(rng, count, length, place=None, asked=ASKED):
    """Texts (count, length) with a key at a place, and keys wanted; -1 is nothing."""
    tokens = rng.integers(FILLERS, size=(count, length))
    wanted = np.full((count, length), -1)
    keys, rows = rng.integers(KEYS, size=count), np.arange(count)
    places = rng.integers(length // 2, size=count) if place is None else place
    tokens[rows, places] = FILLERS + keys
    asks = np.argsort(rng.random((count, length)), axis=1)[:, : asked - 1]
    asks = np.hstack([asks, np.full((count, 1), length - 1)])
    ok = asks > np.broadcast_to(places, count)[:, None]
    tokens[rows[:, None].repeat(asked, 1)[ok], asks[ok]] = ASK
    wanted[rows[:, None].repeat(asked, 1)[ok], asks[ok]] = keys[:, None].repeat(
        asked, 1
    )[ok]
    return tokens, wanted


def training(seed):
    """Endless texts."""
    rng = np.random.default_rng(seed)
    while True:
        yield questions(rng, BATCH, LENGTH)


class Model:
    """Symbols (B, T) -> logits (B, T, keys)."""

    def __init__(self, mix):
        super().__init__()
        self.embedding = self.table(ASK + 1, WIDTH)
        self.logits = self.linear(WIDTH, KEYS)
        self.encoder = make_stack(self.face, mix)

    def call(self, tokens):
        x, _ = self.encoder(self.embedding(tokens), causal=True, need_weights=False)
        return self.logits(x)


MODELS = in_both(Model)


def run(framework, mix, seed):
    """One mix: a row per length and distance, with the share of keys found there."""
    draw_from(seed)
    model, rows = MODELS[framework](mix), []
    loop = model.loop

    def loss(model, tokens, wanted):
        return loop.class_loss(model(tokens), wanted, skip=-1)

    options = {"rate": RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    loop.train(model, training(seed), loss, steps=STEPS, **options)
    row = {"framework": framework, "mix": mix, "layers": MIXES[mix], "seed": seed}
    row |= {"parameters": sum(x.size for x in get_parameters(model).values())}
    for length, distances in TESTED.items():
        for distance in distances:
            rng = np.random.default_rng(10_000 + seed)
            place = {"length": length, "distance": distance}
            given = rng, 200, length, length - 1 - distance
            tokens, wanted = questions(*given, asked=1)
            right = loop.read(model, tokens)[:, -1].argmax(-1) == wanted[:, -1]
            rows.append(row | place | {"found": round(float(right.mean()), 4)})
    return rows


if __name__ == "__main__":
    sizes = {"window": WINDOW, "steps": STEPS, "trained_length": LENGTH}
    plan = [("pytorch", mix) for mix in MIXES]
    beside = [("tf", "4 windows"), ("tf", "3 : 1")]
    run_plan("mixes", plan, run, beside, sizes=lambda: sizes)
