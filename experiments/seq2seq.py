"""What the experiments with recurrent encoder-decoders share."""

from attn_course.course.labs.seq2seq import build, run
from experiments import run_plan


def run_and_store(task, plan, beside=(), *, build=build, schedule=None, **more):
    """Run the plan for every seed of the command line, and store the record.

    ``plan`` and ``beside`` are lists of ``(framework, setting, steps)``; ``build`` and
    ``schedule`` are those of ``labs.seq2seq.run``; ``more`` holds functions of no
    arguments whose results the record keeps too.
    """

    def rows(framework, setting, steps, seed):
        options = {"build": build, "schedule": schedule}
        return [run(task, framework, setting, seed=seed, steps=steps, **options)]

    run_plan(task.name, plan, rows, beside, **more)
