"""Drawing of projections, and checks, that the implementations share. No framework."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_flags,
    check_shapes,
    shape_of,
)
from attn_course.mechanisms.linear.shared import check_linear

Features = Literal["positive", "trigonometric"]
FEATURES = get_args(Features)


def gaussian_projection(num_rows: int, key_dim: int, *, seed: int = 0) -> np.ndarray:
    """Rows drawn from the standard normal distribution, (num_rows, key_dim), NumPy.

    Raises:
        ValueError: a size is below 1.
    """
    check_at_least(1, num_rows=num_rows, key_dim=key_dim)
    return np.random.default_rng(seed).normal(size=(num_rows, key_dim))


def orthogonal_projection(num_rows: int, key_dim: int, *, seed: int = 0) -> np.ndarray:
    """Such rows, but at right angles: K by K they share the directions out. NumPy.

    Each row alone is distributed as one of ``gaussian_projection``, so that the
    estimates mean the same; together they vary less.

    Raises:
        ValueError: a size is below 1.

    Source: Choromanski et al. 2021 (arXiv:2009.14794), section 2.4.
    """
    check_at_least(1, num_rows=num_rows, key_dim=key_dim)
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(-(-num_rows // key_dim)):
        turned, triangle = np.linalg.qr(rng.normal(size=(key_dim, key_dim)))
        # With the diagonal's signs every rotation and reflection is equally likely.
        blocks.append((turned * np.sign(np.diagonal(triangle))).T)
    norms = np.linalg.norm(rng.normal(size=(num_rows, key_dim)), axis=1)
    return np.concatenate(blocks)[:num_rows] * norms[:, None]


@dataclass(frozen=True, kw_only=True)
class RandomSizes(HeadSizes):
    num_features: int
    seed: int

    def __post_init__(self):
        rows_of(self.num_features, "trigonometric")


@dataclass(frozen=True, kw_only=True)
class PerformerSizes(RandomSizes):
    features: str

    def __post_init__(self):
        rows_of(self.num_features, self.features)


@dataclass(frozen=True, kw_only=True)
class GatedRandomSizes(RandomSizes):
    gate: bool

    def __post_init__(self):
        super().__post_init__()
        check_flags(gate=self.gate)


def rows_of(num_features, features):
    """How many rows give so many features: of a row come a cosine and a sine."""
    check_choice("features", features, FEATURES)
    check_at_least(1, num_features=num_features)
    if features == "positive":
        return num_features
    if num_features % 2:
        wanted = "even where features come as cosine and sine"
        raise ValueError(f"num_features must be {wanted}, got {num_features}")
    return num_features // 2


def check_random(query, key, value, mask, projection, **gates):
    """Check the arguments of an attention over random features; see ``check_linear``.

    Raises:
        ValueError: a shape or dtype is wrong, or the projection is not (F, K).
    """
    check_linear(query, key, value, mask, **gates)
    if projection is not None:
        check_shapes({"K": shape_of(query)[-1]}, projection=(projection, "FK"))


def softmax_projection(key_dim, num_features, features, seed):
    """What the Performer draws: orthogonal rows, as many as the features need."""
    return orthogonal_projection(rows_of(num_features, features), key_dim, seed=seed)


def fourier_projection(key_dim, num_features, seed):
    """What random feature attention draws: Gaussian rows, half as many as features."""
    rows = rows_of(num_features, "trigonometric")
    return gaussian_projection(rows, key_dim, seed=seed)
