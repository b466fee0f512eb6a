"""What an engine saves, and what a token budget costs: in one thread's time.

Load: short prompts from the book, most answers short and one in five long, with or
without one beginning that all share. "static" is ``generate`` in batches that are
padded on the left, each until its longest answer is written; "continuous" an
``Engine`` without prefix cache, "prefixes" with it. All texts are greedy; "differ"
counts those that are not static's (in float32 a batch of another size rounds another
way). Budget: seven requests write, and a prompt of 600 tokens comes. Arrivals: the same
requests come one by one, at random, so many a second that they ask for ``share`` of
``capacity``, requests a second that the engine serves if all wait from the beginning,
until the last is done. Three rounds, each with its own capacity and then every share,
so that a thread that is slower for a while is so for all; a row is the middle of them.
The clock is the thread's, and stands still for nobody but a server without requests.

python -m experiments.serving --seeds 0 1 2
"""

import itertools
import time

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.generate.pytorch import load_glassllm
from attn_course.pytorch import Engine, generate
from attn_course.tasks.glassllm import load_book, load_tokenizer
from experiments import run_plan

REQUESTS, SIZES = 96, {"blocks": 400, "block_size": 16}
ROUNDS, SHARES = 3, (0.2, 0.4, 0.6, 0.8, 1.0)


def load(shared, seed):
    """Pairs (prompt, how many tokens to write)."""
    book = load_tokenizer().encode(load_book()).tolist()
    rng = np.random.default_rng(seed)
    asked = []
    for _ in range(REQUESTS):
        start, own = rng.integers(2000, 40000), rng.integers(8, 121)
        long = rng.random() < 0.2
        write = rng.integers(96, 193) if long else rng.integers(4, 33)
        asked.append((book[:shared] + book[start : start + own], int(write)))
    return asked


def batch(model, part):
    """Tokens (B) of every step of a batch, padded on the left, to its longest text."""
    T, longest = max(len(x) for x, _ in part), max(write for _, write in part)
    rows, mask = np.zeros((len(part), T), np.int64), np.zeros((len(part), T), bool)
    for n, (prompt, _) in enumerate(part):
        rows[n, T - len(prompt) :], mask[n, T - len(prompt) :] = prompt, True
    given = torch.from_numpy(rows), torch.from_numpy(mask)
    how = {"max_tokens": longest, "temperature": 0.0}
    return generate(model, given[0], mask=given[1], **how)


def static(model, asked, at_once):
    """The texts, and how many steps they took."""
    texts, steps = [], 0
    for start in range(0, len(asked), at_once):
        part = asked[start : start + at_once]
        tokens = torch.stack([*batch(model, part)], 1)
        steps += tokens.shape[1]
        found = zip(tokens, part, strict=True)
        texts += [row[:write].tolist() for row, (_, write) in found]
    return texts, {"steps": steps}


def served_by(model, at_once, prefixes):
    """An engine, and a function that adds a request to it."""
    limits = {"max_requests": at_once, "prefix_cache": prefixes}
    engine = Engine(model, **SIZES, **limits)
    return engine, lambda x, write: engine.add(x, max_tokens=write, temperature=0.0)


def continuous(model, asked, at_once, prefixes):
    """The texts, and what the engine counted."""
    engine, add = served_by(model, at_once, prefixes)
    served = [add(*each) for each in asked]
    engine.run()
    counts = {name: engine.counts[name] for name in ("steps", "read", "hit")}
    return [request.written for request in served], counts


def throughput(model, shared, at_once, seed):
    """Rows: seconds for all requests, each way: the lesser of two runs."""
    asked, rows, texts = load(shared, seed), [], {}
    ways = {
        "static": lambda: static(model, asked, at_once),
        "continuous": lambda: continuous(model, asked, at_once, False),
        "prefixes": lambda: continuous(model, asked, at_once, True),
    }
    row = {"shared": shared, "at_once": at_once, "seed": seed, "requests": len(asked)}
    row["tokens"] = sum(write for _, write in asked)
    for name, way in ways.items():
        runs = [timed(way) for _ in range(2)]
        seconds, (texts[name], counts) = min(runs, key=lambda run: run[0])
        pairs = zip(texts[name], texts["static"], strict=True)
        counts["differ"] = sum(one != other for one, other in pairs)
        rows.append({"way": name, **row, **counts, "seconds": round(seconds, 3)})
    return rows


