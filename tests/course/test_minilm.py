"""Finding a verse in another translation's words: the pairs, the rival that counts words, the layers."""

import subprocess
import sys

import both_frameworks  # noqa: F401
import numpy as np

from attn_course.labs import interval, load_record
from attn_course.labs.minilm import pytorch, shared, tf, verses, word_vectors
from attn_course.tasks.minilm import pieces, words
from experiments import minilm as lab


def test_questions_and_answers_are_the_same_verse():
    places, questions, passages = verses(50)
    assert len(places) == len(set(places)) == 50
    own = np.mean([shared(*pair) for pair in zip(questions, passages, strict=True)])
    other = np.mean([shared(*pair) for pair in zip(questions, passages[1:], strict=False)])
    assert own > 4 * other
    (i,) = [i for i, place in enumerate(verses(2750)[0]) if place == "John 11:35"]
    assert [column[i] for column in verses(2750)] == ["John 11:35", "Jesus wept", "Jesus wept."]


def test_shared_words_by_hand():
    assert shared("The cat, the dog", "a DOG") == 1 / 4
    assert shared("don’t", "t don") == 1


def test_word_vectors_by_hand():
    """A word that all passages have counts nothing, an unknown one neither."""
    passages = ["the cat", "the dog", "the dog sat"]
    found = word_vectors(["cat dog dog bird", "the bird"], passages)
    raw = np.array([np.log(3), 2 * np.log(3 / 2), 0, 0])  # cat, dog, sat, the
    np.testing.assert_allclose(found[0], raw / np.sqrt((raw**2).sum()))
    assert not found[1].any()


def test_groups_are_counted_apart():
    found = lab.right_by_group(np.array([1.0, 1, 0, 0, 1]), np.array([0, 0, 1, 2, 3]))
    assert [x[0] for x in (found["right"], *found["by_shared"])] == [0.6, 1, 0, 0, 1]


def test_the_last_layer_is_the_whole_model():
    subprocess.run([sys.executable, "-m", "attn_course.tasks.minilm", "fetch"], check=True)
    model, texts = pytorch.minilm(), ["a long way home", "home", "over the hills and far away"]
    found = lab.vectors_by_layer(model, texts)
    np.testing.assert_allclose(found[-1], pytorch.embed(model, texts), atol=1e-6)
    np.testing.assert_allclose((found**2).sum(axis=-1), 1, atol=1e-5)
    for layers in (0, 2):
        np.testing.assert_allclose(tf.embed(tf.minilm(), texts, layers), found[layers], atol=1e-5)
    swapped = lab.vectors_by_layer(model, ["way long home a"])[0]
    assert swapped[0] @ found[0][0] > 0.97  # without layers the order hardly counts


def test_the_record_is_of_these_verses():
    record = load_record("minilm")
    places, questions, passages = verses(record["count"])
    for row in record["shown"]:
        i = places.index(row["place"])
        assert (row["question"], row["answer"]) == (questions[i], passages[i])
    found = (word_vectors(questions, passages) @ word_vectors(passages, passages).T).argmax(axis=1)
    assert record["rows"][0]["method"] == "shared words"
    assert record["rows"][0]["right"] == interval(found == np.arange(len(found)))


def test_pieces_by_hand():
    known = {"a", "##b", "##bc", "[", "]"}
    assert pieces("abc", known) == ["a", "##bc"]
    assert pieces("abx", known) == ["[UNK]"]
    assert words("Ça—va [x]") == ["ca", "—", "va", "[", "x", "]"]
