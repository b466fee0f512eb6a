"""Recall by four layers: softmax in all, in none, or in one after three delta rules.

Names with a value each are written down, then asked for. The layers have the same maps;
the gates of a delta rule, two numbers a head, are all that differs. Each stack is
trained and tested on the rows of ``experiments.associative`` and as it does it, then
decodes one position after LENGTH others: the time (medians in the thread's own time,
which others on the machine don't add to), and the bytes that are kept. In TensorFlow it
is trained and tested alone.

python -m experiments.hybrid --seeds 0 1 2
"""

import time

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.core.parity import get_parameters
from experiments import draw_from, run_plan
from experiments.associative import NAMES, PAIRS, UNKNOWN, VALUES, test, train
from experiments.models import in_both

WIDTH, HEADS, KEY_DIM, STEPS = 32, 2, 8, 1000
AT_ONCE, LENGTH, TIMED = 16, 4096, 41
# d: the gated delta rule; s: softmax over all positions
STACKS = {"4 softmax": "ssss", "3 delta, 1 softmax": "ddds", "4 delta": "dddd"}


def make_layer(face, letter):
    """The attention of one layer; face: ``attn_course.pytorch`` or ``.tf``."""
    sizes = {"key_dim": KEY_DIM, "value_dim": WIDTH // HEADS}
    if letter == "s":
        return face.MultiHeadAttention(WIDTH, HEADS, **sizes)
    return face.DeltaRuleAttention(WIDTH, HEADS, decay="learned", **sizes)


def make_encoder(face, layers):
    """A layer for each letter."""
    options = {"norm": "pre", "attention": lambda n: make_layer(face, layers[n])}
    return face.Encoder(len(layers), WIDTH, HEADS, 2 * WIDTH, **options)


class Stack:
    """Names and values (B, T) -> logits (B, T, VALUES)."""

    def __init__(self, layers):
        super().__init__()
        self.written = self.table(NAMES, WIDTH)
        self.value = self.table(UNKNOWN + 1, WIDTH)
        self.logits = self.linear(WIDTH, VALUES)
        self.encoder = make_encoder(self.face, layers)

    def call(self, names, values, **options):
        x = self.written(names) + self.value(values)
        x, _ = self.encoder(x, causal=True, need_weights=False, **options)
        return self.logits(x)


MODELS = in_both(Stack)


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


def run(framework, stack, seed):
    """One stack: a row for each number of pairs."""
    draw_from(seed)
    model = MODELS[framework](STACKS[stack])
    train(model, steps=STEPS, seed=seed)
    row = {"framework": framework, "stack": stack, "layers": STACKS[stack]}
    row |= {"seed": seed, "steps": STEPS}
    row["parameters"] = sum(x.size for x in get_parameters(model).values())
    row |= decoding(model.eval()) if framework == "pytorch" else {}
    rights = [(n, test(model, pairs=n)[0]) for n in PAIRS]
    return [row | {"pairs": n, "right": right} for n, right in rights]


if __name__ == "__main__":
    sizes = {"steps": STEPS, "batch": AT_ONCE, "length": LENGTH}
    sizes |= {"key_dim": KEY_DIM, "heads": HEADS}
    plan, beside = ([(name, stack) for stack in STACKS] for name in MODELS)
    run_plan("hybrid", plan, run, beside, sizes=lambda: sizes)
