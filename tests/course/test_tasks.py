"""What the tasks share: vocabulary, batches and metrics; and sequence reversal."""

import re
import zlib
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from attn_course.tasks import (
    alignments,
    dates,
    digits,
    glassllm,
    live,
    metrics,
    photograph,
    reactions,
    topics,
    translation,
)
from attn_course.tasks.number_words import LEAST, MOST, PI, WORDS, number_words, read_out, vocabulary
from attn_course.tasks.text import BEGIN, END, NOT_A_CHARACTER, PAD, UNKNOWN, Vocabulary, batches, encode_pairs
from experiments import reversal


def small_set(lengths=(3, 9, 5, 17, 8, 2, 11)):
    vocabulary = Vocabulary("abc")
    sources = [("abc" * 6)[:length] for length in lengths]
    return encode_pairs(sources, [source[::-1] for source in sources], vocabulary, vocabulary)


# --- vocabulary ---


def test_vocabulary_numbers():
    vocabulary = Vocabulary("cabba")
    assert (PAD, BEGIN, END, UNKNOWN) == (0, 1, 2, 3)
    assert len(vocabulary) == 7 and vocabulary.characters == ("a", "b", "c")
    tokens, lengths = vocabulary.encode(["ab", "", "cxa"], begin=True, end=True)
    assert tokens.tolist() == [[1, 4, 5, 2, 0], [1, 2, 0, 0, 0], [1, 6, 3, 4, 2]]
    assert lengths.tolist() == [4, 2, 5]
    assert vocabulary.encode(["ab"])[0].tolist() == [[4, 5]]
    assert vocabulary.encode([])[0].shape == (0, 0)


def test_decode_stops_at_end_and_hides_nothing():
    vocabulary = Vocabulary("abc")
    tokens = [[1, 4, 5, 2, 6, 6], [4, 0, 5, 1, 3, 2], [4, 5, 0, 0, 0, 0], [2, 4, 4, 4, 4, 4]]
    assert vocabulary.decode(tokens) == ["ab", "a\ufffdb\ufffd\ufffd", "ab", ""]
    assert NOT_A_CHARACTER == "\ufffd"


@pytest.mark.parametrize("tokens", [[4, 5], [[7]], [[-1]], [[4.0]]])
def test_decode_refuses(tokens):
    with pytest.raises(ValueError, match="tokens: expected"):
        Vocabulary("abc").decode(tokens)


def test_wrong_texts_are_refused():
    vocabulary = Vocabulary("abc")
    with pytest.raises(ValueError, match="texts: expected a list of strings, got the string 'abc'"):
        vocabulary.encode("abc")
    with pytest.raises(ValueError, match="characters: expected single characters, got 'bc'"):
        Vocabulary(["a", "bc"])
    with pytest.raises(ValueError, match="targets: expected one for each of the 2 sources, got 1"):
        encode_pairs(["a", "b"], ["a"], vocabulary, vocabulary)


# --- batches ---


@pytest.mark.parametrize("batch_size", [1, 3, 7])
def test_batches_are_trimmed_whole_rows(batch_size):
    examples = small_set()
    known = {tuple(row[row != PAD].tolist()) for row in examples.source}
    for batch in islice(batches(examples, batch_size, seed=0), 20):
        assert all(len(part) == batch_size for part in batch)
        np.testing.assert_array_equal(batch.source_mask, batch.source != PAD)
        longest = batch.source_mask.sum(axis=1).max()
        S, T = batch.source.shape[1], batch.target_out.shape[1]
        assert S % 8 == 0 and S - 8 < longest <= S and examples.target_out.shape[1] >= T
        assert batch.target_in.shape == (batch_size, T)
        for row, reversed_row in zip(batch.source, batch.target_out, strict=True):
            characters = row[row != PAD].tolist()
            assert tuple(characters) in known
            assert [token for token in reversed_row.tolist() if token] == [*characters[::-1], END]


def test_an_epoch_shows_each_row_once_and_the_rest_takes_turns():
    sources = dates.load_dates("dev").take(range(100)).encode()
    stream = batches(sources, 30, seed=3)  # 10 rows sit out each epoch
    epochs = []
    for _ in range(12):
        rows = [tuple(row[row != PAD].tolist()) for batch in islice(stream, 3) for row in batch.source]
        assert len(set(rows)) == 90
        epochs.append(rows)
    assert epochs[0] != epochs[1]
    assert len(set().union(*epochs)) == 100


def test_batches_group_by_length():
    examples, widths = dates.load_dates("train").encode(), []
    for batch in islice(batches(examples, 64, seed=1), 375):
        widths.append(batch.source.shape[1])
        lengths = batch.source_mask.sum(axis=1)
        assert lengths.max() - lengths.min() < 16 or batch.source.shape[1] >= 40  # few are that long
    assert len(set(widths)) <= 6 and np.mean(widths) < 0.6 * examples.source.shape[1]
    assert sorted(widths) != widths  # the batches are shuffled, not only their rows


def test_same_seed_same_batches():
    def first(seed):
        return [batch.source.tobytes() for batch in islice(batches(small_set(), 3, seed), 8)]

    assert first(5) == first(5)
    assert first(5) != first(6)


