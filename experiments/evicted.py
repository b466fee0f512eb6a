"""What is lost where a cache throws keys away: on a text, and of facts told before.

A cache keeps ``kept`` keys in every head. "window": the last ones. "sinks": the first
SINKS and the last. "heavy": half are the last, the others those that got most weight so
far, heavy hitters (Zhang et al. 2023, H2O, section 4, arXiv:2306.14048). "all" throws
nothing away. Everything is read token by token, as when it is written.

"text": glassllm reads the 20,480 held-out tokens of ``experiments.cache_bits``; nats
lost against "all". "recall": a stack of softmax layers, trained as in
``experiments.hybrid``, is told PAIRS names with a value each, then asked for 16 of
them; the share of right answers. PyTorch.

python -m experiments.evicted --seeds 0 1 2
"""

from functools import cache

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.pytorch import KVCache
from experiments import run_plan
from experiments.associative import recall, train
from experiments.cache_bits import windows
from experiments.hybrid import MODELS, STACKS, STEPS
from experiments.speculative import shipped

SINKS, PAIRS, ROWS = 4, 64, 128
KEPT = {"text": (64, 32, 16), "recall": (64, 48, 32)}
PLAN = [("text", "all", None), ("recall", "all", None)]
PLAN += [
    (on, policy, kept)
    for on, sizes in KEPT.items()
    for policy in ("window", "sinks", "heavy")
    for kept in sizes
]


class EvictingCache(KVCache):
    """Keys that were thrown away are hidden; it reads a position at a time.

    ``group`` query heads share a head of keys, and what is thrown away of it.
    """

    def __init__(self, policy, kept, group, *sizes):
        super().__init__(*sizes)
        self.policy, self.kept, self.group = policy, kept, group
        self.alive = torch.zeros(self.key.shape[:3], dtype=torch.bool)
        self.got = torch.zeros(self.key.shape[:3])

    def limit(self, T, mask=None, bias=None):
        """What a query may see: (B, H, 1, S)."""
        self.alive[:, :, self.length] = True
        alive = self.alive[:, :, None, : self.length + T]
        return alive.repeat_interleave(self.group, dim=1), bias

    def evict(self, weights):
        """Throw one key away in every head; weights (B, H, 1, S) are the query's."""
        S = self.length
        self.got[:, :, :S] += weights.unflatten(1, (-1, self.group)).sum((2, 3))
        if self.kept is None or self.kept >= S:
            return
        position = torch.arange(S)
        worth = position.float().expand_as(self.got[:, :, :S]).clone()
        if self.policy == "sinks":
            worth[:, :, :SINKS] = torch.inf
        if self.policy == "heavy":
            last = position >= S - self.kept // 2
            worth = self.got[:, :, :S].masked_fill(last, torch.inf)
        worth = worth.masked_fill(~self.alive[:, :, :S], torch.inf)
        self.alive.scatter_(2, worth.argmin(-1, keepdim=True), False)


def caches(layers, policy, kept, batch, capacity):
    """A cache for every layer."""
    made = []
    for attention in (layer.attention for layer in layers):
        batch, G, key_dim, value_dim = attention.new_cache(batch, 1).sizes
        sizes = batch, G, capacity, key_dim, value_dim
        made.append(EvictingCache(policy, kept, attention.num_heads // G, *sizes))
    return tuple(made)


def step_by_step(step, T, kept_by):
    """The outputs (B, T, N) of T steps, step(n, caches) -> (B, 1, N) and weights."""
    found = []
    for n in range(T):
        output, weights = step(n, kept_by)
        found.append(output)
        for each, seen in zip(kept_by, weights, strict=True):
            each.evict(seen)
    return torch.cat(found, dim=1)


@cache
def read(policy, kept):
    """Nats (B, T) of the text's tokens."""
    model, tokens = shipped(), windows()
    T = tokens.shape[1] - 1
    kept_by = caches(model.stack.layers, policy, kept, len(tokens), T)

    def step(n, cache):
        return model(tokens[:, n : n + 1], cache=cache)

    found = step_by_step(step, T, kept_by).log_softmax(-1)
    return -found.gather(-1, tokens[:, 1:, None])[..., 0].double()


@cache
@torch.enable_grad()
def trained(seed):
    """A stack that recalls."""
    torch.manual_seed(seed)
    model = MODELS["pytorch"](STACKS["4 softmax"])
    train(model, steps=STEPS, seed=seed)
    return model.eval()


def answered(policy, kept, seed):
    """The share of right answers."""
    model, rows = trained(seed), next(recall(ROWS, pairs=PAIRS, seed=1000 + seed))
    names, values, answer = (torch.from_numpy(x) for x in rows[:3])
    kept_by = caches(model.encoder.layers, policy, kept, *names.shape)

    def step(n, cache):
        x = model.written(names[:, n : n + 1]) + model.value(values[:, n : n + 1])
        x, weights = model.encoder(x, causal=True, cache=cache)
        return model.logits(x), weights

    asked = step_by_step(step, names.shape[1], kept_by)[:, PAIRS:]
    return float((asked.argmax(-1) == answer).double().mean())


@torch.no_grad()
def run(on, policy, kept, seed):
    """A row; the text is the same for every seed."""
    row = {"framework": "pytorch", "on": on, "policy": policy, "kept": kept}
    if on == "recall":
        return [row | {"seed": seed, "right": round(answered(policy, kept, seed), 4)}]
    if seed:
        return []
    lost = (read(policy, kept) - read("all", None)).mean(dim=1).numpy()
    error = lost.std(ddof=1) / np.sqrt(len(lost))
    row |= {"nats_lost": round(float(lost.mean()), 4)}
    return [row | {"nats_lost_error": round(float(error), 4)}]


if __name__ == "__main__":
    run_plan("evicted", PLAN, run)
