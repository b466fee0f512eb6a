"""The linear layers of Qwen3-Next, Qwen3.5 and Kimi Linear, random weights: ours say the same."""

import numpy as np
import pytest
import torch
import transformers
from modules import fill
from support import FACE, numbers, tensor
from transformers.models.kimi_linear.modeling_kimi_linear import KimiLinearDeltaAttention
from transformers.models.qwen3_5.modeling_qwen3_5 import Qwen3_5GatedDeltaNet
from transformers.models.qwen3_next.modeling_qwen3_next import Qwen3NextGatedDeltaNet

from attn_course import pytorch

B, T, D = 2, 71, 12  # more than a chunk, of theirs and of ours
SIZES = {"hidden_size": D, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": 4, "vocab_size": 5}
QWEN = {"linear_num_value_heads": 6, "linear_num_key_heads": 3, "linear_key_head_dim": 5, "linear_value_head_dim": 7}
KIMI = {"linear_num_heads": 3, "linear_head_dim": 5}
TYPES = {"layer_types": ["linear_attention", "full_attention"], "num_hidden_layers": 2}
ROWS = {
    "qwen3-next": lambda: Qwen3NextGatedDeltaNet(transformers.Qwen3NextConfig(**SIZES, **QWEN), 0),
    "qwen3.5": lambda: Qwen3_5GatedDeltaNet(transformers.Qwen3_5TextConfig(**SIZES, **QWEN), 0),
    "kimi": lambda: KimiLinearDeltaAttention(transformers.KimiLinearConfig(**{**SIZES, **KIMI, **TYPES}), 0),
}
X = torch.from_numpy(np.random.default_rng(0).normal(size=(B, T, D))).float()
REAL = torch.arange(T) >= torch.tensor([[7], [0]])  # padding on the left
ROW = pytest.mark.parametrize("row", ROWS)


def made(row):
    torch.manual_seed(1)
    return fill(ROWS[row]())


@FACE
@ROW
@torch.no_grad()
def test_ours_says_what_theirs_says(face, row):
    module = made(row)
    ours = face.from_huggingface(module)
    for mask in (None, REAL):
        expected = module(X, attention_mask=mask).numpy()
        mask = None if mask is None else tensor(face, mask.numpy()[:, None, None])
        found = numbers(ours(tensor(face, X.numpy()), mask, causal=True)[0])
        real = REAL.numpy() if mask is not None else np.ones((B, T), bool)
        assert np.abs(found - expected)[real].max() / np.abs(expected).max() < 1e-5


@ROW
def test_what_ours_has_not_is_refused(row):
    module = made(row)
    module.activation = "gelu"
    with pytest.raises(ValueError, match="hidden_act=silu, got gelu"):
        pytorch.from_huggingface(module)
    module = made(row)
    module.register_parameter("more", torch.nn.Parameter(torch.ones(3)))
    with pytest.raises(ValueError, match="got more"):
        pytorch.from_huggingface(module)
    ours = pytorch.from_huggingface(made(row))
    with pytest.raises(ValueError, match="cache is not supported"):
        ours(X, cache=1)
    with pytest.raises(ValueError, match="mask"):
        ours(X, REAL)
