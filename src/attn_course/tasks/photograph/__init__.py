"""One photograph, and what a network that was trained on ImageNet makes of it.

README.md beside this file says who took it, under which license it stands, and how the
features were made.
"""

import io
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_course.tasks.data import read_checked

SIZE = 448
IMAGE = Path(__file__).parent / "flower.jpg"
FEATURES = Path(__file__).parent / "features.npy"
SHA256 = {
    IMAGE: "0f2334e6bc812b14f3028286ecddbf7932318fc8bc8f54492434bfe99e2f1c49",
    FEATURES: "a9ebf83b0af8bfe7825bff5d9c7bd6160c373f89cd4a81e91f48f8da7a88b4c4",
}


class Photograph(NamedTuple):
    """image: (448, 448, 3) uint8; features: (14, 14, 320) float32, each of a field of
    32 by 32 pixels."""

    image: np.ndarray
    features: np.ndarray


def load_photograph():
    """The `Photograph` of a dahlia.

    Raises:
        ValueError: a file is missing or damaged.
    """
    from matplotlib.image import imread

    image = imread(io.BytesIO(read_checked(IMAGE, SHA256[IMAGE])), format="jpg")
    features = np.load(io.BytesIO(read_checked(FEATURES, SHA256[FEATURES])))
    return Photograph(image, features.astype(np.float32))
