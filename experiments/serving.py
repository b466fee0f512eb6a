"""What an engine saves, and what a token budget costs: in one thread's time.

Load: short prompts from the book, most answers short and one in five long, with or
without one beginning that all share. "static" is ``generate`` in batches that are
padded on the left, each until its longest answer is written; "continuous" an
``Engine`` without prefix cache, "prefixes" with it. All texts are greedy; "differ"
counts those that are not static's (in float32 a batch of another size rounds another
way). Budget: seven requests write, and a prompt of 600 tokens comes.

python -m experiments.serving --seeds 0 1 2
"""

import time

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.generate.pytorch import load_glassllm
from attn_course.pytorch import Engine, generate
from attn_course.tasks.glassllm import load_book, load_tokenizer
from experiments import run_plan

REQUESTS, SIZES = 48, {"blocks": 400, "block_size": 16}


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


def static(model, asked, at_once):
    """The texts, and how many steps they took."""
    texts, steps = [], 0
    for start in range(0, len(asked), at_once):
        part = asked[start : start + at_once]
        T, longest = max(len(x) for x, _ in part), max(write for _, write in part)
        rows, mask = np.zeros((len(part), T), np.int64), np.zeros((len(part), T), bool)
        for n, (prompt, _) in enumerate(part):
            rows[n, T - len(prompt) :], mask[n, T - len(prompt) :] = prompt, True
        given = torch.from_numpy(rows), torch.from_numpy(mask)
        how = {"max_tokens": longest, "temperature": 0.0}
        tokens = torch.stack([*generate(model, given[0], mask=given[1], **how)], 1)
        steps += longest
        found = zip(tokens, part, strict=True)
        texts += [row[:write].tolist() for row, (_, write) in found]
    return texts, {"steps": steps}


def continuous(model, asked, at_once, prefixes):
    """The texts, and what the engine counted."""
    limits = {"max_requests": at_once, "prefix_cache": prefixes}
    engine = Engine(model, **SIZES, **limits)
    how = {"temperature": 0.0}
    served = [engine.add(x, max_tokens=write, **how) for x, write in asked]
    engine.run()
    counts = {name: engine.counts[name] for name in ("steps", "read", "hit")}
    return [request.written for request in served], counts


def throughput(model, shared, at_once, seed):
    """Rows: seconds for all requests, each way."""
    asked, rows, texts = load(shared, seed), [], {}
    ways = {
        "static": lambda: static(model, asked, at_once),
        "continuous": lambda: continuous(model, asked, at_once, False),
        "prefixes": lambda: continuous(model, asked, at_once, True),
    }
    row = {"shared": shared, "at_once": at_once, "seed": seed, "requests": len(asked)}
    row["tokens"] = sum(write for _, write in asked)
    for name, way in ways.items():
        begin = time.thread_time()
        texts[name], counts = way()
        seconds = round(time.thread_time() - begin, 3)
        pairs = zip(texts[name], texts["static"], strict=True)
        counts["differ"] = sum(one != other for one, other in pairs)
        rows.append({"way": name, **row, **counts, "seconds": seconds})
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
        begin = time.thread_time()
        engine.step()
        taken.append(1000 * (time.thread_time() - begin))
    row = {"way": "budget", "budget": budget, "seed": seed, "steps": len(taken)}
    row["longest_milliseconds"] = round(max(taken), 2)
    return [{**row, "first_milliseconds": round(sum(taken), 2)}]


def run(what, of, at_once, seed):
    """Rows of the record."""
    model = load_glassllm()
    if what == "budget":
        return prompt_of_600(model, of, seed)
    return throughput(model, of, at_once, seed)


PLAN = [("load", 0, 8), ("load", 96, 8), ("load", 0, 16), ("load", 96, 16)]
PLAN += [("budget", budget, 8) for budget in (16, 64, None)]

if __name__ == "__main__":
    run_plan("serving", PLAN, run)
