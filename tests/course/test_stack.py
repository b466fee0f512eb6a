"""The sets of a stack of layers, the place of its norms, and the scores of a pretrained encoder's heads."""

import both_frameworks  # noqa: F401
import numpy as np

from attn_course.course.labs import norms, reactions, stack
from attn_course.frameworks import torch
from attn_course.tasks.digits import load_digits
from experiments.norms import pieces, pytorch as norms_torch


def test_sets():
    digits = load_digits("test")
    sets, odd = next(stack.image_sets(digits, 50, seed=1))
    assert sets.shape == (50, 10, 64) and set(odd.tolist()) == set(range(10))
    label = {image.tobytes(): kind for image, kind in zip(digits.images.reshape(-1, 64), digits.labels, strict=True)}
    for images, place in zip(sets, odd, strict=True):
        kinds = [label[image.tobytes()] for image in images]
        rest = set(kinds[:place] + kinds[place + 1 :])
        assert len(rest) == 1 and kinds[place] not in rest
        assert len({image.tobytes() for image in images}) == 10  # no image twice


def test_warm_up():
    rates = [norms.warm_up(step, 600, 0.5) for step in (1, 100, 200, 201, 600)]
    np.testing.assert_allclose(rates, [0.5 / 200, 0.25, 0.5, 0.5, 0.5])


def test_pieces_and_the_byte_model():
    text = np.arange(300) % 256
    (piece,) = next(pieces(text, 0))
    assert piece.shape == (norms.BATCH, norms.LENGTH + 1)
    assert ((piece[:, 1:] - piece[:, :-1]) % 256 == 1).all()
    model = norms_torch.ByteModel("pre")
    tokens = torch.from_numpy(piece[:, :-1])
    changed = tokens.clone()
    changed[:, 20] = 0
    with torch.no_grad():
        one, two = model(tokens), model(changed)
    assert torch.equal(one[:, :20], two[:, :20]) and not torch.equal(one[:, 20], two[:, 20])


def test_rules_and_cuts():
    before = np.eye(5, k=-1)
    assert reactions.rule_scores(before).tolist() == [0.8, 0, 0]
    cuts = reactions.cut_everywhere()
    assert cuts[0] == () and len(cuts) == 1 + 8 + 21 + 1 and all(5 not in cut for cut in cuts if len(cut) > 1)
