"""Where chapter 2's decoder looks while it writes a date: the figure at its head.

python -m experiments.look_back

The decoder with attention is trained as in ``experiments.dates`` (240 steps, seed 0).
``rows``, one for each of the first DATES of ``labs.dates.long_dates``: ``read``,
``right``, ``wrote``, ``scores`` (a row per written character, a number per character
that is read), and of every state and annotation the first UNITS numbers, ``queries``
and ``memory``.
"""

import torch

from attn_course import pytorch as names
from attn_course.course.labs.dates import STEPS, task
from attn_course.course.labs.seq2seq import TRAINING, build
from attn_course.course.training import pytorch as loop
from attn_course.tasks.text import batches
from experiments import run_plan

DATES, UNITS, DIGITS = 3, 8, 3


@torch.no_grad()
def steps(model, own, place):
    """Scores, queries and memory of one test date, fed with what is right."""
    data = own.test.take([place]).encode()
    tokens, mask, fed, _ = map(torch.from_numpy, data)
    decoder, attention = model.decoder, model.decoder.attention
    memory, last = model.encoder(tokens, mask)
    state, keys = decoder.start(last), attention.prepare(memory)
    scores, queries = [], []
    for token in fed[0, : len(own.test.targets[place])]:
        hidden = torch.tanh(attention.query(state)[:, None] + keys)
        scores.append((hidden @ attention.score_weight)[0])
        queries.append(state[0, :UNITS])
        _, state, _ = decoder.step(token[None], state, memory, mask)
    found = {"scores": scores, "queries": queries, "memory": memory[0, :, :UNITS]}
    return {name: _short(rows) for name, rows in found.items()}


def _short(rows):
    return [[round(x, DIGITS) for x in row.tolist()] for row in rows]


def rows(seed):
    """Train once; some long dates, step by step."""
    torch.manual_seed(seed)
    own = task()
    model = build(names, own, attention=True)
    data = batches(own.train.encode(), own.batch_size, seed)
    loop.train(model, data, loop.token_loss, steps=STEPS, **TRAINING)
    places = own.shown[:DATES]
    some = own.test.take(places)
    tokens, _ = loop.predict(model, some.encode(), max_length=11)
    wrote = own.target_vocabulary.decode(tokens)
    return [
        {
            "framework": "pytorch",
            "steps": STEPS,
            "language": own.test.locales[place],
            "read": own.test.sources[place],
            "right": own.test.targets[place],
            "wrote": text,
            **steps(model, own, place),
        }
        for place, text in zip(places, wrote, strict=True)
    ]


if __name__ == "__main__":
    run_plan("look_back", [()], rows)
