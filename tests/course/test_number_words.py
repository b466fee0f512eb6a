"""Numbers read out: what is read, what is written, and the stored experiment."""

import pytest

from attn_course.records import load_record
from attn_course.tasks.number_words import LEAST, MOST, PI, WORDS, number_words, read_out, vocabulary


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


@pytest.mark.parametrize("attention", ["general", "local-m"])
def test_the_record_has_three_seeds_of_each(attention):
    rows = [row for row in load_record("number_words")["rows"] if row["attention"] == attention]
    assert sorted((row["backward"], row["seed"]) for row in rows) == [
        (way, seed) for way in (False, True) for seed in range(3)
    ]
    assert all(len(row["per_length"]) == 5 and len(row["loss"]) == 6 for row in rows)
