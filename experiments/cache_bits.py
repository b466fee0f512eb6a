"""What a cache in fewer bits costs a trained model: nats lost, and KL, as it reads on.

glassllm reads 20,480 tokens that it was not trained on, verses in windows of 128, as
when it decodes: with a cache that is rounded per channel token by token, with one per
token in one chunk, which gives the same. "token, late": per token, but each block of
32 when it is full, so that as many keys are exact as per channel. ``outlier``: two
channels of every key, which turn together, are that much larger, and the query's
smaller: the same model.
``bits``: of codes and scales, for a number that is rounded. ``nats_lost`` against a
cache of float32, ``kl`` from it, each with the standard error of the windows' means
(``..._error``); ``other``: the share of places where another token is the likeliest.

python -m experiments.cache_bits
"""

import itertools
from functools import cache

from attn_course.core.frameworks import torch
from attn_course.pytorch import KVCache, QuantizedKVCache, dequantize, quantize
from attn_course.tasks.glassllm import load_tokenizer
from attn_course.tasks.translation import load_translation
from experiments import run_plan
from experiments.speculative import shipped

WINDOW, ROWS, BLOCK, OUTLIER, PAIR = 128, 160, 32, 16, [4, 5]
PER = [("token", "token"), ("channel", "channel"), ("channel", "token")]
PLAN = [
    (outlier, kind, *per, rotate)
    for outlier, kind, per, rotate in itertools.product(
        (1, OUTLIER), ("int8", "fp8", "int4"), PER, (False, True)
    )
    if kind == "int4" or per[0] == per[1]
]
LATE = "token, late"
PLAN += [(outlier, "int4", LATE, LATE, False) for outlier in (1, OUTLIER)]


class LateCache(KVCache):
    """Per token in int4, each block when it is full."""

    def write(self, start, end, key, value):
        return tuple(map(late, super().write(start, end, key, value)))


def late(x):
    """Positions (B, G, S, K) of full blocks rounded, the others as they are."""
    full, rest = x.tensor_split([x.shape[2] // BLOCK * BLOCK], dim=2)
    codes = quantize(full, kind="int4")
    return torch.cat([dequantize(*codes, kind="int4"), rest], dim=2)


def windows():
    """(ROWS, WINDOW + 1) tokens: each window's last is the next one's first."""
    text = "\n".join(load_translation("test").sources)
    tokens = torch.as_tensor(load_tokenizer().encode(text))
    return tokens[: ROWS * WINDOW + 1].unfold(0, WINDOW + 1, WINDOW)


@torch.no_grad()
def planted(outlier):
    """The model, with two channels of keys that are so much larger."""
    model = shipped()
    for layer in model.stack.layers:
        K = layer.attention.sizes.key_dim
        for name, factor in (("key", outlier), ("query", 1 / outlier)):
            weight = getattr(layer.attention, name).weight
            weight.unflatten(0, (-1, K))[:, PAIR] *= factor
    return model


@torch.no_grad()
def read(model, tokens, chunk, made=KVCache, **options):
    """Log-probabilities (B, T, N) behind every token, and the first layer's cache."""
    sizes = model.stack.layers[0].attention
    sizes = sizes.num_kv_heads, tokens.shape[1], sizes.sizes.key_dim
    caches = tuple(made(len(tokens), *sizes, **options) for _ in model.stack.layers)
    chunks = tokens.split(chunk, dim=1)
    logits = [model(x, need_weights=False, cache=caches)[0] for x in chunks]
    return torch.cat(logits, dim=1).log_softmax(-1), caches[0]


@cache
def exact(outlier):
    """What the model says with all bits."""
    return read(planted(outlier), windows()[:, :-1], WINDOW)[0]


def run(outlier, kind, key_per, value_per, rotate, seed):
    """What a kind of rounding costs: a row. Nothing is drawn."""
    tokens, whole = windows(), exact(outlier)
    options = {"kind": kind, "key_per": key_per, "value_per": value_per}
    chunk = 1 if {"channel", LATE} & {key_per, value_per} else WINDOW
    how = {**options, "rotate": rotate, "block_size": BLOCK}
    how = {"made": QuantizedKVCache, **how} if key_per != LATE else {"made": LateCache}
    found, cache = read(planted(outlier), tokens[:, :-1], chunk, **how)
    lost = (whole - found).gather(-1, tokens[:, 1:, None])[..., 0]
    kl = (whole.exp() * (whole - found)).sum(-1)
    row = {"outlier": outlier, **options, "rotate": rotate}
    row |= {} if key_per == LATE else {"bits": bits_of(cache)}
    for name, x in (("nats_lost", lost), ("kl", kl)):
        means = x.double().mean(dim=1)
        error = means.std() / len(means) ** 0.5
        row |= {name: round(float(means.mean()), 7)}
        row |= {f"{name}_error": round(float(error), 7)}
    other = (found.argmax(-1) != whole.argmax(-1)).double().mean()
    nats = -whole.gather(-1, tokens[:, 1:, None]).double().mean()
    return [row | {"other": round(float(other), 4), "nats": round(float(nats), 4)}]


def bits_of(cache):
    """Bits of codes and scales for each number that is rounded."""
    B, G, K, V = cache.sizes
    held = sum(x.nbytes for side in cache.sides for x in side.parts)
    return round(8 * held / (B * G * cache.capacity * (K + V)), 3)


if __name__ == "__main__":
    run_plan("cache_bits", PLAN, run)
