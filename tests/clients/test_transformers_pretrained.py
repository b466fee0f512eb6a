"""Two pretrained encoders beside transformers, in float64: ALBERT for reactions, and one of sentences, fetched once."""

import subprocess
import sys
from functools import cache
from importlib import import_module

import numpy as np
import pytest
import torch
from support import numbers, tensor
from transformers import AlbertConfig, AlbertForMaskedLM, BertConfig, BertModel, BertTokenizer

from attn_course.tasks import minilm
from attn_course.tasks.reactions import encode, load_reactions, load_weights
from experiments.data.reactions import NAMES

LIMIT = 1e-5
FRAMEWORK = pytest.mark.parametrize("framework", ["pytorch", "tf"])


def lab(name, framework="pytorch"):
    return import_module(f"attn_course.course.labs.{name}.{framework}")


def approximate(layer):
    """The curve of the first ALBERT, which the configurations of both do not name."""
    layer.feed_forward.activation = lambda x: torch.nn.functional.gelu(x, approximate="tanh")


def no_kind(made):
    made.kinds.weight.data.zero_()


# --- ALBERT -------------------------------------------------------------------------------

TEXTS = [row.smiles for row in load_reactions()[:22]]
ONE = [TEXTS[4]]
DIRECTIONS = np.random.default_rng(0).normal(size=(256, 6)) / 16


@cache
def their_albert():
    """The library's, with the weights that the course ships."""
    sizes = {"vocab_size": 591, "embedding_size": 128, "hidden_size": 256, "num_hidden_layers": 12}
    sizes |= {"num_attention_heads": 8, "intermediate_size": 512, "hidden_act": "gelu", "layer_norm_eps": 1e-12}
    ours, theirs = load_weights(), AlbertForMaskedLM(AlbertConfig(**sizes, attn_implementation="eager"))
    state = theirs.double().eval().state_dict()
    for name, other in NAMES.items():
        if name in ours:
            state[other].copy_(torch.from_numpy(ours[name]))
            continue
        joint = "_" if "attention" in name else "."
        state[f"{other}.weight"].copy_(torch.from_numpy(ours[f"{name}{joint}weight"]).T)
        state[f"{other}.bias"].copy_(torch.from_numpy(ours[f"{name}{joint}bias"]))
    theirs.tie_weights()
    return theirs


@cache
@torch.no_grad()
def albert_says(text):
    """Output (T, 256), weights (12, 8, T, T) and scores (T, 591)."""
    ids = torch.from_numpy(encode([text])[0])
    said = their_albert()(ids, output_attentions=True, output_hidden_states=True)
    return [numbers(x) for x in (said.hidden_states[-1][0], torch.cat(said.attentions), said.logits[0])]


@torch.no_grad()
def albert_errors(framework, texts, made=None):
    """The largest differences, all texts in one batch: outputs along six directions, outputs, weights, scores."""
    ids, mask = encode(texts)
    made, face = made or lab("reactions", framework).albert(), import_module(f"attn_course.{framework}")
    output, weights = made(tensor(face, ids), tensor(face, mask))
    rows = numbers(output), np.stack([numbers(x) for x in weights], axis=1), numbers(made.scores(output))
    errors = []
    for text, T, *row in zip(texts, mask.sum(-1), *rows, strict=True):
        found = row[0][:T], row[1][..., :T, :T], row[2][:T]
        apart = [x - y for x, y in zip(found, albert_says(text), strict=True)]
        errors.append([np.abs(x).max() for x in (apart[0] @ DIRECTIONS, *apart)])
    return np.max(errors, axis=0)


@FRAMEWORK
def test_twenty_two_reactions(framework):
    along, output, weights, scores = albert_errors(framework, TEXTS)
    assert along < LIMIT and output < 2 * LIMIT and weights < LIMIT and scores < 1e-4  # of up to 20
    assert albert_errors(framework, ONE)[1] < LIMIT


def our_epsilon(made):
    made.layer.norm1.eps = made.layer.norm2.eps = 1e-5


def pre_norm(made):
    made.layer.config["norm"] = "pre"


