"""Head counts, and heads cut away in three orders, with every seed."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.heads import (
    DATE_BATCH,
    DATE_STEPS,
    HEADS,
    LAYERS,
    LOOK_UP_STEPS,
    cut_in_three_orders,
    hide,
)
from attn_course.course.labs.heads.pytorch import (
    DateModel,
    LookUpModel,
    losses,
    train as train_dates,
    train_look_up,
)
from attn_course.pytorch import head_importance
from attn_course.tasks.dates import load_dates, source_vocabulary
from attn_course.tasks.text import PAD, batches
from experiments import chosen_seeds, resuming, store

COUNTS = (1, 2, 4, 8, 16, 32)
EXAMPLES = 1000


def head_count(num_heads, seed):
    """A look-up model with so many heads, at the same number of parameters."""
    torch.manual_seed(seed)
    model = LookUpModel(num_heads)
    right = train_look_up(model, steps=LOOK_UP_STEPS, seed=seed)
    parameters = sum(weight.numel() for weight in model.attention.parameters())
    row = {"heads": num_heads, "parameters": parameters, "steps": LOOK_UP_STEPS}
    return row | {"seed": seed, "exact": round(right[-1], 4)}


def cut_away(seed):
    """The loss of a date model without some of its heads, in three orders."""
    torch.manual_seed(seed)
    model = DateModel(len(source_vocabulary()))
    train = load_dates("train").encode()
    train_dates(model, batches(train, DATE_BATCH, seed), steps=DATE_STEPS)
    importance = head_importance(
        lambda masks: losses(model, *_given(train), masks),
        tuple(torch.ones(EXAMPLES, HEADS) for _ in range(LAYERS)),
    )
    dev = _given(load_dates("dev").encode())
    whole = round(_loss(model, dev, []), 4)
    rows = cut_in_three_orders(
        torch.cat(importance).numpy(),
        lambda heads: _loss(model, dev, heads),
        np.random.default_rng(seed),
    )
    rows = [{"seed": seed, "whole": whole, **row} for row in rows]
    single = [_loss(model, dev, [head]) - whole for head in range(LAYERS * HEADS)]
    return rows, {"seed": seed, "alone": [round(x, 4) for x in single]}


def _given(examples):
    """Rows of dates with the same characters hidden each time."""
    source, mask = examples.source[:EXAMPLES], examples.source_mask[:EXAMPLES]
    tokens, missing = hide(source, mask, np.random.default_rng(0))
    return [torch.from_numpy(x) for x in (tokens, mask, missing)]


@torch.no_grad()
def _loss(model, given, heads):
    """The mean loss a hidden character with these heads masked."""
    kept = torch.ones(LAYERS * HEADS)
    kept[list(heads)] = 0.0
    total = losses(model, *given, tuple(kept.view(LAYERS, HEADS))).sum()
    return (total / (given[-1] != PAD).sum()).item()


if __name__ == "__main__":
    with resuming("heads") as done:
        seeds = chosen_seeds()
        counts = [
            done.rows(head_count, heads, seed) for seed in seeds for heads in COUNTS
        ]
        print(*counts, sep="\n", flush=True)
        cut, alone = [], []
        for seed in seeds:
            rows, single = done.rows(cut_away, seed)
            print(*rows, single, sep="\n", flush=True)
            cut += rows
            alone.append(single)
        store("heads", counts, seeds, cut=cut, alone=alone)
