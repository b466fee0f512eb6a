"""Figures of requests that share one model, and its memory, step by step."""

from types import SimpleNamespace

import numpy as np

from attn_course.course.plots.explore.pictures import (
    ACCENT,
    BLUE,
    COLORS,
    frame,
    svg,
    text,
)
from attn_course.course.plots.explore.widget import Widget, integer
from attn_course.models.serving.shared import Scheduler

WAITS, READS, WRITES, IDLE = range(4)
BACK = IDLE  # of a pool's figure: sent back
BUDGETS = (4, 6, 8, 12, 16, 24, None)
SIZE = 14  # of a square; of many steps each is narrower


def timeline(requests, *, at_once, budget=None, continuous=True):
    """What every request does in every step, and how many tokens a step has.

    In a step each request that has a place reads what it has not read of its prompt, or
    the token that it wrote last; its next token comes with the last one that it reads.
    All together read at most ``budget`` tokens, first come, first served. A place is
    free when its request has its answer (continuous), or when all of the batch have.

    Shapes:
        requests: pairs (tokens of the prompt, tokens of the answer). Returns the states
        (requests, steps), which are WAITS, READS, WRITES or IDLE, and tokens (steps).
    """
    unread, unwritten = (list(column) for column in zip(*requests, strict=True))
    reads = [True] * len(requests)
    waiting, places, states, tokens = list(range(len(requests))), [], [], []
    room = budget or sum(map(sum, requests))
    while waiting or places:
        if continuous or not places:
            free = at_once - len(places)
            places, waiting = places + waiting[:free], waiting[free:]
        now, left = [WAITS] * len(requests), room
        for request in places:
            count = min(unread[request], left) if unwritten[request] else 0
            left -= count
            unread[request] -= count
            now[request] = (READS if reads[request] else WRITES) if count else IDLE
            if count and not unread[request]:
                unwritten[request] -= 1
                reads[request], unread[request] = False, 1
        states.append(now)
        tokens.append(room - left)
        if continuous:
            places = [request for request in places if unwritten[request]]
        elif not any(unwritten[request] for request in places):
            places = []
    return np.array(states).T, np.array(tokens)


def explore_server(
    requests,
    *,
    alt,
    at_once=4,
    budget=None,
    continuous=False,
    label="Requests that share a model",
):
    """Choose how a server deals out its steps: who reads, writes, waits, or idles.

    Shapes:
        requests: 2 to 12 pairs of 1 to 99 tokens: of the prompt, of the answer.

    Raises:
        ValueError: an argument is not as above.
    """
    requests = [
        tuple(integer("requests", size, 1, 99) for size in pair) for pair in requests
    ]
    integer("number of requests", len(requests), 2, 12)
    if budget not in BUDGETS:
        raise ValueError(f"budget must be one of {BUDGETS}, got {budget!r}")
    data = {
        "kind": "server",
        "label": label,
        "requests": requests,
        "places": integer("at_once", at_once, 1, len(requests)),
        "budget": budget or 0,
        "continuous": bool(continuous),
    }
    states, _ = timeline(
        requests, at_once=at_once, budget=budget, continuous=continuous
    )
    colors = {READS: ACCENT, WRITES: BLUE, IDLE: None}
    names = [f"{row + 1}" for row in range(len(requests))]
    return Widget(data, drawn("request ↓  step →", names, states, colors), alt)


def drawn(heading, names, states, colors):
    """The picture: a row for each name, a column for each step, pale grey for None."""
    rows, steps = states.shape
    size = min(SIZE, 320 / steps)
    bar, paths = f"{0.9 * size:.1f}", []
    for state, color in colors.items():
        line = "".join(
            f"M{size * step:.1f} {SIZE * row + 1}h{bar}v{SIZE - 2}h-{bar}z"
            for row, step in np.argwhere(states == state)
        )
        fill = f"fill='{color}'" if color else "opacity='0.4'"
        paths.append(f"<path d='{line}' {fill}/>")
    high, wide = SIZE * rows, round(size * steps)
    left = 12 + 8 * max(map(len, names)) + 4
    body = [text(0, 14, heading), frame(left, 24, wide, high, "".join(paths))]
    for row, name in enumerate(names):
        body.append(text(left - 6, 24 + SIZE * row + 12, name, anchor="end"))
    return svg(max(left + wide, 8 * len(heading)) + 6, 30 + high, body)


class Schedule(Scheduler):
    """The engine's schedule, without a model: whoever writes writes token 0."""

    def read(self, batch):
        """No logit is larger than the first."""
        return np.zeros((len(batch.last), self.model.config["vocab_size"]))

    def schedule(self):
        """Logs whose each block is: numbers of requests, none if its name keeps it."""
        spans = super().schedule()
        self.log[-1]["pool"] = [
            [r.number for r in self.running if n in r.table] if held else None
            for n, held in enumerate(self.blocks.holders)
        ]
        return spans


def pool_of(requests, *, blocks, block_size, at_once, budget):
    """What the engine's schedule does with requests (prompt, tokens of the answer).

    Shapes:
        returns: the states (requests, steps), which are WAITS, READS, WRITES or BACK,
        and of every step whose each block is: a list of requests, empty where it is
        only known by its name, None where it is free.
    """
    named = {"vocab_size": 1 + max(token for prompt, _ in requests for token in prompt)}
    model = SimpleNamespace(new_cache=None, config=named)
    sizes = {"blocks": blocks, "block_size": block_size, "max_requests": at_once}
    engine = Schedule(model, **sizes, token_budget=budget)
    for prompt, count in requests:
        engine.add(prompt, max_tokens=count, temperature=0)
    engine.run()
    kinds = (("written", WRITES), ("read", READS), ("preempted", BACK))
    states = [
        [
            next((kind for at, kind in kinds if n in step[at]), WAITS)
            for step in engine.log
        ]
        for n in range(len(requests))
    ]
    return np.array(states), [step["pool"] for step in engine.log]


def explore_blocks(
    requests,
    *,
    alt,
    blocks,
    block_size=4,
    at_once=3,
    budget=8,
    start=0,
    label="The blocks of a pool",
):
    """Step through what the engine does with a pool: whose each block is.

    Shapes:
        requests: 2 to 5 pairs: tokens of the prompt, how many the answer has.

    Raises:
        ValueError: an argument is not as above, or the engine refuses a request.
    """
    integer("number of requests", len(requests), 2, len(COLORS))
    sizes = {"blocks": blocks, "block_size": block_size, "at_once": at_once}
    states, pool = pool_of(requests, **sizes, budget=budget)
    integer("start", start, 0, len(pool) - 1)
    data = {"kind": "blocks", "label": label, "start": start}
    data |= {"states": states.tolist(), "pool": pool}
    first = [[-2 if x is None else (x or [-1])[0] for x in step] for step in pool]
    rows = np.concatenate([np.full_like(states, -2), np.transpose(first)])
    for n, row in enumerate(states):
        rows[n, (row == READS) | (row == WRITES)] = n
    names = [f"request {n + 1}" for n in range(len(states))]
    names += [f"block {n + 1}" for n in range(len(pool[0]))]
    colors = dict(enumerate(COLORS)) | {-1: None}
    return Widget(data, drawn("step →", names, rows, colors), alt)
