"""The trainings of the demos, in either framework: rows of a record."""

import time
from functools import partial
from importlib.util import find_spec

import numpy as np

from attn_course.course.labs import dates as dates_lab, seq2seq
from attn_course.course.labs.translate import Setting, load_data
from attn_course.course.labs.translate.score import bleu, translations


def dates(plan, framework, build=seq2seq.build):
    """Chapter 2: every model with its exact match on the test, by length."""
    task, sizes = dates_lab.task(), dict(plan.sizes)
    steps, rows = sizes.pop("steps"), sizes.pop("rows", None)
    if rows is not None:
        edges = task.edges[0], task.edges[-1]  # so few that a bucket would be empty
        train, test = (shortest(x, rows) for x in (task.train, task.test))
        task = task._replace(train=train, test=test, edges=edges, shown=())
    task = task._replace(**sizes)
    for way in plan.ways:
        begin = time.monotonic()
        setting = {"attention": way == "attention"}
        options = {"seed": 0, "steps": steps, "build": build}
        row = seq2seq.run(task, framework, setting, **options)
        yield {"way": way, **row, "seconds": round(time.monotonic() - begin, 1)}


def shortest(examples, count):
    """Those with the shortest sources: a recurrent layer reads them one by one."""
    return examples.take(
        np.argsort([*map(len, examples.sources)], kind="stable")[:count]
    )


def translate(plan, lab):
    """Chapter 9: every model, its loss on dev while it learns, its BLEU on the test."""
    steps = plan.sizes["steps"]
    options = {"every": max(1, steps // 10), "warm_up_steps": max(1, steps // 8)}
    settings = [Setting(way, **options, **plan.sizes) for way in plan.ways]
    data = load_data(settings[0])  # the same for all
    for way, setting in zip(plan.ways, settings, strict=True):
        model, log = lab.run(setting, data)
        row = {"way": way, "steps": steps, "dev": log["dev"]}
        if setting.test_rows and find_spec("sacrebleu"):
            verses, wrote = translations(partial(lab.translate, model), "test", setting)
            row |= {"verses": len(wrote), "bleu": bleu(wrote, verses.targets)}
        yield {**row, "seconds": log["seconds"]}
