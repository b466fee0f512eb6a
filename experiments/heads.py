"""Head counts, and heads cut away in three orders; in TensorFlow with one seed.

python -m experiments.heads --seeds 0 1 2
"""

import numpy as np

import experiments
from attn_course import pytorch as attn_torch, tf as attn_tf
from attn_course.core.frameworks import tf, torch
from attn_course.core.parity import get_parameters
from attn_course.course.labs import heads as shared
from attn_course.course.labs.heads import pytorch as lab_torch, tf as lab_tf
from attn_course.tasks.dates import load_dates, source_vocabulary
from attn_course.tasks.text import PAD, batches

LAYERS, HEADS = shared.LAYERS, shared.HEADS
COUNTS = (1, 2, 4, 8, 16, 32)
FEW = (1, 2, 4, 32)  # in TensorFlow
EXAMPLES = 1000


def lab(framework, seed):
    """The models, the library and its arrays of ones, after a draw's beginning."""
    experiments.draw_from(seed)
    if framework == "pytorch":
        return lab_torch, attn_torch, torch.ones
    return lab_tf, attn_tf, tf.ones


def head_count(framework, num_heads, seed):
    """A look-up model with so many heads, at the same number of parameters."""
    models, *_ = lab(framework, seed)
    model = models.LookUpModel(num_heads)
    right = models.train_look_up(model, steps=shared.LOOK_UP_STEPS, seed=seed)
    parameters = sum(x.size for x in get_parameters(model.attention).values())
    row = {"framework": framework, "heads": num_heads, "parameters": parameters}
    row |= {"steps": shared.LOOK_UP_STEPS, "seed": seed}
    return row | {"exact": round(right[-1], 4)}


def cut_away(framework, seed):
    """The loss of a date model without some of its heads, in three orders."""
    models, library, ones = lab(framework, seed)
    model = models.DateModel(len(source_vocabulary()))
    train, dev = (load_dates(split).encode() for split in ("train", "dev"))
    models.train(
        model, batches(train, shared.DATE_BATCH, seed), steps=shared.DATE_STEPS
    )
    asked, dev = _given(train), _given(dev)
    tensor = torch.from_numpy if framework == "pytorch" else tf.constant

    def losses(given, masks):
        return models.losses(model, *map(tensor, given), masks)

    def loss(heads):
        """The mean loss a hidden character with these heads masked."""
        kept = np.ones(LAYERS * HEADS, np.float32)
        kept[list(heads)] = 0.0
        with torch.no_grad():
            found = losses(dev, tuple(tensor(kept.reshape(LAYERS, HEADS))))
        return float(np.asarray(found).sum() / (dev[-1] != PAD).sum())

    importance = library.head_importance(
        lambda masks: losses(asked, masks),
        tuple(ones((EXAMPLES, HEADS)) for _ in range(LAYERS)),
    )
    whole = round(loss([]), 4)
    order = np.concatenate([np.asarray(each) for each in importance])
    rows = shared.cut_in_three_orders(order, loss, np.random.default_rng(seed))
    named = {"framework": framework, "seed": seed}
    rows = [named | {"whole": whole, **row} for row in rows]
    single = [loss([head]) - whole for head in range(LAYERS * HEADS)]
    return rows, named | {"alone": [round(x, 4) for x in single]}


def _given(examples):
    """Rows of dates with the same characters hidden each time."""
    source, mask = examples.source[:EXAMPLES], examples.source_mask[:EXAMPLES]
    tokens, missing = shared.hide(source, mask, np.random.default_rng(0))
    return tokens, mask, missing


if __name__ == "__main__":
    experiments.on_one_thread()
    with experiments.resuming("heads") as done:
        seeds = experiments.chosen_seeds()
        runs = [] if experiments.adds() else [("pytorch", seed) for seed in seeds]
        runs += [("tf", seeds[0])]
        counts, cut, alone = [], [], []
        for framework, seed in runs:
            own = COUNTS if framework == "pytorch" else FEW
            given = [(framework, heads, seed) for heads in own]
            counts += [done.rows(head_count, *each) for each in given]
            rows, single = done.rows(cut_away, framework, seed)
            print(*counts[-len(own) :], *rows, single, sep="\n", flush=True)
            cut += rows
            alone.append(single)
        if experiments.adds():
            experiments.add("heads", {"rows": counts, "cut": cut, "alone": alone})
        else:
            experiments.store("heads", counts, seeds, cut=cut, alone=alone)
