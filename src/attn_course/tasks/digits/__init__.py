"""Handwritten digits of 8 by 8 pixels.

README.md beside this file says where they come from. The same people wrote in both
splits, so the score says nothing about other hands.
"""

import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_course.tasks.data import read_checked

SPLITS = ("train", "test")
DATA = Path(__file__).parent / "digits.csv.gz"
SHA256 = "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"
HELD_OUT = 4  # every fourth image of each digit is for the test


class Digits(NamedTuple):
    """images: (n, 8, 8) float32 from 0 to 1; labels: (n,) int64."""

    images: np.ndarray
    labels: np.ndarray


def load_digits(split):
    """The `Digits` of ``"train"`` (1,352) or ``"test"`` (445).

    Raises:
        ValueError: another split is asked for, or the file is missing or damaged.
    """
    if split not in SPLITS:
        raise ValueError(f"split: expected one of {', '.join(SPLITS)}, got {split!r}")
    lines = gzip.decompress(read_checked(DATA, SHA256)).decode().split()
    rows = np.array([line.split(",") for line in lines], dtype=float)
    images = (rows[:, :-1] / 16).reshape(-1, 8, 8).astype(np.float32)
    labels = rows[:, -1].astype(np.int64)
    earlier = np.cumsum(np.eye(10)[labels], axis=0)[np.arange(len(labels)), labels]
    held_out = earlier % HELD_OUT == 0
    chosen = held_out if split == "test" else ~held_out
    return Digits(images[chosen], labels[chosen])
