"""The digits and the photograph as they are shipped, and the readers of chapter 5."""

from itertools import islice

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters
from attn_course.tasks import digits, photograph
from experiments.digits import BATCH, LOOKS, READERS, batches, may_look

TRAIN, TEST = (digits.load_digits(split) for split in digits.SPLITS)


def test_the_digits():
    assert TRAIN.images.shape == (1352, 8, 8) and TEST.images.shape == (445, 8, 8)
    assert TRAIN.images.dtype == np.float32 and TRAIN.labels.dtype == np.int64
    for split in (TRAIN, TEST):
        assert split.images.min() == 0 and split.images.max() == 1
        counts = np.bincount(split.labels)
        assert len(counts) == 10 and counts.max() / counts.min() < 1.1
    pictures = {split: {image.tobytes() for image in data.images} for split, data in (("train", TRAIN), ("test", TEST))}
    assert not pictures["train"] & pictures["test"]
    with pytest.raises(ValueError, match="split: expected one of train, test, got 'dev'"):
        digits.load_digits("dev")


def test_the_photograph():
    found = photograph.load_photograph()
    assert found.image.shape == (448, 448, 3) and found.image.dtype == np.uint8
    assert found.features.shape == (14, 14, 320) and found.features.dtype == np.float32
    assert np.isfinite(found.features).all() and found.features.std() > 1


def test_batches_go_through_all_images():
    rounds = len(TRAIN.labels) // BATCH
    seen = {image.tobytes() for images, _ in islice(batches(TRAIN, seed=0), rounds) for image in images}
    assert len(seen) >= rounds * BATCH - 5  # a few images are drawn alike
    first, again = (next(batches(TRAIN, seed=1)) for _ in range(2))
    assert all(map(np.array_equal, first, again))


def test_ways_of_looking():
    assert may_look("all", 5).all()
    assert np.array_equal(may_look("own", 5), np.eye(5))


@pytest.mark.parametrize("look", LOOKS)
def test_pixel_readers(look):
    """Only a reader that may look at all lets a far pixel count for another."""
    torch.manual_seed(0)
    model, images = READERS["pixels"]["pytorch"](look), torch.zeros(4, 8, 8)
    images[1::2, 0, 0] = images[2:, 7, 7] = 1
    assert (model.attention is None) == (look == "none")
    if model.attention is not None:
        model.attention.gate.data.fill_(0.5)
    none, one, other, both = model(images)
    assert both.shape == (10,) and torch.allclose(one + other, none + both, atol=1e-6) == (look != "all")


def test_both_frameworks_read_alike():
    keras.utils.set_random_seed(0)
    one, other = (make("all") for make in READERS["pixels"].values())
    other(TEST.images[:1])
    for name in ("attention", "logits"):
        set_parameters(getattr(one, name), get_parameters(getattr(other, name)))
    one.attention.gate.data.fill_(0.5)
    other.attention.gate.assign(0.5)
    kernel, bias = other.convolution.get_weights()
    one.convolution.weight.data = torch.from_numpy(kernel.transpose(3, 2, 0, 1).copy())
    one.convolution.bias.data = torch.from_numpy(bias)
    found = one(torch.from_numpy(TEST.images[:3])).detach().numpy()
    np.testing.assert_allclose(found, other(TEST.images[:3]).numpy(), atol=1e-5)
