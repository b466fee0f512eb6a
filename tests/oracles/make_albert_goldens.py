"""Makes ``albert.npz``: what Hugging Face's AlbertModel says to 22 reactions, with the weights that the course ships.

Not a test, and not run by them: the library is not installed where the tests run. To repeat it, in an environment of
its own with this package: ``pip install torch numpy transformers==5.23.0``, then run this file. The weights are those
of the package, float16 as they are, computed in float64: what is left is the rounding of ours. To stay small
the file holds of every reaction the output times a few fixed directions and of every head's weights a few sums; of one
reaction it holds all.
"""

from pathlib import Path

import numpy as np
import torch
from transformers import AlbertConfig, AlbertForMaskedLM

from attn_course.tasks.reactions import encode, load_reactions, load_weights
from experiments.data.reactions import NAMES

REACTIONS, DIRECTIONS, PROBES = 22, 6, 2
CONFIG = {
    "vocab_size": 591,
    "embedding_size": 128,
    "hidden_size": 256,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "intermediate_size": 512,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
    "attn_implementation": "eager",
}


def model():
    ours, theirs = load_weights(), AlbertForMaskedLM(AlbertConfig(**CONFIG)).double().eval()
    state = theirs.state_dict()
    for name, other in NAMES.items():
        if name in ours:
            state[other].copy_(torch.from_numpy(ours[name]))
            continue
        joint = "_" if "attention" in name else "."
        state[f"{other}.weight"].copy_(torch.from_numpy(ours[f"{name}{joint}weight"]).T)
        state[f"{other}.bias"].copy_(torch.from_numpy(ours[f"{name}{joint}bias"]))
    theirs.tie_weights()
    return theirs


def probes(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape) / np.sqrt(shape[-1])


@torch.no_grad()
def main():
    theirs, found = model(), {}
    for number, row in enumerate(load_reactions()[:REACTIONS]):
        ids, _ = encode([row.smiles])
        said = theirs.albert(torch.from_numpy(ids), output_attentions=True)
        output = said.last_hidden_state[0].numpy()
        weights = torch.cat(said.attentions).numpy()  # (12, 8, T, T)
        T = len(output)
        found[f"{number}/output"] = output @ probes(0, DIRECTIONS, 256).T
        left, right = probes(1, PROBES, T), probes(2, PROBES, T)
        found[f"{number}/weights"] = np.einsum("pt,lhts,ps->lhp", left, weights, right)
        if number == 4:
            found |= {"output": output, "weights": weights[10]}
            found["scores"] = theirs(torch.from_numpy(ids)).logits[0, ::5].numpy()
    path = Path(__file__).with_name("albert.npz")
    np.savez_compressed(path, **{key: x.astype(np.float32) for key, x in found.items()})
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
