"""The verses and their subwords: as the page beside them says, cut by hand, and split without a leak."""

import numpy as np
import pytest

from attn_course.tasks.subwords import Subwords
from attn_course.tasks.text import BEGIN, END, PAD, UNKNOWN
from attn_course.tasks.translation import DEV, FOLDER, SHA256, TEST, book, load_translation, split_by_book, subwords

SPLITS = {split: load_translation(split) for split in ("train", "dev", "test")}
TEXTS = [text for split in SPLITS.values() for column in (split.sources, split.targets) for text in column]


def test_counts_are_those_of_the_page():
    page = (FOLDER / "README.md").read_text()
    for split, rows in SPLITS.items():
        assert f"| {split} | {len(rows):,} |" in page
    for name, sha256 in SHA256.items():
        assert f"`{name}`" in page
        assert sha256 in page
    assert sum((FOLDER / name).stat().st_size for name in SHA256) < 2_500_000


def test_splits_are_of_different_books():
    books = {split: {book(x) for x in rows.references} for split, rows in SPLITS.items()}
    assert books["dev"] == set(DEV)
    assert books["test"] == set(TEST)
    assert not books["train"] & {*DEV, *TEST}
    assert len(books["train"]) == 66 - len(DEV) - len(TEST)


def test_no_sentence_of_dev_or_test_is_in_train():
    for column in ("sources", "targets"):
        known = set(getattr(SPLITS["train"], column))
        for split in ("dev", "test"):
            assert not known.intersection(getattr(SPLITS[split], column))


def test_a_repeat_is_dropped_from_train():
    rows = [("a", "b", "Genesis 1:1"), ("c", "d", "Genesis 1:2"), ("e", "d", "Ruth 1:1"), ("a", "f", "Joel 1:1")]
    found = split_by_book(rows)
    assert found == {"train": [], "dev": [rows[3]], "test": [rows[2]]}


# --- subwords -------------------------------------------------------------------------


def test_merges_by_hand():
    """The first merge of the table goes first, wherever in the word it fits."""
    table = Subwords("▁abcd", [("b", "c"), ("a", "b"), ("▁", "a"), ("bc", "d")])
    assert table.pieces("abcd ab dad") == ["▁a", "bcd", "▁", "ab", "▁", "d", "a", "d"]
    assert len(table) == 4 + 5 + 4
    tokens, lengths = table.encode(["ab", "axb"], begin=True, end=True)
    assert lengths.tolist() == [4, 5]
    assert tokens[0, 0] == BEGIN
    assert tokens[0, 3:].tolist() == [END, PAD]
    assert tokens[1, 2] == UNKNOWN
    assert table.decode(tokens[:1]) == ["ab"]


def test_a_merge_of_the_unknown_is_refused():
    with pytest.raises(ValueError, match="merges"):
        Subwords("ab", [("a", "c")])
    with pytest.raises(ValueError, match="merges"):
        Subwords("ab", [("ab", "a"), ("a", "b")])


def test_every_verse_comes_back():
    table = subwords()
    assert len(table) == 4000
    some = TEXTS[::23]
    assert table.decode(table.encode(some, end=True)[0]) == some


def test_batches_of_a_split():
    few = load_translation("dev", longest=16).take(range(5))
    batch = few.encode()
    assert batch.source.shape[1] <= 16
    assert batch.target_in[:, 0].tolist() == [BEGIN] * 5
    np.testing.assert_array_equal(
        batch.target_in[:, 1:][batch.target_out[:, :-1] > END],
        [x for row in batch.target_out for x in row[:-1] if x > END],
    )
