"""Numbers read out, forward and backward: does a window help where order never jumps?

Models of one size that differ in their attention alone, trained on 4 to 20 words and
tested on numbers up to three times as long; a row per run.

python -m experiments.number_words --seeds 0 1 2
"""

import numpy as np

from attn_course.course.labs.seq2seq import encoder_decoder, started
from attn_course.course.training import ramped
from attn_course.tasks.metrics import exact_match
from attn_course.tasks.number_words import PI, NumberWords, number_words, vocabulary
from attn_course.tasks.text import batches
from experiments import run_plan

STEPS, RATE, CLIP, BATCH, WIDTH = 600, 3e-3, 1.0, 64, 64
LENGTHS = (10, 20, 30, 40, 60)
# The attention, the half width of its window, and whether the order is reversed.
KINDS = [("general", None, False), ("general", None, True), ("local-m", 2, True)]
KINDS += [("local-m", half_width, False) for half_width in (1, 2, 5)]
PLAN = [("pytorch", *kind) for kind in KINDS]
BESIDE = [("tf", *kind) for kind in KINDS if not kind[-1]]


def build(names, attention, half_width):
    """The model of chapter 3, without input feeding."""
    if attention == "local-m":
        options = {"half_width": half_width, "alignment": "monotonic"}
        layer = names.LocalAttention(WIDTH, WIDTH, score="general", **options)
    else:
        layer = names.LuongAttention(WIDTH, WIDTH, score=attention)
    sizes, dims = 2 * [len(vocabulary())], 3 * [WIDTH]
    options = {"attention": lambda: layer, "input_feeding": False}
    return encoder_decoder(names, sizes, dims, **options)


def falling(step, steps, rate):
    """The rate of a step: constant in the first half, then falling to zero."""
    return ramped(step, steps, rate, 1, steps / 2)


def run(framework, attention, half_width, backward, seed):
    """Train one model; the share of numbers, and of digits, that it writes right."""
    names, loop = started(framework, seed)
    model = build(names, attention, half_width)
    stream = batches(number_words(20_000, backward=backward).encode(), BATCH, seed)
    options = {"rate": RATE, "clip": CLIP, "schedule": falling, "every": 100}
    log = loop.train(model, stream, loop.token_loss, steps=STEPS, **options)
    row = {"framework": framework, "attention": attention, "backward": backward}
    row |= {"seed": seed, "steps": STEPS, "half_width": half_width}
    row["loss"] = [round(line.loss, 4) for line in log]
    row["per_length"] = [_tested(loop, model, backward, size) for size in LENGTHS]
    number = NumberWords([PI], [PI[::-1] if backward else PI])
    row["pi"] = _written(loop, model, number)[0]
    return [row]


def _tested(loop, model, backward, size):
    """(length, count, share of numbers and of digits at their place that are right)."""
    options = {"least": size, "most": size, "backward": backward, "seed": 1000 + size}
    test = number_words(200, **options)
    written = _written(loop, model, test)
    pairs = zip(written, test.targets, strict=True)
    right = [[a == b for a, b in zip(x.ljust(size), y, strict=False)] for x, y in pairs]
    shares = exact_match(written, test.targets), float(np.mean(right))
    return (size, len(written), *(round(share, 4) for share in shares))


def _written(loop, model, numbers):
    most = max(map(len, numbers.targets)) + 5
    tokens, _ = loop.predict(model, numbers.encode(), max_length=most)
    return vocabulary().decode(tokens)


if __name__ == "__main__":
    run_plan("number_words", PLAN, run, BESIDE)
