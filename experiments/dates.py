"""Dates with and without attention: same data, sizes and steps, in both frameworks.

python -m experiments.dates --seeds 0 1 2
"""

from itertools import product

from attn_course.course.labs.dates import STEPS, task
from experiments.seq2seq import run_and_store

if __name__ == "__main__":
    kinds = product(("pytorch", "tf"), (False, True))
    plan = [(face, {"attention": attention}, STEPS) for face, attention in kinds]
    run_and_store(task(), plan)
