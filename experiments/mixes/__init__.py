"""How far four layers see, by how many of them have a window.

A text of symbols that mean nothing holds one key; at its end the key is asked for. The
layers' maps have the same sizes in every mix: a window, a rotation and their absence
have no parameters. Trained on texts of 96, tested by distance on 96 and 192.
``mixes.pytorch`` and ``mixes.tf`` have the model.

python -m experiments.mixes --seeds 0 1 2
"""

import numpy as np

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
