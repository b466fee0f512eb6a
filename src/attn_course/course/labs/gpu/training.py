"""The trainings of the demos, in either framework: rows of a record."""

import time
from itertools import product

from attn_course.course.labs import dates as dates_lab, seq2seq
from attn_course.course.labs.positions import rate_at
from attn_course.course.labs.translate import Setting, load_data
from attn_course.course.labs.uptrain import batches, windows
from attn_course.tasks.topics import load_topics


def dates(plan, framework, build=seq2seq.build):
    """Chapter 2: every model with its exact match on the test, by length."""
    task, sizes = dates_lab.task(), dict(plan.sizes)
    steps, rows = sizes.pop("steps"), sizes.pop("rows", None)
    if rows is not None:
        edges = task.edges[0], task.edges[-1]  # so few that a bucket would be empty
        test = task.test.take(range(rows))
        task = task._replace(test=test, edges=edges, shown=())
    task = task._replace(**sizes)
    for way in plan.ways:
        begin = time.monotonic()
        setting = {"attention": way == "attention"}
        options = {"seed": 0, "steps": steps, "build": build}
        row = seq2seq.run(task, framework, setting, **options)
        yield {"way": way, **row, "seconds": round(time.monotonic() - begin, 1)}


def translate(plan, lab):
    """Chapter 9: every model with its loss on dev while it learns."""
    steps = plan.sizes["steps"]
    options = {"every": max(1, steps // 10), "warm_up_steps": max(1, steps // 8)}
    settings = [Setting(way, **options, **plan.sizes) for way in plan.ways]
    data = load_data(settings[0])  # the same for all
    for way, setting in zip(plan.ways, settings, strict=True):
        _, log = lab.run(setting, data)
        row = {"way": way, "steps": steps, "dev": log["dev"]}
        yield {**row, "seconds": log["seconds"]}


def language(plan, loss, loop, build, number):
    """Chapter 13: models of bytes with fewer heads of key and value, and their loss.

    build: of a seed and the sizes, gives a model on the device. number: of a model and
    windows of NumPy, gives the loss as a number.
    """
    sizes = plan.sizes
    D, heads = sizes["model_dim"], max(4, sizes["model_dim"] // 64)
    text, tested = load_topics("train"), load_topics("test")
    kv_heads = {"MHA": heads, "GQA": heads // 4, "MQA": 1}
    for way, seed in product(plan.ways, sizes["seeds"]):
        begin = time.monotonic()
        model = build(seed, 256, D, heads, kv_heads[way], 4 * D, sizes["num_layers"])
        data = batches(text, seed=seed, length=sizes["length"], count=sizes["batch"])
        options = {"rate": 1e-3, "clip": 1.0, "schedule": rate_at}
        options["every"] = max(1, sizes["steps"] // 5)
        log = loop.train(model, data, loss, steps=sizes["steps"], **options)
        held_out = number(model, *windows(tested, sizes["length"], sizes["batch"]))
        row = {"way": way, "seed": seed, "kv_heads": kv_heads[way]}
        row |= {"steps": sizes["steps"]}
        row |= {"loss": [[line.step, round(line.loss, 3)] for line in log]}
        row |= {"test_loss": round(held_out, 3)}
        yield {**row, "seconds": round(time.monotonic() - begin, 1)}