def prompt_of_600(model, budget, seed):
    """A row: milliseconds of the longest step, and until the long prompt's token."""
    book = load_tokenizer().encode(load_book()).tolist()
    limits = {"max_requests": 8, "token_budget": budget}
    engine, how = Engine(model, **SIZES, **limits), {"temperature": 0.0}
    start = 2000 + 1000 * seed
    for n in range(7):
        engine.add(book[start + 40 * n : start + 40 * n + 16], max_tokens=90, **how)
    while not all(request.written for request in engine.running) or engine.waiting:
        engine.step()
    late = engine.add(book[start + 300 : start + 900], max_tokens=1, **how)
    taken = []
    while not late.written:
        taken.append(1000 * timed(engine.step)[0])
    row = {"way": "budget", "budget": budget, "seed": seed, "steps": len(taken)}
    row["longest_milliseconds"] = round(max(taken), 2)
    return [{**row, "first_milliseconds": round(sum(taken), 2)}]


def timed(call):
    """Seconds of a call, and what it returned."""
    begin = time.thread_time()
    found = call()
    return time.thread_time() - begin, found


def engine_over_time(model, asked, arrive, at_once):
    """When each token of each request is written, by an engine."""
    engine, add = served_by(model, at_once, prefixes=False)
    now, served, times = 0.0, [], [[] for _ in asked]
    while len(served) < len(asked) or engine.running or engine.waiting:
        if not engine.running and not engine.waiting:
            now = max(now, arrive[len(served)])
        while len(served) < len(asked) and arrive[len(served)] <= now:
            served.append(add(*asked[len(served)]))
        now += timed(engine.step)[0]
        for request, each in zip(served, times, strict=False):
            each += [now] * (len(request.written) - len(each))
    return times


def static_over_time(model, asked, arrive, at_once):
    """The same, by batches of those that wait whenever the last batch has ended."""
    now, times = 0.0, []
    while len(times) < len(asked):
        start = len(times)
        now = max(now, arrive[start])
        end = min(np.searchsorted(arrive, now, side="right"), start + at_once)
        step = iter(batch(model, asked[start:end])).__next__
        times += [[] for _ in range(start, end)]
        for n in range(max(write for _, write in asked[start:end])):
            now += timed(step)[0]
            for number in range(start, end):
                times[number] += [now] if n < asked[number][1] else []
    return times


def arrivals(model, at_once, seed):
    """Rows: how long until the first token, and from one to the next, each way."""
    asked, found = load(0, seed), {}
    gaps = np.random.default_rng(seed).exponential(size=len(asked)).cumsum()
    gaps *= len(asked) / gaps[-1]  # so that every draw asks for its share
    ways = {"static": static_over_time, "continuous": engine_over_time}
    for _ in range(ROUNDS):
        seconds = timed(lambda: continuous(model, asked, at_once, False))[0]
        capacity = len(asked) / seconds
        for share, (name, way) in itertools.product(SHARES, ways.items()):
            arrive = gaps / capacity / share
            took = waited(way(model, asked, arrive, at_once), arrive)
            found.setdefault((name, share), []).append(took | {"capacity": capacity})
    rows = []
    for (name, share), rounds in found.items():
        row = {"way": name, "share": share, "at_once": at_once, "seed": seed}
        middle = {x: np.median([each[x] for each in rounds]) for x in rounds[0]}
        rows.append(row | {x: round(float(each), 1) for x, each in middle.items()})
    return rows


def waited(times, arrive):
    """Milliseconds until the first token, its middle and its 95 %, and between two."""
    first = [each[0] - x for each, x in zip(times, arrive, strict=True)]
    between = np.concatenate([np.diff(each) for each in times])
    found = {"first": np.median(first), "first_of_20": np.quantile(first, 0.95)}
    found |= {"between": between.mean()}
    return {f"{name}_milliseconds": 1000 * each for name, each in found.items()}


def run(what, of, at_once, seed):
    """Rows of the record."""
    model = load_glassllm()
    if what == "budget":
        return prompt_of_600(model, of, seed)
    if what == "arrivals":
        return arrivals(model, at_once, seed)
    return throughput(model, of, at_once, seed)


PLAN = [("load", 0, 8), ("load", 96, 8), ("load", 0, 16), ("load", 96, 16)]
PLAN += [("budget", budget, 8) for budget in (16, 64, None)]
PLAN += [("arrivals", None, 8)]

if __name__ == "__main__":
    run_plan("serving", PLAN, run)
