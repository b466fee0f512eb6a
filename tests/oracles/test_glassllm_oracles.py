"""An independent witness: the package glassllm, its model in its own NumPy code, stored by ``make_goldens.py``."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from support import FACE, numbers, tensor

from attn_course.tasks.glassllm import load_book, load_tokenizer

GOLDENS = np.load(Path(__file__).with_name("glassllm.npz"))
TEXTS = {key.removeprefix("tokens/"): GOLDENS[key] for key in GOLDENS if key.startswith("tokens/")}


def lab_of(face):
    module = import_module(face.__name__.replace("attn_course", "attn_course.course.labs.generate"))
    return module, module.load_glassllm()


@pytest.mark.parametrize("text", TEXTS)
def test_its_tokens(text):
    assert load_tokenizer().encode(text).tolist() == TEXTS[text].tolist()


def test_a_text_comes_back_from_its_tokens():
    book = load_book()
    tokens = load_tokenizer().encode(book)
    assert load_tokenizer().decode(tokens) == book and len(tokens) == 50_370
    assert load_tokenizer().decode(load_tokenizer().encode("a £ b")) == "a  b"


@FACE
def test_its_logits(face):
    module, model = lab_of(face)
    tokens = list(TEXTS.values())[1]
    found = numbers(module.logits_of(model, tensor(face, tokens[None])))[0]
    np.testing.assert_allclose(found, GOLDENS["logits"], rtol=0, atol=2e-5)
    nats, right = module.score(model, tokens[None, :-1], tokens[None, 1:])
    logits = GOLDENS["logits"][:-1].astype(np.float64)
    expected = np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(logits)), tokens[1:]]
    np.testing.assert_allclose(nats[0], expected, rtol=0, atol=2e-5)
    np.testing.assert_array_equal(right[0], logits.argmax(-1) == tokens[1:])


@FACE
@pytest.mark.parametrize("name", ["greedy", "drawn"])
def test_the_text_that_it_writes(face, name):
    """With a cache of ours; the draws are of the same generator."""
    module, model = lab_of(face)
    rng, new, written, cache = np.random.default_rng(3), next(iter(TEXTS.values())), [], model.new_cache(1, 100)
    for _ in range(40):
        logits = numbers(module.logits_of(model, tensor(face, new[None]), cache))[0, -1]
        chance = np.exp((logits - logits.max()) / 0.7)
        written.append(logits.argmax() if name == "greedy" else rng.choice(len(chance), p=chance / chance.sum()))
        new = np.array(written[-1:])
    assert written == GOLDENS[name].tolist()
