"""Dates with every attention of Luong, beside Bahdanau's and none: one size.

python -m experiments.luong --seeds 0 1 2
"""

from functools import partial
from itertools import product

from attn_course.course.labs import dates, seq2seq
from attn_course.tasks.text import batches
from experiments.bench import Row, compare
from experiments.seq2seq import run_and_store

STEPS = 480
HALF_WIDTH = 5
LUONG = ("dot", "general", "concat", "location", "local-m", "local-p")


def task():
    """The dates of chapter 2, also counted apart by where the year stands."""
    whole = dates.task()
    pairs = zip(whole.test.sources, whole.test.targets, strict=True)
    first = [source[:4] == target[:4] for source, target in pairs]
    groups = {"year_first": first, "year_later": [not here for here in first]}
    return whole._replace(name="luong", groups=groups)


def build(names, task, *, attention, input_feeding=True):
    """An encoder-decoder with one of ``LUONG``, with "bahdanau" or with "none".

    The encoder's states are as wide as the decoder's, for the dot product's sake.
    """
    luong = partial(_attention, names, task, attention)
    kind = {"none": None, "bahdanau": "bahdanau"}.get(attention, luong)
    options = {"halved": True, "input_feeding": input_feeding}
    return seq2seq.build(names, task, attention=kind, **options)


def _attention(names, task, attention):
    width = task.hidden_dim
    if attention.startswith("local"):
        kind = {"local-m": "monotonic", "local-p": "predictive"}[attention]
        options = {"half_width": HALF_WIDTH, "alignment": kind}
        return names.LocalAttention(width, width, score="general", **options)
    longest = task.edges[-1]
    options = {"score": attention, "hidden_dim": width, "max_length": longest}
    return names.LuongAttention(width, width, **options)


def seconds_per_step():
    """Time of a training step of Luong's decoder through Bahdanau's: paired rounds."""
    from attn_course import pytorch as names

    small = task()
    batch = next(batches(small.train.encode(), small.batch_size, 0))
    peer = _step(build(names, small, attention="bahdanau"), batch)
    rows = []
    for feeding in (True, False):
        model = build(names, small, attention="general", input_feeding=feeding)
        ours = _step(model, batch)
        name = f"general, {'with' if feeding else 'without'} input feeding"
        row = Row(name, "bahdanau", lambda _, ours=ours: (ours, peer))
        found = compare(row)
        rows.append({"input_feeding": feeding, "ratio": round(found.ratio, 3)})
        rows[-1] |= {"low": round(found.low, 3), "high": round(found.high, 3)}
    return rows


def _step(model, batch):
    from attn_course.core.frameworks import torch
    from attn_course.course.training.pytorch import token_loss

    tensors = [torch.from_numpy(array) for array in batch]
    optimizer = torch.optim.Adam(model.parameters())

    def step():
        optimizer.zero_grad()
        token_loss(model, *tensors).backward()
        optimizer.step()

    return step


def main():
    settings = [{"attention": "none"}, {"attention": "bahdanau"}]
    settings += [
        {"attention": attention, "input_feeding": feeding}
        for attention, feeding in product(LUONG, (True, False))
    ]
    plan = [("pytorch", setting, STEPS) for setting in settings]
    alone = [each for each in settings if not each.get("input_feeding")]
    beside = [("tf", setting, STEPS) for setting in alone]
    run_and_store(task(), plan, beside, build=build, seconds_per_step=seconds_per_step)


if __name__ == "__main__":
    main()
