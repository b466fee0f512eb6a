"""The pretrained encoder of sentences, stopped after some of its layers, and the pieces of words that it reads."""

import subprocess
import sys

import both_frameworks  # noqa: F401
import numpy as np

from attn_course.course.labs.minilm import pytorch, tf
from attn_course.tasks.minilm import LAYERS, pieces, words


def test_it_can_stop_after_any_layer():
    subprocess.run([sys.executable, "-m", "attn_course.tasks.minilm", "fetch"], check=True)
    model, texts = pytorch.minilm(), ["a long way home", "home", "over the hills and far away"]
    found = [pytorch.embed(model, texts, layers) for layers in range(LAYERS + 1)]
    np.testing.assert_allclose(found[-1], pytorch.embed(model, texts), atol=1e-6)
    np.testing.assert_allclose((np.array(found) ** 2).sum(axis=-1), 1, atol=1e-5)
    for layers in (0, 2):
        np.testing.assert_allclose(tf.embed(tf.minilm(), texts, layers), found[layers], atol=1e-5)
    swapped = pytorch.embed(model, ["way long home a"], 0)
    assert swapped[0] @ found[0][0] > 0.97  # without layers the order hardly counts


def test_pieces_by_hand():
    known = {"a", "##b", "##bc", "[", "]"}
    assert pieces("abc", known) == ["a", "##bc"]
    assert pieces("abx", known) == ["[UNK]"]
    assert words("Ça—va [x]") == ["ca", "—", "va", "[", "x", "]"]
