"""Makes ``sparse.npz``: what local-attention, flash-attn's reference and Hugging Face's Longformer and BigBird compute
with random weights.

Not a test, and not run by them: the libraries are not installed where the tests run. To repeat it, in an environment
of its own: ``pip install torch numpy transformers==5.23.0 local-attention==1.11.2``; take the source archive of
flash-attn 2.8.3 (``pip download --no-deps --no-binary :all: flash-attn==2.8.3``) and unpack it; then run this file with
the unpacked folder: ``python make_sparse_goldens.py flash_attn-2.8.3``.

flash-attn's kernels need a GPU. What stands here is ``attention_ref`` of its ``utils/testing.py``, the formula in
PyTorch that its own tests hold the kernels to.

BigBird runs in training mode without dropout: in evaluation mode all its random blocks are block 0. It gathers a
repeated block twice, so the seed is one that repeats none; the layout is read off its own weights.
"""

import runpy
import sys
import types
from pathlib import Path

import numpy as np
import torch
from local_attention import LocalAttention
from transformers import BigBirdConfig, LongformerConfig
from transformers.masking_utils import sliding_window_causal_mask_function
from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention, BigBirdModel
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention

B, S, D, H = 2, 24, 6, 2
SIDE = 3  # Longformer's keys to each side: its attention_window is twice that
GLOBAL, PADDED = (0, 7), (0, 5)
BLOCK, BLOCKS, RANDOM = 2, 14, 2
WINDOW = 4


def draw(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def fill(module):
    module = module.double()
    for number, (_, parameter) in enumerate(sorted(module.named_parameters())):
        parameter.data = draw(*parameter.shape, seed=number) * 0.5
    return module


def projections(module):
    found = {}
    for name in ("query", "key", "value"):
        layer = getattr(module, name)
        found |= {f"{name}_weight": layer.weight.T, f"{name}_bias": layer.bias}
    return {name: x.detach().numpy() for name, x in found.items()}


def longformer():
    sizes = {"hidden_size": D, "num_attention_heads": H, "attention_window": [2 * SIDE]}
    module = fill(LongformerSelfAttention(LongformerConfig(**sizes, attention_probs_dropout_prob=0.0), 0))
    for name in ("query", "key", "value"):  # one projection for local and global pairs, as ours
        getattr(module, f"{name}_global").load_state_dict(getattr(module, name).state_dict())
    x, mask = draw(B, S, D, seed=100), torch.zeros(B, S, dtype=torch.float64)
    mask[:, list(GLOBAL)] = 10000.0
    for row, padded in enumerate(PADDED):
        mask[row, S - padded :] = -10000.0
    where = {"is_index_masked": mask < 0, "is_index_global_attn": mask > 0, "is_global_attn": True}
    output = module(x, attention_mask=mask, **where)[0]
    return {"x": x.numpy(), "output": output.detach().numpy(), **projections(module)}


def big_bird():
    sizes = {"hidden_size": D, "num_attention_heads": 1, "block_size": BLOCK, "num_random_blocks": RANDOM}
    config = BigBirdConfig(**sizes, attention_probs_dropout_prob=0.0, max_position_embeddings=BLOCKS * BLOCK)
    module = fill(BigBirdBlockSparseAttention(config, seed=3)).train()
    x = draw(B, BLOCKS * BLOCK, D, seed=200)
    masks = BigBirdModel.create_masks_for_block_sparse_attn(torch.ones(x.shape[:2]), BLOCK)
    blocked, band, from_mask, to_mask = (mask.double() for mask in masks)
    output, weights = module(x, band, from_mask, to_mask, blocked, blocked, output_attentions=True)
    seen = (weights[0, 0] > 0).numpy()
    layout = seen.reshape(BLOCKS, BLOCK, BLOCKS, BLOCK).any((1, 3))
    np.testing.assert_array_equal(np.kron(layout, np.ones((BLOCK, BLOCK), bool)), seen)
    assert set(layout.sum(1)[2:-2]) == {5 + RANDOM}, "a random block was drawn twice"
    return {"x": x.numpy(), "output": output.detach().numpy(), "layout": layout, **projections(module)}


def local(causal):
    heads = draw(3, B, S, D, seed=300)
    options = {"window_size": WINDOW, "causal": causal, "exact_windowsize": True, "use_rotary_pos_emb": False}
    layer = LocalAttention(**options, look_backward=1, look_forward=0 if causal else 1)
    return {"heads": heads.numpy(), "output": layer(*heads).numpy()}


def flash(folder, causal):
    package = types.ModuleType("flash_attn")  # its own __init__ loads the kernels, and fails without CUDA
    package.__path__ = [str(Path(folder) / "flash_attn")]
    sys.modules["flash_attn"] = package
    reference = runpy.run_path(Path(folder) / "flash_attn" / "utils" / "testing.py")["attention_ref"]
    heads = draw(3, B, S, H, D, seed=400)
    window = (WINDOW, 0 if causal else WINDOW)
    output, _ = reference(*heads, causal=causal, window_size=window, upcast=False)
    return {"heads": heads.transpose(2, 3).numpy(), "output": output.transpose(1, 2).numpy()}


def main():
    parts = {"longformer": longformer(), "big bird": big_bird()}
    parts |= {"flash": flash(sys.argv[1], causal=False), "flash causal": flash(sys.argv[1], causal=True)}
    parts |= {"local": local(causal=False), "local causal": local(causal=True)}
    goldens = {f"{part}/{key}": x for part, found in parts.items() for key, x in found.items()}
    rule, i = sliding_window_causal_mask_function(WINDOW), torch.arange(S)
    goldens["sliding"] = rule(0, 0, i[:, None], i).numpy()
    goldens |= {"side": SIDE, "global": GLOBAL, "padded": PADDED, "block": BLOCK, "window": WINDOW}
    path = Path(__file__).with_name("sparse.npz")
    np.savez_compressed(path, **{key: np.asarray(x) for key, x in goldens.items()})
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
