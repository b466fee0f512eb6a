"""What "it" means, of chapter 5: its sentences, its two layers, and what one layer can't do, in both frameworks."""

from itertools import islice

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course.course.labs.pronoun import CUTS, READERS, STEPS, cut, may_see, pytorch as in_torch, tf as in_tf
from attn_course.frameworks import tf, torch
from attn_course.tasks import pronoun as task
from experiments import draw_from

BOTH = pytest.mark.parametrize("module", [in_torch, in_tf], ids=["pytorch", "tf"])
CAT = "The cat drank the milk because it was"


def text(words):
    return " ".join(task.WORDS[word] for word in words)


def reader(module, name, seed=0, **options):
    draw_from(seed)
    model = module.Reader(may_see(name), **options)
    module.guess(model, task.sentences("test").words[:2])  # a Keras model has its weights from its first call
    return model


# --- The sentences ----------------------------------------------------------------------------------------------------


def test_the_answer_is_what_the_ending_asks_for():
    for split in ("train", "test"):
        data = task.sentences(split)
        assert data.words.shape == (1536, task.LENGTH) and data.answer.shape == (1536,)
        for words, answer in zip(*data, strict=True):
            told = text(words).split()
            assert told[0] == told[3] == "the" and told[5:8] == ["because", "it", "was"] and told[task.IT] == "it"
            assert told[task.ANIMAL] in task.ANIMALS and told[task.DRINK] in task.DRINKS
            wanted = told[task.ANIMAL] if task.ENDINGS.index(told[task.ENDING]) < 6 else told[task.DRINK]
            assert task.WORDS[answer] == wanted


def test_no_pair_of_the_test_stands_in_training():
    """As in chapter 0: half of the pairs, and the cat's milk among those that are kept."""
    train, test = (
        {(row[task.ANIMAL], row[task.DRINK]) for row in task.sentences(split).words} for split in ("train", "test")
    )
    assert len(train) == len(test) == 32 and not train & test
    for ending in ("thirsty", "fresh"):
        assert (task.sentences("test").words == task.encode(f"{CAT} {ending}.")).all(axis=1).sum() == 1
    half = np.random.default_rng(0).permutation(64) < 32
    names = [(task.WORDS.index(animal), task.WORDS.index(drink)) for animal in task.ANIMALS for drink in task.DRINKS]
    assert {pair for pair, kept in zip(names, half, strict=True) if kept} == test


def test_both_answers_are_as_frequent_for_every_pair():
    data = task.sentences("test")
    animal = data.answer == data.words[:, task.ANIMAL]
    assert (animal | (data.answer == data.words[:, task.DRINK])).all()
    for pair in {(row[task.ANIMAL], row[task.DRINK]) for row in data.words}:
        chosen = (data.words[:, [task.ANIMAL, task.DRINK]] == pair).all(axis=1)
        assert chosen.sum() == 48 and animal[chosen].mean() == 0.5


def test_batches_are_of_training_sentences():
    known = {tuple(row) for row in task.sentences("train").words}
    for batch in islice(task.batches(7, seed=3), 5):
        assert batch.words.shape == (7, task.LENGTH) and {tuple(row) for row in batch.words} <= known
    first, again, other = (next(task.batches(7, seed=seed)).words for seed in (3, 3, 4))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


@pytest.mark.parametrize(
    ("said", "told"),
    [("the cat drank the milk", "must have 9 words, got 5"), (f"{CAT} purple", r"36 words, got \['purple'\]")],
)
def test_encode_names_what_is_wrong(said, told):
    with pytest.raises(ValueError, match=told):
        task.encode(said)


# --- The readers ------------------------------------------------------------------------------------------------------


