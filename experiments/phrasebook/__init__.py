"""What other libraries call our layers, and what they do when nothing is said.

Every line of ``entries.toml`` (read by ``tools/phrasebook.py``) is evaluated: a layer
beside ours with the same weights, an answer beside what must hold for it.
``python -m experiments.phrasebook`` stores what came out, for the page "Phrasebook",
and what the tests of a machine without KerasHub and Hugging Face compare ours with.
"""

import json
import sys
import zlib
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from inspect import signature
from typing import Any

import numpy as np

from attn_course.reference import masked_softmax
from experiments import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from phrasebook import FOLDER, address, entries

__all__ = ["address", "entries"]
LIBRARIES = {
    "Ours": None,
    "PyTorch": "torch",
    "Keras": "keras",
    "KerasHub": "keras-hub",
    "Hugging Face": "transformers",
}
ANSWERS = FOLDER / "answers.json"
GOLDENS = ROOT / "tests" / "oracles" / "phrasebook.npz"
BART = {"self_attn_layer_norm": "norm1", "encoder_attn_layer_norm": "norm2"}
BART |= {"final_layer_norm": "norm3", "self_attn": "attention"}
BART |= {"encoder_attn": "cross_attention", "q_proj": "query", "k_proj": "key"}
BART |= {"v_proj": "value", "out_proj": "output"}
BART |= {"fc1": "feed_forward.inner", "fc2": "feed_forward.outer"}
SIZES = {"B": 2, "T": 5, "S": 7, "D": 12, "H": 4, "K": 3, "G": 2, "FF": 11}


def installed(library: str) -> bool:
    """Whether what a row calls is here."""
    name = LIBRARIES[library]
    return name is None or find_spec(name.replace("-", "_")) is not None


def versions() -> dict[str, str]:
    """Of every library that is here."""
    return {k: version(v) for k, v in LIBRARIES.items() if v and installed(k)}


def in_tf(library: str) -> bool:
    return library in ("Keras", "KerasHub")


def names(entry: dict[str, Any], library: str) -> dict[str, Any]:
    """What a row's lines can use; the same numbers for every row of an entry."""
    import keras
    import tensorflow as tf
    import torch

    import attn_course.pytorch
    import attn_course.tf

    seed = zlib.crc32(entry["name"].encode())
    torch.manual_seed(seed)
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    to_tensor = tf.constant if in_tf(library) else lambda x: torch.tensor(np.array(x))
    found = {"np": np, "torch": torch, "F": torch.nn.functional, "keras": keras}
    found |= {"attn": attn_course.tf if in_tf(library) else attn_course.pytorch}
    found |= {"tensor": to_tensor, "as_numpy": as_numpy}
    found["softmax"] = masked_softmax
    found |= {"alike": lambda one, other: difference(one, other) < 1e-5}
    found |= {"given": lambda *shape: to_tensor(rng.normal(size=shape).astype("f"))}
    found |= {"copied": copied, "without_cache": without_cache, "renamed": renamed}
    found |= {"signature": signature}
    if library == "KerasHub" and installed(library):
        import keras_hub

        found["keras_hub"] = keras_hub
    return found | SIZES


def as_numpy(x: Any) -> np.ndarray:
    return x.detach().numpy() if hasattr(x, "detach") else np.asarray(x)


def difference(one: Any, other: Any) -> float:
    """The largest, relative to the largest of the numbers compared with."""
    one, other = as_numpy(one), as_numpy(other)
    return float(np.abs(one - other).max() / max(np.abs(other).max(), 1.0))


def without_cache(layer: Any) -> Any:
    """Keras' own layer with the weights of KerasHub's, which is a class made of it."""
    import keras

    plain = keras.layers.MultiHeadAttention(layer.num_heads, layer.key_dim)
    plain.build(*(2 * [(None, None, layer.query_dense.kernel.shape[0])]))
    plain.set_weights(layer.get_weights())
    return plain


