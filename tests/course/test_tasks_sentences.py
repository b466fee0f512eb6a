"""German and English sentences of a small grammar: the splits, the rules, the words, the links."""

import hashlib
import random

import pytest

from attn_course.tasks import sentences as task
from attn_course.tasks.sentences import SIZES, Words, apart, grammar, links, load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END, PAD, UNKNOWN

SPLITS = {split: load_sentences(split) for split in SIZES}


def drawn(count, seed=0):
    rng = random.Random(seed)
    return [grammar.sentence(rng) for _ in range(count)]


def test_splits_share_no_sentence():
    assert {split: len(x.sources) for split, x in SPLITS.items()} == SIZES
    german = [text for each in SPLITS.values() for text in each.sources]
    assert len(set(german)) == len(german) == sum(SIZES.values())


def test_the_same_on_every_machine():
    """Python promises ``random()``; the sum is over all splits."""
    text = "\n".join(line for each in SPLITS.values() for pair in zip(*each, strict=True) for line in pair)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "fda2b8466381092d"


def test_pairs_that_are_apart_meet_in_one_split_alone():
    for split, each in SPLITS.items():
        assert {apart(text) for text in each.targets} == {split == "pairs"}
    assert apart("he saw two red horses .") and not apart("the horse that I saw is red .")


def test_all_words_of_the_other_splits_are_in_train():
    known = set(vocabulary().characters)
    assert all(known.issuperset(text.split()) for each in SPLITS.values() for part in each for text in part)


def test_a_german_sentence_has_one_english():
    english = {}
    for source, target in drawn(20_000):
        assert english.setdefault(source, target) == target


@pytest.mark.parametrize(
    ("tense", "person", "negated", "told", "asked"),
    [
        ("past", "er", False, "looked for", ("did", "look for")),
        ("past", "er", True, "did not look for", ("did", "not look for")),
        ("present", "er", False, "looks for", ("does", "look for")),
        ("present", "wir", True, "do not look for", ("do", "not look for")),
        ("future", "ich", True, "will not look for", ("will", "not look for")),
        ("can", "ich", False, "can look for", ("can", "look for")),
    ],
)
def test_english_predicates(tense, person, negated, told, asked):
    verb = next(verb for verb in grammar.VERBS if verb.english == "look for")
    who = grammar.Phrase([], [], person == "wir", True, person)
    words, before, after = grammar.predicate(verb, tense, who, negated)
    assert (" ".join(words), (" ".join(before), " ".join(after))) == (told, asked)


def test_third_person():
    assert [grammar.he(word) for word in ("see", "wash", "look for")] == ["sees", "washes", "looks for"]


def test_words_as_people_type_them():
    words = vocabulary()
    assert words.pieces("Ich weiß, dass die Frau den Hund sucht.") == [
        "ich",
        "weiß",
        ",",
        "dass",
        "die",
        "Frau",
        "den",
        "Hund",
        "sucht",
        ".",
    ]
    assert words.pieces("Hund und Frau")[0] == "Hund"
    tokens, lengths = words.encode(["Die Tante sucht den Hund."])
    assert lengths == [6] and (tokens == UNKNOWN).sum() == 1 and tokens[0, 1] == UNKNOWN
    assert words.encode([""])[1] == [0]


def test_batches_and_back():
    some = load_sentences("dev").take(range(7))
    batch, words = some.encode(), vocabulary()
    assert words.decode(batch.target_out) == list(some.targets)
    assert (batch.target_in[:, 0] == BEGIN).all() and ((batch.target_out == END).sum(axis=1) == 1).all()
    assert ((batch.source != PAD) == batch.source_mask).all()
    assert Words(["b", "a", "b"]).characters == ("a", "b")


def test_links():
    german = "ich weiß , dass die alte Frau drei rote Blumen gekauft hat ."
    english = "I know that the old woman bought three red flowers ."
    assert links(german, english) == [(4, 5), (5, 6), (6, 10), (7, 7), (8, 8), (9, 9)]
    # A word that could be from two places has no link.
    assert links("die alte Frau sieht das alte Haus .", "the old woman sees the old house .") == [
        (2, 2),
        (3, 3),
        (6, 6),
    ]


def test_the_experiment_s_schedule():
    from experiments import sentences as program

    rates = [program.schedule(step, 600, 3.0) for step in range(1, 601)]
    assert max(rates) == rates[99] == 3.0 and rates[0] == 0.03 and 0 < rates[-1] < 0.01
    assert {row["model"] for row in task_record()["rows"]} == set(program.MODELS)


def task_record():
    from attn_course.records import load_record

    return load_record("sentences")


def test_the_record_s_rates_are_the_best_on_dev():
    record = task_record()
    for row in record["rows"]:
        rate, _ = max(record["grid"][row["model"]], key=lambda found: found[1])
        assert row["rate"] == rate
    assert task.SEED == 2026
