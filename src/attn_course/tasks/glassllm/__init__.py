"""A small language model that somebody else trained, its tokens, and a book to read.

The model (glassllm 0.1.0): 852,608 parameters in 4 pre-norm layers of width 128, with
RMS norms, SwiGLU, rotary positions, and 4 heads of the query that share 2 of key and
value; 1,024 tokens, and the embedding is the output matrix too. It was trained on
windows of 128 tokens of Lewis Carroll's books. The book is one of them: Alice's
Adventures in Wonderland. README.md beside this file says where all this comes from and
under which license.
"""

import gzip
import io
import json
import re
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np

from attn_course.tasks.data import read_checked
from attn_course.tasks.subwords import merge

HERE = Path(__file__).parent
WEIGHTS = HERE / "weights.npz"
MERGES = HERE / "merges.json.gz"
BOOK = HERE / "alice.txt.gz"
SHA256 = {
    WEIGHTS: "a259e6491fce116b9c4dfffee0eb940e183ab163f0e69a026371bae3f2be2ed6",
    MERGES: "26d0450a1f56c767d5352133a8b2810d041cd8f020994d85516ba396e7353841",
    BOOK: "0570eca2906b954b77c8c0f7fa41f2dda6680eedcec06d2c9dfed8b33862272a",
}
# What the model is built from; ``attn_course.course.labs.generate`` builds it.
SIZES = {
    "symbols": 1024,
    "model_dim": 128,
    "num_heads": 4,
    "num_kv_heads": 2,
    "ff_dim": 341,
    "num_layers": 4,
}
CONTEXT = 128  # tokens of a window in its training
SPACE = "▁"  # stands for a blank inside a token
SPECIAL = ("<pad>", "<unk>", "<bos>", "<eos>")
UNKNOWN = SPECIAL.index("<unk>")


def load_weights():
    """The model's parameters: a dict of float32 arrays, named as in our parity.

    ``embedding.weight`` (1024, 128), ``encoder.layers.0.attention.query_weight`` and so
    on, as ``attn_course.parity.set_parameters`` takes them.

    Raises:
        ValueError: the file is missing or damaged.
    """
    stored = np.load(io.BytesIO(read_checked(WEIGHTS, SHA256[WEIGHTS])))
    return {name: stored[name].astype(np.float32) for name in stored}


def load_book():
    """The whole book as text.

    Raises:
        ValueError: the file is missing or damaged.
    """
    return gzip.decompress(read_checked(BOOK, SHA256[BOOK])).decode()


@cache
def load_tokenizer():
    """The model's ``Tokenizer``.

    Raises:
        ValueError: the file is missing or damaged.
    """
    stored = json.loads(gzip.decompress(read_checked(MERGES, SHA256[MERGES])))
    return Tokenizer(stored["alphabet"], map(tuple, stored["merges"]))


class Tokenizer:
    """Byte-pair encoding over characters: frequent neighbors were merged into tokens.

    ``tokens`` lists all of them: 4 special ones, the single characters, then the merged
    pairs in the order in which they were found, which is the order of their use.
    """

    def __init__(self, alphabet, merges):
        merges = list(merges)
        self.tokens = (*SPECIAL, *alphabet, *(a + b for a, b in merges))
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._numbers = {token: number for number, token in enumerate(self.tokens)}
        self._known = {}

    def __len__(self):
        return len(self.tokens)

    def encode(self, text):
        """A text as tokens (n), int64; a character that is not known is <unk>."""
        text = unicodedata.normalize("NFC", text).replace(" ", SPACE)
        found = []
        # Nothing is merged across a line's end, or a blank behind a letter.
        for word in re.findall(rf"\n|{SPACE}*[^{SPACE}\n]+|{SPACE}+", text):
            if word not in self._known:
                parts = merge(word, self._ranks)
                numbers = [self._numbers.get(part, UNKNOWN) for part in parts]
                self._known[word] = numbers
            found += self._known[word]
        return np.array(found, np.int64)

    def decode(self, tokens):
        """Tokens (n) as a text, without the special ones."""
        spelled = (self.tokens[number] for number in tokens if number >= len(SPECIAL))
        return "".join(spelled).replace(SPACE, " ")
