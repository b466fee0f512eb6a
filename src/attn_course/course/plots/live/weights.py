"""A live figure's weights as text: the file that its page loads on a click.

The file is a script, ``attnWeights(name, {packed, parameters, ...})``: a page from
file:// may load a script, but no data. ``packed`` is base64 of gzip of the high bytes
of all float16 numbers, then of the low ones, which packs better than as they lie. A
linear map stands with a row per output, so that a row is one dot product.
"""

import base64
import gzip
import hashlib
import json
from functools import cache
from typing import NamedTuple

import numpy as np

from attn_course.tasks import dates, glassllm, live, pronoun, sentences
from attn_course.tasks.data import read_checked


class Model(NamedTuple):
    """A model's name, its parameters, and what else its figure needs: functions."""

    name: str
    parameters: object
    more: object


def _dates():
    return {
        "source": dates.source_vocabulary().characters,
        "target": dates.target_vocabulary().characters,
    }


def _reader():
    return {"words": pronoun.WORDS}


def _sentences():
    return {"words": sentences.vocabulary().characters, "heads": 4}


def _glassllm():
    merges = read_checked(glassllm.MERGES, glassllm.SHA256[glassllm.MERGES])
    tokenizer = json.loads(gzip.decompress(merges))
    return {"sizes": glassllm.SIZES, "tokenizer": tokenizer}


MODELS = {
    "live_dates": Model("dates", lambda: live.load_weights("dates"), _dates),
    "live_reader": Model("reader", lambda: live.load_weights("reader"), _reader),
    "live_translate": Model(
        "sentences", lambda: live.load_weights("sentences"), _sentences
    ),
    "live_writer": Model("glassllm", glassllm.load_weights, _glassllm),
}


@cache
def packed(kind):
    """Parameters, as text, and what else the figure of a kind needs: for JSON."""
    model = MODELS[kind]
    shapes, parts = [], []
    for name, array in model.parameters().items():
        if array.ndim == 2 and not name.endswith("embedding.weight"):
            array = array.T  # (in, out) -> a row per output
        shapes.append([name, list(array.shape)])
        parts.append(array.astype("<f2").tobytes())
    numbers = np.frombuffer(b"".join(parts), np.uint8)
    apart = numbers[1::2].tobytes() + numbers[::2].tobytes()
    text = base64.b64encode(gzip.compress(apart, 9, mtime=0)).decode()
    return {"packed": text, "parameters": shapes, **model.more()}


@cache
def script(kind):
    """The file that the page of a figure loads, and its name."""
    name, data = MODELS[kind].name, json.dumps(packed(kind), ensure_ascii=False)
    return f"{name}.weights.js", f"attnWeights({json.dumps(name)}, {data});\n"


def size(kind):
    """How much the click loads, for its button."""
    count = len(script(kind)[1].encode())
    return f"{count / 1e6:.1f} MB" if count > 1e5 else f"{count / 1e3:.0f} kB"


def version(kind):
    """The file's name, and by which numbers: a browser keeps no older ones."""
    numbers = b"".join(x.tobytes() for x in MODELS[kind].parameters().values())
    return f"{script(kind)[0]}?v={hashlib.sha256(numbers).hexdigest()[:8]}"
