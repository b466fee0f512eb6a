"""The glossary is sorted, says each word once, and has the words that a reader looks for."""

import re

import pytest
from publisher import ROOT

TEXT = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
BODY = re.search(r"(?ms)^```\{glossary\}\n(.*?)^```$", TEXT)[1]
WORDS = [line for line in BODY.splitlines() if line and not line.startswith(" ")]
WANTED = """
attention, bidirectional, cache, causal mask, decoder, embedding, encoder, entropy, final state, head, hidden
state, key, KV cache, logit, logits, mask, padding, perplexity, pruning, query, residual connection, RoPE,
score, self-attention, softmax, teacher forcing, token, value, weight
"""


def test_the_words_are_sorted():
    assert [word.lower() for word in WORDS] == sorted({word.lower() for word in WORDS})


def test_every_word_is_explained():
    blocks = re.split(r"\n\n(?=\S)", BODY.strip())
    assert [block.split("\n")[0] for block in blocks] == WORDS
    assert all(block.split("\n")[1].startswith("  ") for block in blocks)


@pytest.mark.parametrize("word", " ".join(WANTED.split()).split(", "))
def test_the_words_of_the_chapters_are_there(word):
    assert word in WORDS
