"""The game of pairs of chapter 5: its rows, its players, and the same training in both frameworks."""

from itertools import islice

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course.course.labs.pairs import READERS, may_see, pytorch as in_torch, settled, tf as in_tf
from attn_course.course.training import Record
from attn_course.frameworks import torch
from attn_course.tasks.pairs import ANIMALS, CARDS, NUMBERS, pairs, right_by_distance, twins


def test_every_card_has_one_twin_and_its_number():
    assert len(set(ANIMALS)) == len(ANIMALS) == 24
    for batch in islice(pairs(7), 20):
        assert batch.animals.shape == batch.numbers.shape == batch.answer.shape == (7, CARDS)
        assert batch.animals.max() < len(ANIMALS) and batch.numbers.max() < NUMBERS
        for animals, numbers, answer in zip(*batch, strict=True):
            for place, animal in enumerate(animals):
                (twin,) = (p for p in range(CARDS) if animals[p] == animal and p != place)
                assert answer[place] == numbers[twin]
                assert twins(animals[None])[0, place] == twin


def test_twins_lie_anywhere():
    far = np.abs(twins(next(pairs(2000)).animals) - np.arange(CARDS)).ravel()
    counts = np.bincount(far)[1:]
    expected = 2 * np.arange(CARDS - 1, 0, -1) / (CARDS * (CARDS - 1))
    np.testing.assert_allclose(counts / counts.sum(), expected, atol=0.01)


def test_right_by_distance():
    batch = next(pairs(50))
    rows = right_by_distance(batch.answer, batch)
    assert [row[0] for row in rows] == list(range(1, CARDS)) and all(row[3] == 1 for row in rows)
    assert sum(row[2] for row in rows) == batch.animals.size
    near = np.abs(twins(batch.animals) - np.arange(CARDS)) < 3
    rows = right_by_distance(np.where(near, batch.answer, -1), batch)
    assert [row[3] for row in rows] == [1, 1] + [0] * 13


def test_what_a_card_may_see():
    assert may_see("all").all() and np.array_equal(may_see("own"), np.eye(CARDS))
    assert may_see("near")[8].nonzero()[0].tolist() == list(range(5, 12))


@pytest.mark.parametrize("reader", READERS)
def test_players(reader):
    """A card counts for another only where the player may see it."""
    torch.manual_seed(0)
    model, batch = in_torch.Player(reader), next(pairs(3))
    animals, numbers = (torch.from_numpy(x) for x in batch[:2])
    logits, weights = model(animals, numbers)
    assert logits.shape == (3, CARDS, NUMBERS)
    changed, _ = model(animals, torch.cat([numbers[:, :-1], (numbers[:, -1:] + 1) % NUMBERS], dim=1))
    moved = (changed != logits).any(dim=-1).any(dim=0)
    assert moved[-1] and moved[-4] == (reader != "own") and moved[0] == (reader in ("all", "gru"))
    assert (weights is None) == (reader == "gru")


def test_both_frameworks_guess_alike():
    one, other, batch = in_torch.Player("near"), in_tf.Player("near"), next(pairs(3))
    other(*batch[:2])
    twinned(one, other)
    assert np.array_equal(in_torch.guess(one, batch), in_tf.guess(other, batch))


def test_settled():
    assert settled([Record(step, float(step)) for step in range(1, 9)]) == [5.5, 7.5]
