"""The error of random features against their number, at small and at large norms.

Queries and keys are sigma times standard normal vectors. ``matrix`` is the relative
error of the similarities exp(query . key / sqrt(K)), all of them together; ``error``
that of the output, as a multiple of what the plain mean of all values gives away: from
1 on the features are worth less than no attention at all.

python -m experiments.features --seeds 0 1 2
"""

import numpy as np

from attn_course import reference
from experiments import run_plan

LENGTH, KEY_DIM, DRAWS = 512, 16, 8
SIGMAS, COUNTS = (0.25, 0.5, 0.7, 1.0), (16, 32, 64, 128, 256, 512, 1024)
KINDS = ("positive", "positive, independent", "trigonometric", "RFA", "elu")


def run(kind, sigma, seed):
    """The medians over some draws, for every number of features; rows of a record."""
    found = [_errors(kind, sigma, [seed, draw]) for draw in range(DRAWS)]
    rows = []
    for count, (error, matrix) in zip(
        counts(kind), np.median(found, axis=0), strict=True
    ):
        row = {"kind": kind, "sigma": sigma, "features": count, "seed": seed}
        rows.append(row | {"error": short(error), "matrix": short(matrix)})
    return rows


def counts(kind):
    """The numbers of features; elu + 1 has one per column of the key."""
    return (KEY_DIM,) if kind == "elu" else COUNTS


def _errors(kind, sigma, seed):
    rng = np.random.default_rng(seed)
    query, key, value = rng.normal(size=(3, LENGTH, KEY_DIM))
    query, key = sigma * query, sigma * key
    scale = KEY_DIM**-0.5
    if kind == "RFA":  # which estimates the softmax of unit vectors
        norms = (np.linalg.norm(x, axis=1, keepdims=True) for x in (query, key))
        query, key = (x / norm for x, norm in zip((query, key), norms, strict=True))
        scale = 1.0
    exact, _ = reference.scaled_dot_product_attention(query, key, value, scale=scale)
    idle = np.sqrt(((value.mean(axis=0) - exact) ** 2).mean())
    wanted = np.exp(scale * query @ key.T)
    found = []
    for count in counts(kind):
        drawn = attend(kind, (query, key, value), count, seed[0] + 100 * seed[1])
        output, similarity = drawn
        error = np.sqrt(((output - exact) ** 2).mean()) / idle
        matrix = np.linalg.norm(similarity - wanted) / np.linalg.norm(wanted)
        found.append((error, matrix))
    return found


def attend(kind, inputs, count, seed):
    """The output, and the similarities that one kind of features gives."""
    query, key, _ = inputs
    if kind == "elu":
        one, other = (np.where(x > 0, x + 1, np.exp(x)) for x in (query, key))
        return reference.linear_attention(*inputs)[0], one @ other.T
    features = "trigonometric" if kind == "RFA" else kind.partition(",")[0]
    loose = kind in ("RFA", "positive, independent")
    draw = reference.gaussian_projection if loose else reference.orthogonal_projection
    rows = draw(count // (1 if features == "positive" else 2), KEY_DIM, seed=seed)
    if kind == "RFA":
        output, _ = reference.random_feature_attention(*inputs, projection=rows)
        query, key = (x * KEY_DIM**0.25 for x in (query, key))  # no scale in the scores
    else:
        options = {"projection": rows, "features": features}
        output, _ = reference.performer_attention(*inputs, **options)
    options = {"features": features}
    one, other = (reference.softmax_features(x, rows, **options) for x in (query, key))
    return output, one @ other.T


def short(number):
    return float(f"{number:.4g}")


if __name__ == "__main__":
    plan = [(kind, sigma) for kind in KINDS for sigma in SIGMAS]
    # The norms of what RFA is given make no difference to it.
    run_plan("features", [x for x in plan if x[0] != "RFA" or x[1] == 1], run)
