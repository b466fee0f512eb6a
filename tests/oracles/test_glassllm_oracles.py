"""An independent witness: the package glassllm, its model in its own NumPy code, stored by ``make_goldens.py``."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from attn_course.frameworks import torch
from attn_course.tasks.glassllm import load_book, load_tokenizer

GOLDENS = np.load(Path(__file__).with_name("glassllm.npz"))
TEXTS = {key.removeprefix("tokens/"): GOLDENS[key] for key in GOLDENS if key.startswith("tokens/")}


@pytest.fixture(scope="module", params=["pytorch", "tf"])
def lab(request):
    module = import_module(f"attn_course.course.labs.generate.{request.param}")
    return module, module.load_glassllm()


@pytest.mark.parametrize("text", TEXTS)
def test_its_tokens(text):
    assert load_tokenizer().encode(text).tolist() == TEXTS[text].tolist()


def test_a_text_comes_back_from_its_tokens():
    book = load_book()
    tokens = load_tokenizer().encode(book)
    assert load_tokenizer().decode(tokens) == book and len(tokens) == 50_370
    assert load_tokenizer().decode(load_tokenizer().encode("a £ b")) == "a  b"


def test_its_logits(lab):
    module, model = lab
    tokens = list(TEXTS.values())[1]
    rows = torch.from_numpy(tokens)[None] if module.__name__.endswith("pytorch") else tokens[None]
    logits = module.logits_of(model, rows)[0]
    found = logits.detach().numpy() if torch.is_tensor(logits) else logits.numpy()
    np.testing.assert_allclose(found, GOLDENS["logits"], rtol=0, atol=2e-5)
    np.testing.assert_allclose(module.stepper(model, 200)(tokens), GOLDENS["logits"][-1], rtol=0, atol=2e-5)
    nats, right = module.score(model, tokens[None, :-1], tokens[None, 1:])
    logits = GOLDENS["logits"][:-1].astype(np.float64)
    expected = np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(logits)), tokens[1:]]
    np.testing.assert_allclose(nats[0], expected, rtol=0, atol=2e-5)
    np.testing.assert_array_equal(right[0], logits.argmax(-1) == tokens[1:])


@pytest.mark.parametrize("name", ["greedy", "drawn"])
def test_the_text_that_it_writes(lab, name):
    """With a cache of ours; the draws are of the same generator."""
    module, model = lab
    step, rng, written = module.stepper(model, 100), np.random.default_rng(3), [*next(iter(TEXTS.values()))]
    logits = step(np.array(written))
    for _ in range(40):
        chance = np.exp((logits.astype(np.float64) - logits.max()) / 0.7)
        drawn = logits.argmax() if name == "greedy" else rng.choice(len(chance), p=chance / chance.sum())
        written.append(drawn)
        logits = step(np.array([drawn]))
    assert written[-40:] == GOLDENS[name].tolist()
