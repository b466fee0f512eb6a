"""Recall of growing numbers of pairs by softmax, linear attention and the delta rule.

One layer, one head, and a state of KEY_DIMS x VALUE_DIM numbers where there is a state.
A model is trained on all numbers of pairs in turn, and tested on each. Where all names
are written twice, the second value counts.

python -m experiments.associative --seeds 0 1 2
"""

from attn_course.course.training import ramped

MODEL_DIM, VALUE_DIM, BATCH, RATE, STEPS = 64, 32, 64, 5e-3, 1200
PAIRS, KEY_DIMS = (4, 8, 16, 32, 64), (16, 32)
# What remembers, written once and twice. "additive" is the delta rule without its
# correction: queries and keys of length 1, a learned strength, no normalizer.
STATES = ("elu", "additive", "delta", "gated delta")
MEMORIES = ("softmax", "softmax, ALiBi", *STATES)
AGAIN = 16  # the width of a key where names are written twice
TESTED, RECENT = 8, 8  # batches; names that were written last


def rate_at(step, steps, rate):
    """The learning rate of a step: it rises for a tenth of the steps, then falls."""
    return ramped(step, steps, rate, steps / 10, 0.5 * steps)
