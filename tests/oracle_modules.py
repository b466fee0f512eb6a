"""What stands for a layer of Hugging Face's without the library: its class's name, attributes and stored weights."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
from support import tensor

from attn_course.frameworks import torch
from attn_course.masks import document_mask, padding_mask

GOLDENS = np.load(Path(__file__).parent / "oracles" / "huggingface.npz")
ABOUT = json.loads(str(GOLDENS["about"]))
ROWS = ABOUT["rows"]


def stub(kind, state, **own):
    """A module by its class's name, its own attributes and its state."""
    made = type(kind, (), {})()
    made.state_dict = lambda: {name: torch.from_numpy(x.copy()) for name, x in state.items()}
    vars(made).update(own, training=False)
    return made


def module(row, **changes):
    """What stands for the library's module; changes: of its configuration."""
    about = ROWS[row]
    start = f"{row}/state/"
    state = {name.removeprefix(start): GOLDENS[name] for name in GOLDENS.files if name.startswith(start)}
    config = SimpleNamespace(**about["config"] | changes)
    prefix = {"BertLayer": "attention.self.", "GPT2Block": "attn."}.get(about["kind"], "self_attn.")
    inner = {name.removeprefix(prefix): x for name, x in state.items() if name.startswith(prefix)} or state
    attention = stub(about["attention"], inner, config=config, **about["own"])
    if "kv_a_proj_with_mqa.weight" in inner:
        attention.kv_a_proj_with_mqa = None
    if about["kind"] == about["attention"]:
        return attention
    if about["kind"] == "BertLayer":
        return stub("BertLayer", state, attention=SimpleNamespace(self=attention))
    return stub(about["kind"], state, **{prefix[:-1]: attention})


def call(face, row, layer, x):
    """Ours, with the mask under which the row's output was made."""
    if row == "bert":
        return layer(x, tensor(face, padding_mask([7, 4], 7)[:, None, None]), need_weights=False)[0]
    mask = tensor(face, document_mask([3, 3, 1], 7)) if row == "llama4 chunks" else None
    return layer(x, mask=mask, causal=True, need_weights=False)[0]


def rebuilt(face, module, change):
    """Ours, from a recipe that ``change`` makes another."""
    reader = sys.modules[face.from_huggingface.__module__]
    right = reader.read_huggingface
    with mock.patch.object(reader, "read_huggingface", lambda module: change(right(module))):
        return face.from_huggingface(module)


def without(found, *names):
    """A dict but for these, and for the parameters of these."""
    return {key: x for key, x in found.items() if key not in names and not {*names} & {*key.split(".")[:-1]}}