@pytest.mark.parametrize("fault", [lambda made: approximate(made.layer), our_epsilon, pre_norm, no_kind])
def test_faults_of_albert_are_seen(fault):
    made = lab("reactions").albert()
    fault(made)
    along, _, weights, _ = albert_errors("pytorch", ONE, made)
    assert max(along, weights) > 1.5 * LIMIT


# --- sentences ----------------------------------------------------------------------------

# Plain, marked, accented, broken, empty, too long.
STRINGS = [
    "That is a happy person",
    "That is a happy dog",
    "Today is a sunny day",
    "In the beginning, God created the heavens and the earth.",
    "Attention is all you need!",
    "  spaces,\ttabs\nand   lines  ",
    "don't stop; it's 3.14 (or 22/7) -- e.g. a_b @ 50% of $1,000 ~ #1 ^2",
    "naïve café, Él dijo: «mañana» ¿no?",
    "İstanbul, ÅNGSTRÖM, Straße, œuvre",
    "注意力 is attention in 中文",
    "λόγος καὶ φῶς",
    "a zero\u200bwidth, a soft\u00adhyphen, a bell\x07, a broken \ufffd mark",
    "unaffable pseudopseudohypoparathyroidism",
    "x" * 101 + " " + "x" * 100,
    "👍 good 🤷 shrug",
    "Привет, мир",
    "[citation needed] is in brackets",
    "",
    "“quotes” — and … dots",
    "many words " * 200,
]


@pytest.fixture(scope="module")
@torch.no_grad()
def theirs():
    """The library's tokens of every string, and its unit vector."""
    subprocess.run([sys.executable, "-m", "attn_course.tasks.minilm", "fetch"], check=True)
    words = (minilm.folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    tokenizer = BertTokenizer(vocab={word: i for i, word in enumerate(words)}, do_lower_case=True)
    sizes = {"hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}
    sizes |= {"hidden_act": "gelu", "layer_norm_eps": 1e-12, "attn_implementation": "eager"}
    model, weights = (
        BertModel(BertConfig(**sizes)).eval(),
        minilm.read_safetensors(minilm.folder() / "model.safetensors"),
    )
    left = model.load_state_dict({k: torch.from_numpy(x.copy()) for k, x in weights.items()}, strict=False)
    assert not left.unexpected_keys and set(left.missing_keys) <= {"embeddings.position_ids"}, left
    model, found = model.double(), []
    for text in STRINGS:
        options = {"max_length": minilm.LONGEST, "return_tensors": "pt", "return_token_type_ids": False}
        given = tokenizer(text, truncation=True, **options)
        x = model(**given).last_hidden_state[0].mean(dim=0)
        found.append((given["input_ids"][0].numpy(), (x / x.norm()).numpy()))
    return found


def error(made, theirs, chosen, framework="pytorch"):
    vectors = lab("minilm", framework).embed(made, [STRINGS[number] for number in chosen])
    return max(np.abs(x - theirs[number][1]).max() for number, x in zip(chosen, vectors, strict=True))


@pytest.mark.parametrize("number", range(len(STRINGS)))
def test_tokens_are_those_of_the_library(number, theirs):
    ids, mask = minilm.encode([STRINGS[number]])
    np.testing.assert_array_equal(ids[0], theirs[number][0])
    assert mask.all()


@FRAMEWORK
def test_twenty_strings(framework, theirs):
    """The short ones in one batch, with padding; the one that was cut alone."""
    made = lab("minilm", framework).minilm()
    assert error(made, theirs, range(19), framework) < LIMIT
    assert error(made, theirs, [19], framework) < LIMIT


def first_token(made):
    """The first token's output in place of the mean."""
    last = made.encoder.layers[-1]
    last.register_forward_hook(lambda *given: (given[2][0][:, :1].expand_as(given[2][0]), None))


def every_layer_approximate(made):
    for layer in made.encoder.layers:
        approximate(layer)


def another_last_position(made):
    made.positions.weight.data[255, 0] += 5.0


@pytest.mark.parametrize(
    ("fault", "chosen"),
    [(every_layer_approximate, [0, 3]), (first_token, [0, 3]), (no_kind, [0, 3]), (another_last_position, [19])],
)
def test_faults_of_the_encoder_are_seen(fault, chosen, theirs):
    made = lab("minilm").minilm()
    fault(made)
    assert error(made, theirs, chosen) > 1.5 * LIMIT