@pytest.mark.parametrize("batch_size", [0, 8])
def test_impossible_batch_size_is_refused_at_once(batch_size):
    with pytest.raises(ValueError, match=f"batch_size: expected 1 to 7, .* got {batch_size}"):
        batches(small_set(), batch_size, seed=0)


# --- metrics ---


def test_exact_match():
    assert metrics.exact_match(["ab", "cd", ""], ["ab", "c", ""]) == pytest.approx(2 / 3)
    for predicted, targets in ((["a"], ["a", "b"]), ([], [])):
        with pytest.raises(ValueError, match="predicted: expected"):
            metrics.exact_match(predicted, targets)


def test_by_length():
    examples = reversal.Reversal(["abcd", "abcde", "abcdefgh"], ["dcba", "edcba", "hgfedcba"])
    predicted = ["dcba", "wrong", "hgfedcba"]
    assert metrics.by_length(predicted, examples, (4, 6, 8, 9)) == [(4, 5, 2, 0.5), (6, 7, 0, None), (8, 8, 1, 1.0)]
    for edges in ((4, 4, 9), (4,), ()):
        with pytest.raises(ValueError, match="edges: expected at least two rising numbers"):
            metrics.by_length(predicted, examples, edges)
    for edges in ((5, 9), (4, 8)):
        with pytest.raises(ValueError, match="edges: expected all of 4 to 8 inside"):
            metrics.by_length(predicted, examples, edges)
    with pytest.raises(ValueError, match="predicted: expected 3 strings, got 2"):
        metrics.by_length(predicted[:2], examples, (4, 9))


# --- files ---

# Each with what reads it; behind a cache, what the cache would ask.
FILES = {
    alignments.FILE: alignments._rows.__wrapped__,
    dates.DATA: partial(dates._rows.__wrapped__, dates.DATA),
    digits.DATA: partial(digits.load_digits, "test"),
    glassllm.BOOK: glassllm.load_book,
    glassllm.MERGES: glassllm.load_tokenizer.__wrapped__,
    glassllm.WEIGHTS: glassllm.load_weights,
    photograph.FEATURES: photograph.load_photograph,
    photograph.IMAGE: photograph.load_photograph,
    reactions.REACTIONS: reactions._read.__wrapped__,
    reactions.WEIGHTS: reactions.load_weights,
    topics.DATA: partial(topics.load_topics, "test"),
    translation.FOLDER / "english.tsv.bz2": translation._splits.__wrapped__,
    translation.FOLDER / "spanish.tsv.bz2": translation._splits.__wrapped__,
    translation.FOLDER / "subwords.txt.gz": translation.subwords.__wrapped__,
    **{live.HERE / f"{name}.npz": partial(live.load_weights, name) for name in ("dates", "reader", "sentences")},
}


def test_every_file_of_data_is_listed():
    folder = Path(dates.__file__).parents[1]
    packed = {path for path in folder.rglob("*.*") if path.suffix in (".gz", ".bz2", ".jpg", ".npy", ".npz")}
    assert packed == FILES.keys()


@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_damaged_file_says_what_to_do(file, monkeypatch):
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: whole(path)[: -1 if path == file else None])
    told = rf"{re.escape(file.name)} is missing or damaged: .*pip install --force-reinstall"
    with pytest.raises(ValueError, match=told):
        FILES[file]()


# --- reversal ---


def test_reversal_sets():
    train, held_out = reversal.training_set(5_000, seed=4), reversal.evaluation_set(50, seed=4)
    assert len(train) == len(set(train.sources)) == 5_000
    assert {len(source) for source in train.sources} == set(range(4, 21))
    counts = metrics.by_length(held_out.targets, held_out, reversal.EDGES)
    assert [row[:2] for row in counts] == [(4, 8), (9, 12), (13, 16), (17, 20), (21, 25), (26, 30)]
    assert [row[2:] for row in counts] == [(50, 1.0)] * 6
    for examples in (train, held_out):
        assert set("".join(examples.sources)) == set("abcdefghijklmn")
        assert examples.targets == ["".join(reversed(source)) for source in examples.sources]


def test_reversal_evaluation_is_never_trained_on():
    train = [source for seed in (0, 1) for source in reversal.training_set(3_000, seed=seed).sources]
    assert not any(zlib.crc32(source.encode()) % 8 == 0 for source in train)
    assert all(zlib.crc32(source.encode()) % 8 == 0 for source in reversal.evaluation_set(100, seed=0).sources)


# --- numbers read out ---


def test_numbers():
    forward, again, other = (number_words(200, seed=seed) for seed in (3, 3, 4))
    assert forward == again != other and len(forward.sources) == 200
    assert {len(source) for source in forward.sources} == set(range(LEAST, MOST + 1))
    assert forward.targets == forward.sources
    backward = number_words(200, backward=True, seed=3)
    assert backward.sources == forward.sources
    assert backward.targets == [source[::-1] for source in forward.sources]


def test_encoded_and_read_out():
    few = number_words(5, least=7, most=7)
    batch = few.encode()
    assert batch.source.shape == (5, 7) and batch.source_mask.all()
    assert vocabulary().decode(batch.target_out) == few.targets and len(vocabulary()) == 14
    assert read_out("314") == "three one four" and len(set(WORDS)) == 10
    assert len(PI) == 60 and PI.startswith("3141592653589793") and PI.isdecimal()
