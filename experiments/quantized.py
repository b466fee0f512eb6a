"""What fewer bits per number of a KV cache cost: glassllm reads on, its cache rounded.

Keys (turned by RoPE, as the cache keeps them) and values are rounded to whole numbers
times a scale when they are written, and read back as such. 8 and 4 bits with a scale
for each position and head; 4 bits with a scale for each column of the keys, taken from
another text; 4 bits of keys or of values alone; and 8 bits whose scale was left at 1.
The same tokens for every kind. PyTorch.

python -m experiments.quantized --seeds 0 1 2
"""

from functools import cache

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.generate import pytorch as lab
from attn_course.pytorch import KVCache
from attn_course.tasks.glassllm import CONTEXT, load_book, load_tokenizer
from experiments import run_plan

STREAMS, CHUNK = 16, 16
# Bits of keys and of values, and what a scale is for; 0 bits: not rounded.
KINDS = {
    "32 bits": (0, 0, "position"),
    "8 bits": (8, 8, "position"),
    "4 bits": (4, 4, "position"),
    "4 bits, keys by column": (4, 4, "column"),
    "4 bits, keys alone": (4, 0, "position"),
    "4 bits, values alone": (0, 4, "position"),
    "2 bits": (2, 2, "position"),
    "8 bits, scale 1": (8, 8, "one"),
}


def rounded(x, bits, scale=None):
    """x (..., K) as whole numbers of so many bits, times a scale for each vector."""
    if not bits:
        return x
    most = 2 ** (bits - 1) - 1
    if scale is None:
        scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8)
    return (x * most / scale).round().clamp(-most, most) * scale / most


class RoundedCache(KVCache):
    """A cache whose entries are rounded when they are written."""

    bits, scales = (0, 0), None

    def update(self, key, value):
        key = rounded(key, self.bits[0], self.scales)
        one = self.scales if isinstance(self.scales, int) else None
        return super().update(key, rounded(value, self.bits[1], one))


def tokens_of(seed, streams=STREAMS):
    """(B, T + 1) tokens of the book, from places drawn by the seed."""
    tokens = load_tokenizer().encode(load_book())
    places = np.random.default_rng(seed).integers(len(tokens) - CONTEXT, size=streams)
    drawn = np.asarray(tokens)[places[:, None] + np.arange(CONTEXT + 1)]
    return torch.from_numpy(drawn)


@cache
def columns():
    """Per layer, the largest size of each column of the keys, on other places."""
    model, tokens = lab.load_glassllm(), tokens_of(99)
    caches = model.new_caches(len(tokens), CONTEXT)
    model(tokens[:, :-1], caches=caches)
    return [
        each.key[:, :, :CONTEXT].abs().amax(dim=(0, 2), keepdim=True) for each in caches
    ]


@torch.no_grad()
def run(kind, seed):
    """Loss and share of right guesses of every next token."""
    model, tokens = lab.load_glassllm(), tokens_of(seed)
    *bits, by = KINDS[kind]
    sizes = len(tokens), model.config["num_kv_heads"], CONTEXT, model.key_dim
    caches = []
    for layer in range(model.config["num_layers"]):
        caches.append(RoundedCache(*sizes))
        caches[-1].bits = bits
        caches[-1].scales = {"one": 2**7 - 1, "column": columns()[layer]}.get(by)
    logits = [
        model(tokens[:, start : start + CHUNK], caches=tuple(caches))
        for start in range(0, CONTEXT, CHUNK)
    ]
    logits, after = torch.cat(logits, dim=1), tokens[:, 1:]
    loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), after)
    right = (logits.argmax(dim=-1) == after).double().mean()
    row = {"framework": "pytorch", "kind": kind, "seed": seed}
    return [row | {"loss": round(float(loss), 4), "exact": round(float(right), 4)}]


if __name__ == "__main__":
    run_plan("quantized", [(kind,) for kind in KINDS], run)
