"""The rule of chapter 7, "repeat the character to the left", under every encoding.

The model, data and tests of the chapter: one layer, one head, 400 steps on 32
characters, tested on up to 128. RoPE four times as long too, and with a causal mask, as
ALiBi, which without one can't tell left from right.

python -m experiments.rule --seeds 0 1 2 3 4
"""

import numpy as np

from attn_course.course.labs.positions import pytorch, tf
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan

LENGTH, LENGTHS, BATCH, RATE = 32, (32, 48, 64, 96, 128), 32, 1e-2
SIZES = {"symbols": 256, "width": 32, "heads": 1, "layers": 1}
STEPS = 400
KINDS = [
    (kind, False, STEPS) for kind in ("rotary", "shaw", "t5", "sinusoidal", "alibi")
]
KINDS += [("rotary", True, STEPS), ("alibi", True, STEPS), ("rotary", False, 4 * STEPS)]


def batches(text, length, seed, count):
    """Endless letters (count, length), and at each place the letter to its left."""
    rng = np.random.default_rng(seed)
    while True:
        places = rng.integers(len(text) - length, size=(count, 1))
        letters = text[places + np.arange(length)]
        yield letters, np.concatenate([letters[:, :1], letters[:, :-1]], axis=1)


def run(framework, positions, causal, steps, seed):
    """Train one model and test it at every length; returns the rows of the record."""
    draw_from(seed)
    lab = pytorch if framework == "pytorch" else tf
    kind = {"positions": positions, "causal": causal}
    model = lab.TokenModel(**SIZES, **kind, max_length=LENGTH)
    data = batches(load_topics("train"), LENGTH, seed, BATCH)
    log = lab.train(model, data, steps=steps, rate=RATE)
    rows, loss = [], [round(line.loss, 4) for line in log[-3:]]
    for length in LENGTHS:
        letters, wanted = next(batches(load_topics("test"), length, 5, 200))
        _, right = lab.score(model, letters, wanted)
        row = {"framework": framework, **kind, "length": length, "seed": seed}
        row |= {"steps": steps, "right": round(float(right[:, 1:].mean()), 4)}
        rows.append(row | {"loss": loss})
    return rows


if __name__ == "__main__":
    plan, beside = ([(x, *kind) for kind in KINDS] for x in ("pytorch", "tf"))
    run_plan("rule", plan, run, beside)
