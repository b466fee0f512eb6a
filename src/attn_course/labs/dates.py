"""Dates with and without attention: same data, sizes and steps, in both frameworks.

python -m attn_course.labs.dates --seeds 0 1 2
"""

from itertools import product

from attn_course.labs.seq2seq import Task, run_and_store
from attn_course.tasks.dates import load_dates, source_vocabulary, target_vocabulary

STEPS = 240


def task():
    """The dates with the sizes of chapters 1 and 2."""
    return Task(
        name="dates",
        train=load_dates("train"),
        test=load_dates("test"),
        source_vocabulary=source_vocabulary(),
        target_vocabulary=target_vocabulary(),
        edges=(1, 10, 20, 30, 49),
        embedding_dim=64,
        hidden_dim=128,
        batch_size=128,
    )


if __name__ == "__main__":
    kinds = product(("pytorch", "tf"), (False, True))
    plan = [(face, {"attention": attention}, STEPS) for face, attention in kinds]
    run_and_store(task(), plan)
