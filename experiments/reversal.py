"""Writing a string backwards, with and without attention: only the length changes.

The model without attention gets three times as many steps, so that it is trained and
not merely behind. The rate of both falls to 0: no last step is a bad one.

python -m experiments.reversal --seeds 0 1 2
"""

from attn_course.course.labs.seq2seq import Task
from attn_course.course.training import falling
from experiments.seq2seq import run_and_store
from experiments.tasks.reversal import EDGES, evaluation_set, training_set, vocabulary

STEPS = {False: 3000, True: 1000}


def task():
    """Strings of 4 to 20 of 14 symbols for training; up to 30 in the test."""
    return Task(
        name="reversal",
        train=training_set(40_000),
        test=evaluation_set(500),
        source_vocabulary=vocabulary(),
        target_vocabulary=vocabulary(),
        edges=EDGES,
        embedding_dim=32,
        hidden_dim=96,
        batch_size=64,
    )


if __name__ == "__main__":
    plan = [("pytorch", {"attention": kind}, STEPS[kind]) for kind in (False, True)]
    run_and_store(task(), plan, schedule=falling)
