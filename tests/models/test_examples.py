"""The programs of ``examples``, shortened: they run, learn and do what their first line says."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from oracle_modules import GOLDENS, module
from support import close

from attn_course import pytorch
from attn_course.frameworks import keras, torch
from attn_course.masks import padding_mask, sliding_window_mask
from attn_course.parity import get_parameters

FOLDER = Path(__file__).parents[2] / "examples"
PROGRAMS = ["char_gpt", "keras_classifier", "long_series", "replace_attention", "translate", "translate_keras"]
COUNT = "six"


def names_of(program):
    return runpy.run_path(str(FOLDER / f"{program}.py"))


def test_each_is_listed_and_short():
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == PROGRAMS
    listed = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert listed.partition("\n\n")[2].startswith(COUNT.title())
    front = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"(\w+) programs of at most 50 lines", front) == [COUNT]
    for program in PROGRAMS:
        assert f"[{program}.py]({program}.py)" in listed
        assert len((FOLDER / f"{program}.py").read_text(encoding="utf-8").splitlines()) <= 50


@pytest.mark.parametrize(
    ("program", "missing", "told"),
    [
        ("replace_attention", "transformers", "pip install transformers"),
        *(
            (name, "tensorflow" if "keras" in name else "torch", ", which is not installed: pip install")
            for name in PROGRAMS
        ),
    ],
)
def test_a_program_says_what_to_install(program, missing, told):
    blocked = f"import sys, runpy; sys.modules[{missing!r}] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
    command = [sys.executable, "-c", blocked, FOLDER / f"{program}.py"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and told in done.stderr.splitlines()[-1], done.stderr


def test_char_gpt():
    main = names_of("char_gpt")["main"]
    (first, _), (later, text) = main("abcdefg" * 40, steps=1, written=1), main("abcdefg" * 40, steps=30, written=12)
    assert later < 0.3 * first
    assert text == ("abcdefg" * 4)[: 9 + 12]


@pytest.mark.parametrize(("program", "kept"), [("translate", "translator.pt"), ("translate_keras", "translator.keras")])
def test_translate(program, kept, tmp_path):
    """What it keeps is what it learned; it says words, and 60 steps are too few to say the right ones."""
    names = names_of(program)
    first, later = (names["main"](path=tmp_path / kept, steps=steps) for steps in (1, 60))
    assert later < 0.8 * first  # Keras tells the mean over the steps
    said = names["main"]("Der Hund sucht den Arzt.", path=tmp_path / kept)
    assert said and set(said.split()) <= set(names["WORDS"].characters)


def test_long_series():
    near, far = names_of("long_series")["main"](steps=60)
    assert 0.0025 < near < 0.3  # the noise, and the mean square of a sine, a half
    assert far < 2 * near


def test_keras_classifier(tmp_path):
    model, loaded, right = names_of("keras_classifier")["main"](tmp_path, epochs=1, rows=320)
    tokens = np.random.default_rng(2).integers(1, 20, (3, 7))
    tokens[1, 4:] = tokens[2, 1:] = 0
    expected = model(tokens)
    close(loaded(tokens), expected, 1e-6)
    close(keras.layers.TFSMLayer(tmp_path / "served", call_endpoint="serve")(tokens.astype("int32")), expected, 1e-5)
    close(model(np.pad(tokens, ((0, 0), (0, 5)))), expected, 1e-5)  # more padding changes nothing
    assert 0.3 < right <= 1


@pytest.mark.parametrize("window", [3, 7])
@pytest.mark.parametrize("added", [False, True], ids=["boolean", "added"])
def test_replace_attention(window, added):
    """In an encoder of one real layer, by its stored weights; a window of all positions is the layer itself."""
    layer = names_of("replace_attention")["Windowed"](module("bert"), window)
    mask = np.broadcast_to(padding_mask([7, 4], 7)[:, None, None], (2, 1, 7, 7)).copy()
    given = torch.zeros(mask.shape).masked_fill(~torch.from_numpy(mask), -1e9) if added else torch.from_numpy(mask)
    x = torch.from_numpy(GOLDENS["bert/x"])
    found = layer(x, given, None, encoder_hidden_states=None).detach()
    if window == 7:
        close(found, GOLDENS["bert/output"], 1e-4)
    whole = pytorch.from_huggingface(module("bert"))
    assert get_parameters(whole).keys() == get_parameters(layer.layer).keys()
    near = mask & sliding_window_mask(7, 7, window, causal=False)
    close(found, whole(x, torch.from_numpy(near))[0], 1e-4)
