"""The look-up model and the date model of chapter 6: what they are given, that they learn, and how heads are scored."""

from itertools import islice

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from both_frameworks import first_weights  # noqa: F401

from attn_course.course.labs import heads as lab
from attn_course.course.labs.heads import pytorch as in_torch, tf as in_tf
from attn_course.frameworks import torch
from attn_course.tasks.dates import load_dates, source_vocabulary
from attn_course.tasks.look_up import ASKED, SEVERAL_SIZE, SEVERAL_VALUES, several_look_ups
from attn_course.tasks.text import PAD, UNKNOWN

MODULE = pytest.mark.parametrize("module", [in_torch, in_tf], ids=["pytorch", "tf"])
DATES = load_dates("dev").encode()


def test_every_question_has_its_answers():
    for batch in islice(several_look_ups(5), 10):
        assert batch.asked.shape == batch.answer.shape == (5, ASKED)
        assert batch.names.shape == (5, SEVERAL_SIZE) and batch.values.max() < SEVERAL_VALUES
        for names, values, asked, answer in zip(*batch, strict=True):
            assert len(set(names)) == SEVERAL_SIZE and len(set(asked)) == ASKED
            assert [values[list(names).index(name)] for name in asked] == list(answer)


def test_hidden_characters_are_real_ones():
    tokens, missing = lab.hide(DATES.source, DATES.source_mask, np.random.default_rng(0))
    hidden = missing != PAD
    assert 0.13 < hidden.sum() / DATES.source_mask.sum() < 0.17 and not hidden[~DATES.source_mask].any()
    assert (tokens[hidden] == UNKNOWN).all() and np.array_equal(missing[hidden], DATES.source[hidden])
    assert np.array_equal(tokens[~hidden], DATES.source[~hidden])


def test_scores_of_heads_by_hand():
    """Head 0 attends to the character before, head 1 to the space; padding doesn't count."""
    T, mask = 4, np.array([[True, True, True, False], [True, False, False, False]])
    before = np.eye(T, k=-1)
    before[0, 0] = 1.0
    space = np.tile([0.0, 1.0, 0.0, 0.0], (T, 1))
    weights = np.stack([np.stack([before, space])] * 2)
    scores = lab.head_scores(weights, mask, np.array([[False, True, False, False]] * 2))
    np.testing.assert_allclose(scores["previous"], [[2 / 3, 1 / 3], [0, 0]])
    np.testing.assert_allclose(scores["itself"], [[1 / 3, 1 / 3], [1, 0]])
    np.testing.assert_allclose(scores["next"], [[0, 1 / 3], [0, 1]])
    np.testing.assert_allclose(scores["separator"], [[1 / 3, 1], [0, 1]])


def test_every_set_of_heads_is_switched_off():
    found = lab.without_heads(lambda kept: kept.tolist(), 3)
    assert len(found) == 8 and found[()] == [1, 1, 1]
    assert found[(0, 1),] == [1, 0, 1] and found[(0, 0), (0, 2)] == [0, 1, 0]


@MODULE
def test_losses_are_those_of_the_hidden_characters(module):
    model = module.DateModel(len(source_vocabulary()))
    tokens, missing = lab.hide(DATES.source[:5], DATES.source_mask[:5], np.random.default_rng(0))
    given = tokens, DATES.source_mask[:5], missing
    if module is in_torch:
        given = tuple(map(torch.from_numpy, given))
    found = np.asarray(module.losses(model, *given).detach() if module is in_torch else module.losses(model, *given))
    logits = model(*given[:2])[0]
    logits = np.asarray(logits.detach() if module is in_torch else logits, np.float64)
    logits -= logits.max(axis=-1, keepdims=True)
    each = np.log(np.exp(logits).sum(axis=-1)) - np.take_along_axis(logits, missing[..., None], axis=-1)[..., 0]
    np.testing.assert_allclose(found, (each * (missing != PAD)).sum(axis=1), rtol=1e-4)


def test_heads_are_cut_in_three_orders():
    """With a loss that adds up, and an importance that is right."""
    importance, asked = np.random.default_rng(4).permutation(16.0 + np.arange(16)), []

    def loss(heads):
        asked.append(sorted(heads))
        return importance[list(heads)].sum()

    rows = lab.cut_in_three_orders(importance, loss, np.random.default_rng(0))
    ranked = np.sort(importance)
    assert [row["cut"] for row in rows] == list(lab.CUTS) and len(asked) == len(lab.CUTS) * (lab.DRAWS + 2)
    for number, row in enumerate(rows):
        count = row["cut"]
        assert row["least important"] == ranked[:count].sum() and row["most important"] == ranked[-count:].sum()
        drawn = asked[number * (lab.DRAWS + 2) :][: lab.DRAWS]
        assert (
            all(len(set(heads)) == count for heads in drawn) and len({tuple(heads) for heads in drawn}) > lab.DRAWS / 2
        )
        sums = [importance[heads].sum() for heads in drawn]
        # 20 draws: Student's t with 19 degrees of freedom, as any table has it
        half = 2.093 * np.std(sums, ddof=1) / np.sqrt(20)
        found = [row["low"], row["random"], row["high"]]
        np.testing.assert_allclose(found, np.mean(sums) + half * np.array([-1, 0, 1]), atol=1e-4)
