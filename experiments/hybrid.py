"""Recall by four layers: softmax in all, in none, or in one after three delta rules.

Names with a value each are written down, then asked for (``experiments.tasks.recall``).
The layers have the same maps; the gates of a delta rule, two numbers a head, are all
that differs. Each stack is trained and tested as ``experiments.associative`` does it,
then decodes one position after LENGTH others: the time (medians in the thread's own
time, which others on the machine don't add to), and the bytes that are kept.

python -m experiments.hybrid --seeds 0 1 2
"""

import time

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.pytorch import DeltaRuleAttention, Encoder, MultiHeadAttention
from experiments import run_plan
from experiments.associative import PAIRS
from experiments.associative.pytorch import test, train
from experiments.tasks.recall import NAMES, UNKNOWN, VALUES

WIDTH, HEADS, KEY_DIM, STEPS = 32, 2, 8, 1000
AT_ONCE, LENGTH, TIMED = 16, 4096, 41
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
    train(model, steps=STEPS, seed=seed)
    row = {"stack": stack, "layers": STACKS[stack], "seed": seed}
    row |= {"parameters": sum(x.numel() for x in model.parameters())}
    row |= decoding(model.eval())
    return [row | {"pairs": n, "right": test(model, pairs=n)[0]} for n in PAIRS]


if __name__ == "__main__":
    sizes = {"steps": STEPS, "batch": AT_ONCE, "length": LENGTH}
    sizes |= {"key_dim": KEY_DIM, "heads": HEADS}
    run_plan("hybrid", [(stack,) for stack in STACKS], run, sizes=lambda: sizes)