def test_who_may_look_around():
    assert may_see("all words").all() and np.array_equal(may_see("itself only"), np.eye(task.LENGTH))
    assert may_see("only it").sum(axis=1).tolist() == [1, 1, 1, 1, 1, 1, task.LENGTH, 1, 1]
    assert may_see("only the nouns").sum(axis=1).tolist() == [1, task.LENGTH, 1, 1, task.LENGTH, 1, 1, 1, 1]


def test_cuts_take_arrows_from_the_ending_alone():
    assert cut("none").all()
    for name, arrows in CUTS.items():
        blocked = {(int(row), int(column)) for row, column in np.argwhere(~cut(name))}
        assert blocked == set(arrows) and all(column == task.ENDING for _, column in blocked)


@BOTH
def test_the_first_layer_obeys_its_mask(module):
    """Whoever sees itself only gives all its weight to itself; the second layer sees all."""
    for name in READERS:
        _, (first, second) = module.guess(reader(module, name), task.sentences("test").words[:5])
        assert first.shape == second.shape == (5, task.LENGTH, task.LENGTH)
        assert ((first > 0) == may_see(name)).all() and (second > 0).all()


@BOTH
def test_what_is_copied_is_a_share_of_the_words(module):
    words = task.sentences("test").words[:5]
    model = reader(module, "all words")
    given = torch.from_numpy(words) if module is in_torch else tf.constant(words)
    copied, (_, second) = model(given)
    copied, second = (np.asarray(x.detach() if module is in_torch else x) for x in (copied, second))
    assert copied.shape == (5, task.LENGTH, len(task.WORDS))
    np.testing.assert_allclose(copied, second @ np.eye(len(task.WORDS))[words], atol=1e-6)


def proportion(module, model, ending):
    """How "it" divides its weight in the second layer between cat and milk."""
    _, (_, second) = module.guess(model, task.encode(f"{CAT} {ending}")[None])
    return second[0, task.IT, task.ANIMAL] / second[0, task.IT, task.DRINK]


@BOTH
@pytest.mark.parametrize("seed", range(3))
def test_one_layer_divides_alike_for_both_endings(module, seed):
    """A first layer in which nobody looks around leaves one layer: its proportion can't depend on the last word."""
    alone = reader(module, "itself only", seed)
    np.testing.assert_allclose(proportion(module, alone, "thirsty"), proportion(module, alone, "fresh"), rtol=1e-5)
    for name in ("only it", "only the nouns"):
        two = reader(module, name, seed)
        assert abs(proportion(module, two, "thirsty") / proportion(module, two, "fresh") - 1) > 1e-5


def exact(module, model):
    test = task.sentences("test")
    return (module.guess(model, test.words)[0] == test.answer).mean()


def test_one_layer_is_right_in_half_at_most():
    """Whatever its weights: each pair of nouns has one favorite."""
    assert max(exact(in_torch, reader(in_torch, "itself only", seed)) for seed in range(20)) <= 0.5


def test_both_frameworks_read_alike():
    one, other, words = reader(in_torch, "all words"), reader(in_tf, "all words"), task.sentences("test").words[:50]
    twinned(one, other)
    (guess, weights), (same, others) = in_torch.guess(one, words), in_tf.guess(other, words)
    for mine, theirs in zip(weights, others, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-6)
    assert (guess == same).mean() > 0.95  # but for ties


@BOTH
def test_without_the_residual_the_words_are_gone(module):
    """Where nobody looks around, the sum is the word and its value; without the word it is the value alone."""
    found = [
        module.guess(reader(module, "itself only", residual=kept), task.sentences("test").words)[1][1]
        for kept in (True, False)
    ]
    assert np.abs(found[0] - found[1]).max() > 1e-3


@BOTH
def test_two_layers_learn_it_and_one_does_not(module):
    found = {}
    for name in ("all words", "only it", "itself only"):
        model = reader(module, name)
        module.train(model, steps=STEPS)
        found[name] = exact(module, model)
    assert found["all words"] > 0.95 and found["only it"] > 0.95 and abs(found["itself only"] - 0.5) < 0.01
