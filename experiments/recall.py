"""How often two vectors at an angle share a bucket, in so many rounds of hashing.

python -m experiments.recall --seeds 0 1 2
"""

from itertools import product

import numpy as np

from attn_course.mechanisms.hashing.shared import draw_rotations
from attn_course.reference import lsh_buckets
from experiments import run_plan

WIDTH, ROUNDS = 64, (1, 2, 4, 8)
COSINES, BUCKETS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95), (4, 16, 64)
DRAWS, TOGETHER = 2000, 5  # every drawing of directions hashes so many pairs


def at_an_angle(cosine, count, rng):
    """Pairs of unit vectors with this cosine, (2, count, WIDTH)."""
    one, other = rng.normal(size=(2, count, WIDTH))
    one /= np.linalg.norm(one, axis=1, keepdims=True)
    other -= (other * one).sum(axis=1, keepdims=True) * one
    other /= np.linalg.norm(other, axis=1, keepdims=True)
    return np.stack([one, cosine * one + np.sqrt(1 - cosine**2) * other])


def run(cosine, buckets, seed):
    """The share of pairs that meet within 1, 2, 4, 8 rounds: a row for each."""
    rng = np.random.default_rng(seed)
    alike = []
    for drawing in range(DRAWS):
        pair = at_an_angle(cosine, TOGETHER, rng)
        directions = draw_rotations(WIDTH, buckets, max(ROUNDS), [seed, drawing])
        first, second = lsh_buckets(pair, directions)
        alike.append(first == second)  # (rounds, TOGETHER)
    alike = np.concatenate(alike, axis=1)
    row = {"cosine": cosine, "buckets": buckets, "seed": seed, "pairs": alike.shape[1]}
    once = {"one_round": round(float(alike.mean()), 4)}
    return [
        row | {"rounds": rounds, "exact": round(float(found.mean()), 4)} | once
        for rounds, found in ((r, alike[:r].any(axis=0)) for r in ROUNDS)
    ]


if __name__ == "__main__":
    run_plan("recall", list(product(COSINES, BUCKETS)), run)
