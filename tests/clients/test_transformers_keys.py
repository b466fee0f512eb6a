"""Every key of a module's configuration, made another: ours says what the module says, or names what it refuses."""

import pickle

import modules
import numpy as np
import pytest
from support import FACE, numbers, tensor

from attn_course.frameworks import torch
from attn_course.models.huggingface.shared import read_huggingface

B, T = modules.B, modules.T
I = np.arange(T)
ROWS = {name: (module, attention) for name, module, attention, _ in modules.rows()}
LEFT = {"rope_parameters", "model_type", "transformers_version"}  # the first: test_transformers_rope
CALLED = {"add_cross_attention": "crossattention", "num_key_value_heads": "index_n_heads"}  # by an error


def others(key, value):
    """Other values of the same kind, where it can be told."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [2 * value or 1, type(value)(0.6 * value)]
    if isinstance(value, str):
        return ["relu", "gelu", "silu", "tanh"] if "act" in key else [f"{value}x"]
    return [True, 3, 0.5] if value is None else [value[::-1]] if isinstance(value, list) else []


def asked(row, **changes):
    """The module with other options, an input, and what it says; None where the library itself fails."""
    module, attention = ROWS[row]
    given = {key: x for key, x in attention.config.to_dict().items() if key not in LEFT - {"rope_parameters"}}
    try:
        config = type(attention.config)(**given | changes, attn_implementation="eager")
        torch.manual_seed(1)
        module = modules.fill(type(module)(config, getattr(attention, "layer_idx", 0)))
        attention = next(x for x in module.modules() if type(x) is type(attention))
        x = torch.randn(B, T, config.hidden_size)
        return module, x, modules.said(module, attention, modules.positions(attention), x, torch.ones(B, T).bool())
    except Exception:  # of many kinds, and none of them ours
        return None


def chunks(module):
    """How long those of Llama 4 are, which are the caller's mask; None without."""
    return module.config.attention_chunk_size if getattr(module, "use_rope", False) else None


def read(module):
    return pickle.dumps((read_huggingface(module), chunks(module)))


def far(face, module, x, expected):
    """How far ours is, as a share of the largest number."""
    size = chunks(module)
    mask = tensor(face, I // size == I[:, None] // size) if size else None
    causal = type(module).__name__ != "BertLayer"
    found = numbers(face.from_huggingface(module)(tensor(face, x.numpy()), mask=mask, causal=causal)[0])
    return np.abs(found - expected.numpy()).max() / expected.abs().max()


@FACE
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS)
def test_a_key_is_read_or_refused_or_of_no_effect(face, row):
    """A recipe that is the same must be so with reason: the module's numbers are then the same too."""
    first, _, plain = asked(row)
    same, wrong, tried = read(first), [], 0
    for key, value in ROWS[row][1].config.to_dict().items():
        for other in [] if key in LEFT else others(key, value):
            if (made := asked(row, **{key: other})) is None:
                continue
            tried += 1
            try:
                if read(made[0]) != same:
                    off = far(face, *made)
                else:
                    off = np.inf if made[2].shape != plain.shape else float((made[2] - plain).abs().max())
            except ValueError as error:
                names = key, CALLED.get(key, key), "must be even"  # the width of a head, which several keys make
                if not any(name in str(error) for name in names):
                    wrong.append((key, other, str(error)))
                continue
            if not off < 1e-5:
                wrong.append((key, other, off))
    assert tried > 30
    assert not wrong
