"""Numbers read out: what is read, what is written, and the stored experiment."""

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
