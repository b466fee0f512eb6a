"""How far four layers see, by how many of them have a window.

A text of symbols that mean nothing holds one key; at its end the key is asked for. The
layers' maps have the same sizes in every mix: a window, a rotation and their absence
have no parameters. Trained on texts of 96, tested by distance on 96 and 192. PyTorch.

python -m experiments.mixes --seeds 0 1 2
"""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.positions import rate_at
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import (
    Encoder,
    MultiHeadAttention,
    RotaryEncoding,
    SlidingWindowAttention,
)
from experiments import run_plan

FILLERS, KEYS, ASK = 16, 16, 32
WIDTH, HEADS, WINDOW = 32, 2, 12
LENGTH, BATCH, STEPS, RATE, ASKED = 96, 16, 500, 3e-3, 6
# w: a window; f: all keys, with RoPE; n: all keys, without positions
MIXES = {"4 windows": "wwww", "3 : 1": "wwwf", "3 : 1, NoPE": "wwwn", "4 full": "ffff"}
TESTED = {96: (8, 24, 40, 48, 64, 94), 192: (8, 40, 94, 128, 190)}


def make_layer(letter):
    """The attention of one layer."""
    if letter == "n":
        return MultiHeadAttention(WIDTH, HEADS)
    rotary = RotaryEncoding(WIDTH // HEADS)
    if letter == "f":
        return MultiHeadAttention(WIDTH, HEADS, rotary=rotary)
    return SlidingWindowAttention(WIDTH, HEADS, window=WINDOW, rotary=rotary)


class Model(torch.nn.Module):
    """Symbols (B, T) -> logits (B, T, keys)."""

    def __init__(self, mix):
        super().__init__()
        self.embedding = torch.nn.Embedding(ASK + 1, WIDTH)
        self.output = torch.nn.Linear(WIDTH, KEYS)
        sizes = len(MIXES[mix]), WIDTH, HEADS, 4 * WIDTH
        options = {"norm": "pre", "attention": lambda n: make_layer(MIXES[mix][n])}
        self.encoder = Encoder(*sizes, **options)

    def forward(self, tokens):
        x, _ = self.encoder(self.embedding(tokens), causal=True, need_weights=False)
        return self.output(x)


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


def loss(model, tokens, wanted):
    """The cross-entropy of the keys that are asked for."""
    logits = model(tokens).flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, wanted.flatten(), ignore_index=-1)


@torch.no_grad()
def found(model, length, distance, seed):
    """The share of keys found at a distance; chance is 1 / KEYS."""
    rng = np.random.default_rng(10_000 + seed)
    tokens, wanted = questions(rng, 200, length, length - 1 - distance, asked=1)
    guess = model(torch.from_numpy(tokens))[:, -1].argmax(dim=-1).numpy()
    return float((guess == wanted[:, -1]).mean())


def run(mix, seed):
    """One mix: a row per length and distance."""
    torch.manual_seed(seed)
    model, rows = Model(mix), []
    options = {"rate": RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    loop.train(model, training(seed), loss, steps=STEPS, **options)
    row = {"framework": "pytorch", "mix": mix, "layers": MIXES[mix], "seed": seed}
    row |= {"parameters": sum(x.numel() for x in model.parameters())}
    for length, distances in TESTED.items():
        for distance in distances:
            share = found(model, length, distance, seed)
            place = {"length": length, "distance": distance}
            rows.append(row | place | {"found": round(share, 4)})
    return rows


if __name__ == "__main__":
    sizes = {"window": WINDOW, "steps": STEPS, "trained_length": LENGTH}
    run_plan("mixes", [(mix,) for mix in MIXES], run, sizes=lambda: sizes)
