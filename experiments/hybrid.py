"""Recall by four layers: softmax in all, in none, or in one after three delta rules.

Names with a value each are written down, then asked for (``experiments.tasks.recall``).
The layers have the same maps; the gates of a delta rule, two numbers a head, are all
that differs. Each stack is trained on all numbers of pairs in turn and tested on each,
then decodes one position after LENGTH others: the time (medians in the thread's own
time, which others on the machine don't add to), and the bytes that are kept.

python -m experiments.hybrid --seeds 0 1 2
"""

import time
from itertools import islice

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop
from attn_course.pytorch import DeltaRuleAttention, Encoder, MultiHeadAttention
from experiments import run_plan
from experiments.associative import PAIRS, rate_at
from experiments.tasks.recall import NAMES, UNKNOWN, VALUES, recall

WIDTH, HEADS, KEY_DIM, BATCH, STEPS, RATE = 32, 2, 8, 64, 1000, 5e-3
TESTED, AT_ONCE, LENGTH, TIMED = 8, 16, 4096, 41
# d: the gated delta rule; s: softmax over all positions
STACKS = {"4 softmax": "ssss", "3 delta, 1 softmax": "ddds", "4 delta": "dddd"}


def make_layer(letter):
    """The attention of one layer."""
    sizes = {"key_dim": KEY_DIM, "value_dim": WIDTH // HEADS}
    if letter == "s":
        return MultiHeadAttention(WIDTH, HEADS, **sizes)
    return DeltaRuleAttention(WIDTH, HEADS, decay="learned", **sizes)


class Stack(torch.nn.Module):
    """Names and values (B, T) -> logits (B, T, VALUES)."""

    def __init__(self, layers):
        super().__init__()
        self.name = torch.nn.Embedding(NAMES, WIDTH)
        self.value = torch.nn.Embedding(UNKNOWN + 1, WIDTH)
        self.output = torch.nn.Linear(WIDTH, VALUES)
        options = {"norm": "pre", "attention": lambda n: make_layer(layers[n])}
        self.encoder = Encoder(len(layers), WIDTH, HEADS, 2 * WIDTH, **options)

    def forward(self, names, values, **options):
        x = self.name(names) + self.value(values)
        x, _ = self.encoder(x, causal=True, need_weights=False, **options)
        return self.output(x)


def loss(model, names, values, answer, old):
    """The cross-entropy of the answers."""
    logits = model(names, values)[:, -answer.shape[1] :].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, answer.flatten())


@torch.no_grad()
def right(model, pairs):
    """The share of answers that are right."""
    found = []
    for batch in islice(recall(BATCH, pairs=pairs, seed=1000), TESTED):
        names, values, answer, _ = map(torch.from_numpy, batch)
        guess = model(names, values)[:, -answer.shape[1] :].argmax(dim=-1)
        found.append((guess == answer).double().mean().item())
    return float(np.mean(found))


@torch.no_grad()
def decoding(model):
    """A step of AT_ONCE rows after LENGTH positions: milliseconds, and bytes kept."""
    caches = model.encoder.new_cache(AT_ONCE, LENGTH + TIMED)
    names = torch.randint(NAMES, (AT_ONCE, LENGTH + TIMED))
    values = torch.randint(VALUES, names.shape)
    model(names[:, :LENGTH], values[:, :LENGTH], cache=caches)
    times = []
    for n in range(LENGTH, LENGTH + TIMED):
        begin = time.thread_time()
        model(names[:, n : n + 1], values[:, n : n + 1], cache=caches)
        times.append(1000 * (time.thread_time() - begin))
    return {
        "milliseconds": round(float(np.median(times)), 3),
        "bytes": sum(cache.nbytes for cache in caches),
    }


def run(stack, seed):
    """One stack: a row for each number of pairs."""
    torch.manual_seed(seed)
    model = Stack(STACKS[stack])
    options = {"rate": RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    data = recall(BATCH, pairs=PAIRS, seed=seed)
    loop.train(model, data, loss, steps=STEPS, **options)
    row = {"stack": stack, "layers": STACKS[stack], "seed": seed}
    row |= {"parameters": sum(x.numel() for x in model.parameters())}
    row |= decoding(model.eval())
    return [row | {"pairs": n, "right": round(right(model, n), 4)} for n in PAIRS]


if __name__ == "__main__":
    sizes = {"steps": STEPS, "batch": AT_ONCE, "length": LENGTH}
    sizes |= {"key_dim": KEY_DIM, "heads": HEADS}
    run_plan("hybrid", [(stack,) for stack in STACKS], run, sizes=lambda: sizes)