def copied(ours: Any, theirs: Any) -> None:
    """The weights of a layer of KerasHub in ours, both built."""
    from attn_course import tf as names

    def attention(mine: Any, layer: Any) -> None:
        plain = names.MultiHeadAttention.from_keras(without_cache(layer))
        mine.set_weights(plain.get_weights())

    attention(ours.attention, theirs._self_attention_layer)
    norms = [theirs._self_attention_layer_norm, theirs._feedforward_layer_norm]
    if hasattr(ours, "cross_attention"):
        attention(ours.cross_attention, theirs._cross_attention_layer)
        norms.insert(1, theirs._cross_attention_layer_norm)
    for number, norm in enumerate(norms, start=1):
        getattr(ours, f"norm{number}").set_weights(norm.get_weights())
    dense = theirs._feedforward_intermediate_dense, theirs._feedforward_output_dense
    weights = [array for part in dense for array in part.get_weights()]
    ours.feed_forward.set_weights(weights)


def renamed(ours: Any, theirs: Any) -> None:
    """The weights of a decoder layer of Hugging Face's Bart or Marian in ours."""
    state = theirs.state_dict()
    for their, our in BART.items():
        state = {name.replace(their, our): array for name, array in state.items()}
    ours.load_state_dict(state)


def evaluate(kind: str, entry: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """The names after a row's lines were run: ``found`` and, of a layer, ``same``.

    A layer's ``error`` is how far ours is from theirs; a convention ``holds`` or not.
    """
    space = names(entry, row["library"])
    for part in (entry, row):
        exec(part.get("prepare", ""), space)
    if "build" in row:
        space["theirs"] = eval(row["build"], space)
        if hasattr(space["theirs"], "eval"):
            space["theirs"].eval()
    if kind == "convention":
        space["found"] = eval(row["code"], space)
        space["answered"] = bool(eval(row["holds"], space))
        return space
    space["found"] = eval(row["call"], space)
    space["found"] = eval(row.get("found", "found"), space)
    exec(row.get("after", ""), space)
    exec(row.get("ours", ""), space)
    if hasattr(space.get("ours"), "eval"):
        space["ours"].eval()
    space["same"] = eval(row.get("same", entry.get("same", "None")), space)
    space["error"] = difference(space["same"], space["found"])
    return space


def kept(space: dict[str, Any]) -> dict[str, np.ndarray]:
    """What a test needs that has not the library: their output, our layer."""
    from attn_course.parity import get_parameters

    found = {"found": as_numpy(space["found"])}
    if (ours := space.get("ours")) is None:
        return found
    rotary = getattr(ours, "rotary", None)
    told = {"class": type(ours).__name__, "config": ours.config}
    told["rotary"] = rotary and rotary.key_dim
    parameters = {f"parameters/{k}": v for k, v in get_parameters(ours).items()}
    return found | {"ours": np.array(json.dumps(told))} | parameters


def repeat(entry: dict[str, Any], row: dict[str, Any], stored: dict[str, Any]) -> float:
    """How far ours is from what ``kept`` holds of a row, without its library."""
    from attn_course.parity import set_parameters

    space = names(entry, row["library"])
    exec(entry.get("prepare", ""), space)
    if "ours" in stored:
        told = json.loads(str(stored["ours"]))
        attn, options = space["attn"], told["config"]
        if told["rotary"]:
            options["rotary"] = attn.RotaryEncoding(told["rotary"])
        ours = space["ours"] = getattr(attn, told["class"])(**options)
        if in_tf(row["library"]):
            eval(
                row.get("same", entry["same"]), space
            )  # a Keras layer has its weights from its first call
        prefix = "parameters/"
        found = {k.removeprefix(prefix): v for k, v in stored.items() if prefix in k}
        set_parameters(ours, found)
    same = eval(row.get("same", entry.get("same")), space)
    return difference(same, stored["found"])


def every_row() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """(kind, entry, row) in the order of the page."""
    for kind, listed in entries().items():
        for entry in listed:
            for row in entry["row"]:
                yield kind, entry, row
