"""A figure of requests that share one model, step by step."""

import numpy as np

from attn_course.course.plots.explore.pictures import ACCENT, BLUE, frame, svg, text
from attn_course.course.plots.explore.widget import Widget, integer

WAITS, READS, WRITES, IDLE = range(4)
BUDGETS = (4, 6, 8, 12, 16, 24, None)


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
    size, wide = 14, states.shape[1]
    colors = {READS: ACCENT, WRITES: BLUE, IDLE: "none"}
    paths = []
    for state, color in colors.items():
        places = np.argwhere(states == state)
        line = "".join(
            f"M{size * step + 1} {size * row + 1}h{size - 2}v{size - 2}h{2 - size}z"
            for row, step in places
        )
        edge = "currentColor" if state == IDLE else "none"
        paths.append(f"<path d='{line}' fill='{color}' stroke='{edge}'/>")
    high = size * len(requests)
    body = [
        text(0, 14, "request ↓  step →"),
        frame(24, 24, size * wide, high, "".join(paths)),
    ]
    for row in range(len(requests)):
        body.append(text(18, 24 + size * row + 12, f"{row + 1}", anchor="end"))
    return Widget(data, svg(30 + size * wide, 30 + high, body), alt)
