"""A byte language model, trained on short windows and tested on longer ones.

``positions.pytorch`` and ``positions.tf`` have the model. It is tested in two ways, on
the same bytes: in windows that stand apart, where the first bytes of each have next to
no past, and in windows that slide, where a byte is guessed from all bytes of its window
or up to 31 fewer. The model without positions also gets its past in order and shuffled.
In TensorFlow two kinds, with one seed.

python -m experiments.length --seeds 0 1 2
"""

import numpy as np

from attn_course.course.labs import longer, patterns
from attn_course.course.labs.positions import POSITIONS, pytorch, tf
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan

LENGTH = 64
LENGTHS = (64, 128, 256, 512)
SIZES = longer.SIZES | {"symbols": 256}
BATCH, RATE, STEPS = 32, 3e-3, 1500
SLIDE = 32  # a sliding window moves by so many bytes, and is scored on these alone
TESTED = 12_288  # bytes that are predicted, the same ones in every test
ASKED = ("apart", "sliding")
PASTS = ("ordered", "shuffled")  # of the same bytes, the past as it is or mixed up


def batches(text, *, seed):
    """Endless windows (B, LENGTH) drawn from the text, and the bytes that follow."""
    rng = np.random.default_rng(seed)
    while True:
        starts = rng.integers(len(text) - LENGTH, size=(BATCH, 1))
        window = text[starts + np.arange(LENGTH + 1)]
        yield window[:, :-1], window[:, 1:]


def windows(text, length, kind):
    """Windows (n, length), the bytes that follow, and how many at the end count.

    "shuffled": all bytes of a window but the last change places.
    """
    counted = {"apart": length, "sliding": SLIDE}.get(kind, 1)
    first = max(LENGTHS)  # so that the longest window has its past
    ends = first + np.arange(counted, TESTED + 1, counted)
    rows = ends[:, None] + np.arange(-length, 0)
    inputs = text[rows]
    if kind == "shuffled":
        mixed = np.random.default_rng(0).permuted(inputs[:, :-1], axis=1)
        inputs = np.concatenate([mixed, inputs[:, -1:]], axis=1)
    return inputs, text[rows + 1], counted


def evaluate(score, model, text, length, kind):
    """Mean bits of a byte, and the share of bytes that are guessed right.

    score: of ``positions.pytorch`` or ``positions.tf``.
    """
    return patterns.evaluate(score, model, *windows(text, length, kind))


def run(framework, positions, seed, **kind):
    """Train one model and test it at every length; returns the rows of a record."""
    draw_from(seed)
    lab = pytorch if framework == "pytorch" else tf
    model = lab.TokenModel(
        **SIZES, positions=positions, max_length=LENGTH, causal=True, **kind
    )
    lab.train(model, batches(load_topics("train"), seed=seed), steps=STEPS, rate=RATE)
    rows, text = [], load_topics("test")
    for asked in (*ASKED, *(PASTS if positions == "none" else ())):
        # Nothing was learned for later positions: LearnedEncoding refuses them.
        short = positions == "learned" or asked in PASTS
        for length in LENGTHS[:1] if short else LENGTHS:
            bits, exact = evaluate(lab.score, model, text, length, asked)
            row = {"framework": framework, "positions": positions, **kind}
            row |= {"windows": asked, "length": length, "seed": seed, "steps": STEPS}
            row |= {"batch": BATCH, "bits": round(bits, 4), "exact": round(exact, 4)}
            rows.append(row)
    return rows


if __name__ == "__main__":
    plan = [("pytorch", positions) for positions in POSITIONS]
    beside = [("tf", "rotary"), ("tf", "alibi")]
    run_plan("length", plan, run, beside)
