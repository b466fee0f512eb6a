"""Verses that people aligned, and the lab that asks attention for the same links."""

import re
from itertools import product

import numpy as np
import pytest
from both_frameworks import first_weights  # noqa: F401

from attn_course.course.labs import interval, load_record
from attn_course.tasks.alignments import FILE, SHA256, Verse, alignment_error_rate, load_alignments
from attn_course.tasks.text import BEGIN, END, PAD, UNKNOWN
from experiments import align
from experiments.align import __main__, pytorch, tf
from experiments.data import alignments as maker

VERSES = load_alignments()
LINKS = np.array([[1, 0, 0], [0, 0, 1]], dtype=bool)
SMALL = [Verse("x", ["a", "b"], ["One", "two", "three"], LINKS), Verse("y", ["b"], ["one"], np.ones((1, 1), bool))]


def test_counts_are_those_of_the_page():
    page = (FILE.parent / "README.md").read_text()
    assert SHA256 in page and FILE.stat().st_size < 1_000_000
    assert len(VERSES) == 2814 and "2,814 verses" in page
    counts = [sum(n) for n in zip(*((len(x.greek), len(x.english), x.links.sum()) for x in VERSES), strict=True)]
    assert "{:,} Greek words, {:,} English words, {:,} links".format(*counts) in re.sub(r"\s+", " ", page)
    assert max(len(x.greek) for x in VERSES) == maker.MOST_GREEK
    assert max(len(x.english) for x in VERSES) == maker.MOST_ENGLISH


def test_tokens_of_words():
    words = align.Words([["b", "a"], ["c"]])
    tokens, lengths = words.encode([["a"], ["c", "x"]], begin=True, end=True)
    assert tokens.tolist() == [[BEGIN, 4, END, PAD], [BEGIN, 6, UNKNOWN, END]]
    assert (len(words), lengths.tolist()) == (7, [3, 4])
    batch, sizes = align.encode(SMALL)
    assert sizes == (6, 7)
    assert batch.target_in[1].tolist() == [BEGIN, 4, PAD, PAD]  # "One" and "one" are the same


def test_model_1_by_hand():
    """Two rounds by loops over all alignments: each English word independently comes from one Greek word."""
    pairs = [(["a", "b"], ["x", "y"]), (["a"], ["x"])]
    chance = {(one, word): 1.0 for one in "ab" for word in "xy"}
    for _ in range(2):
        counts = dict.fromkeys(chance, 0.0)
        for greek, english in pairs:
            ways = list(product(greek, repeat=len(english)))
            likely = [np.prod([chance[pair] for pair in zip(way, english, strict=True)]) for way in ways]
            for way, share in zip(ways, likely / np.sum(likely), strict=True):
                for pair in zip(way, english, strict=True):
                    counts[pair] += share
        totals = {one: sum(n for pair, n in counts.items() if pair[0] == one) for one in "ab"}
        chance = {pair: n / totals[pair[0]] for pair, n in counts.items()}
    found = align.ibm_model_1(pairs, 2)
    assert found.keys() == chance.keys()
    for pair, expected in chance.items():
        assert found[pair] == pytest.approx(expected, rel=1e-12)
    assert align.ibm_model_1(pairs, 60)["b", "y"] > 0.99  # "x" is explained by "a"


def test_aligners_and_judge_by_hand():
    assert [x.tolist() for x in align.diagonal(SMALL)] == [[0, 1, 1], [0]]
    assert align.right_counts(SMALL, align.diagonal(SMALL)).tolist() == [[2, 2], [1, 1]]
    assert align.right_counts(SMALL, [np.array([1, 0, 0]), np.array([0])]).tolist() == [[0, 2], [1, 1]]
    assert align.chance_level(SMALL) == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert [len(x) for x in align.by_model_1(SMALL)] == [3, 1]
    assert align.word_lists(SMALL)[1] == [["one", "two", "three"], ["one"]]


def test_the_error_rate_by_hand():
    """Four English words, four links; the first two of three sure links and a possible one: Och and Ney's formula."""
    found = {("a", 0), ("b", 1), ("b", 2), ("c", 3)}
    sure = {("a", 0), ("b", 1), ("c", 2)}
    right = len(found & sure)
    assert right == 2 and alignment_error_rate(right, len(found), len(sure)) == pytest.approx(1 - (2 + 2) / (4 + 3))
    precision, recall = right / len(found), right / len(sure)
    f1 = 2 * precision * recall / (precision + recall)
    assert alignment_error_rate(right, len(found), len(sure)) == pytest.approx(1 - f1)
    assert alignment_error_rate(3, 3, 3) == 0 and alignment_error_rate(0, 4, 3) == 1
    counted = align.right_counts(SMALL, align.diagonal(SMALL)).sum(axis=0)  # 3 right of 3; 4 words of English, 3 links
    assert alignment_error_rate(counted[0], 4, sum(x.links.sum() for x in SMALL)) == pytest.approx(1 - 6 / 7)


def test_the_diagonal_and_model_1_on_the_verses():
    """As stored: people's links lie near the diagonal, and counting words does better."""
    plain = load_record("align")["plain"]
    assert interval(*align.right_counts(VERSES, align.diagonal(VERSES)).T) == plain["diagonal"]
    assert round(align.chance_level(VERSES), 4) == plain["every word equally"]
    assert 0.1 < plain["every word equally"] < plain["diagonal"][0] < plain["IBM model 1"][0]


@pytest.mark.parametrize(("lab", "name"), [*product((pytorch, tf), pytorch.MODELS)])
def test_a_model_is_read_at_the_right_step(lab, name):
    """Row t is that of the word after t words; padding changes nothing."""
    verses = VERSES[:7]
    examples, sizes = align.encode(verses)
    model = lab.MODELS[name](*sizes)
    weights, _ = lab.read(model, examples, size=3)
    for i in (0, 5):
        alone, _ = lab.read(model, align.encode(verses)[0]._replace(**cut(examples, i)))
        np.testing.assert_allclose(alone[0], weights[i], atol=1e-6)
        assert weights[i].shape[-2:] == (len(verses[i].english) + 1, len(verses[i].greek))
    now, late = (align.to_numbers(weights, x)[0] for x in (0, 1))
    assert now.shape[-1] == len(verses[0].english)
    np.testing.assert_array_equal(now[..., 1:], late[..., :-1])
    rows = __main__.scores(verses, weights)
    assert len(rows) == (20 if name == "Transformer" else 2)
    expected = align.right_counts(verses, [n if n.ndim == 1 else n[0, 0] for n in align.to_numbers(weights)])
    assert rows[0]["right"][0] == round(expected[:, 0].sum() / expected[:, 1].sum(), 4)


def cut(examples, i):
    """One verse alone, without padding."""
    S, T = int(examples.source_mask[i].sum()), int((examples.target_out[i] != PAD).sum())
    ends = {"source": S, "source_mask": S, "target_in": T, "target_out": T}
    return {name: getattr(examples, name)[i : i + 1, :end] for name, end in ends.items()}
