"""Speculative decoding with real weights: how many drafts stand, and what a pass costs.

glassllm goes on behind places that the seed draws of its book's second half. Drafts,
one to four a pass: its own first 1, 2 or 3 layers with its last norm and table, the
first after it was taught on the first half, the whole of it, or n-grams of the text so
far. ``rate``: of the drafts that were looked at, how many stand; behind a refused one
none is. ``formula``: tokens a pass, if every draft stood with that chance, and there
were as many as asked for, which n-grams do not find. ``exact``: the share of texts that
are those of ``generate``. float64.

``costs``: a pass of some layers over some tokens, as a multiple of a pass of all four
over one; medians of rounds that take turns, in the thread's own time. float32.

python -m experiments.speculative --seeds 0 1 2
"""

import itertools
import time
from copy import deepcopy
from functools import cache

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.generate.pytorch import load_glassllm, logits_of
from attn_course.course.training import pytorch as loop, ramped
from attn_course.pytorch import generate, speculative_generate
from attn_course.reference import ngram_draft
from attn_course.tasks import glassllm
from experiments import run_plan

DRAFTS = {"1 layer": 1, "2 layers": 2, "3 layers": 3, "itself": 4, "n-grams": 0}
TAUGHT = "1 layer, taught"
DRAFTS |= {TAUGHT: 1}
DRAFTED, TEMPERATURES = (1, 2, 4), (0, 1)
TEXTS, PROMPT, WRITTEN = 4, 40, 48
STEPS, ROWS, WINDOW = 400, 8, 64  # of what is taught
PLAN = [*itertools.product(DRAFTS, TEMPERATURES, DRAFTED)]
PLAN = [entry for entry in PLAN if entry[0] != "itself" or entry[2] == 4]
LAYERS, TOKENS, CONTEXTS, ROUNDS = (4, 3, 2, 1), (1, 2, 3, 5, 9), (64, 1024), 201


def shipped(num_layers=4, dtype="float32"):
    """The model that ships, or its first layers with its last norm and table."""
    model = load_glassllm(dtype)
    model.stack.layers = model.stack.layers[:num_layers]
    return model


@cache
def model_of(num_layers):
    return shipped(num_layers, "float64")


@cache
def book():
    return np.asarray(glassllm.load_tokenizer().encode(glassllm.load_book()))


def prompts_of(seed):
    """(TEXTS, 1, PROMPT) tokens of the second half, from places that the seed draws."""
    tokens = book()[len(book()) // 2 :]
    places = np.random.default_rng(seed).integers(len(tokens) - PROMPT, size=TEXTS)
    return torch.from_numpy(tokens[places[:, None, None] + np.arange(PROMPT)])


@cache
def taught(seed):
    """glassllm's first layer, table and last norm, after they learned its chances."""
    torch.manual_seed(seed)
    model, small, rng = shipped(), shipped(1).train(), np.random.default_rng(seed)
    half = book()[: len(book()) // 2]
    windows = np.lib.stride_tricks.sliding_window_view(half, WINDOW)
    chosen = (rng.integers(len(windows), size=ROWS) for _ in itertools.count())

    def loss(small, tokens):
        with torch.no_grad():
            chances = logits_of(model, tokens).softmax(-1).flatten(0, 1)
        logits = logits_of(small, tokens).flatten(0, 1)
        return torch.nn.functional.cross_entropy(logits, chances)

    options = {"steps": STEPS, "rate": 3e-3, "clip": 1.0}
    options["schedule"] = lambda *given: ramped(*given, 20, STEPS / 2)
    loop.train(small, ((windows[rows],) for rows in chosen), loss, **options)
    return small.eval()


def run(draft, temperature, count, seed):
    """How many drafts of all texts stand: a row."""
    learns, layers, model = draft == TAUGHT, DRAFTS[draft], model_of(4)
    options = {"max_tokens": WRITTEN, "temperature": temperature}
    small = taught(seed) if learns else model_of(layers) if layers else ngram_draft
    guess = {"draft": deepcopy(small).double() if learns else small}
    passes, same, prompts = [], [], prompts_of(seed)
    for number, prompt in enumerate(prompts):
        guess |= {"num_draft": count, "seed": (seed, number)}
        passes.append([*speculative_generate(model, prompt, **guess, **options)])
        if temperature == 0:
            alone = [int(token) for token in generate(model, prompt, **options)]
            same.append(alone == [x for one in passes[-1] for x in one.tokens])
    every = [one for text in passes for one in text]
    drafted, accepted = (sum(x) for x in zip(*(one[1:] for one in every), strict=True))
    tried = sum(min(one.accepted + 1, one.drafted) for one in every)
    rate = accepted / max(tried, 1)
    row = {"draft": draft, "temperature": temperature, "num_draft": count}
    row |= {"seed": seed, "passes": len(every), "drafted": drafted}
    row |= {"accepted": accepted, "rate": round(rate, 4)}
    row |= {"tokens_a_pass": round(TEXTS * WRITTEN / len(every), 3)}
    row |= {"formula": round(expected(rate, count), 3)}
    row |= {"exact": float(np.mean(same))} if same else {}
    if not layers:  # passes with no draft, with one, and so on: as many as were found
        found = np.bincount([one.drafted for one in every], minlength=count + 1)
        row["passes_of"] = found.tolist()
    if learns and count == 2:
        row["faster"] = round(faster(prompts, guess | {"draft": small}, options), 2)
    return [row]


def faster(prompts, guess, options):
    """Thread time of ``generate`` as a multiple: the least of three of each text."""
    model, seconds = shipped(), np.full((2, len(prompts), 3), np.inf)
    for n, (text, prompt) in itertools.product(range(3), enumerate(prompts)):
        for way, write in enumerate((generate, speculative_generate)):
            begin = time.thread_time()
            list(write(model, prompt, **options, **(guess if way else {"seed": text})))
            seconds[way, text, n] = time.thread_time() - begin
    alone, drafted = seconds.min(axis=2).sum(axis=1)
    return float(alone / drafted)


def expected(rate, num_draft):
    """(1 - a^(g + 1)) / (1 - a), tokens a pass if drafts stood independently."""
    return sum(rate**n for n in range(num_draft + 1))


def repeats():
    """n-grams where greedy text repeats, three times: rows of passes and ``faster``."""
    prompt = torch.from_numpy(glassllm.load_tokenizer().encode("Down the"))[None]
    options = {"max_tokens": 100, "temperature": 0}
    guess = {"draft": ngram_draft, "num_draft": 4}
    passes = len([*speculative_generate(shipped(), prompt, **guess, **options)])
    row = {"tokens": 100, "passes": passes}
    return [
        row | {"faster": round(faster([prompt], guess, options), 2)} for _ in range(3)
    ]


@torch.no_grad()
def costs():
    """What passes cost: rows of layers, tokens, context, ratio."""
    models = {layers: shipped(layers) for layers in LAYERS}
    ways = [(4, n) for n in TOKENS] + [(layers, 1) for layers in LAYERS[1:]]
    rows = []
    for context in CONTEXTS:
        caches = {
            x: one.new_cache(1, context + max(TOKENS)) for x, one in models.items()
        }
        for layers, model in models.items():
            model(torch.zeros(1, context, dtype=torch.long), cache=caches[layers])
        times = {way: [] for way in ways}
        for _, (layers, n) in itertools.product(range(ROUNDS), ways):
            new = torch.zeros(1, n, dtype=torch.long)
            begin = time.thread_time()
            models[layers](new, need_weights=False, cache=caches[layers])
            times[layers, n].append(time.thread_time() - begin)
            for one in caches[layers]:
                one.truncate(context)
        one = np.median(times[4, 1])
        for (layers, n), taken in times.items():
            row = {"layers": layers, "tokens": n, "context": context}
            rows.append(row | {"ratio": round(float(np.median(taken) / one), 3)})
    return rows


if __name__ == "__main__":
    run_plan("speculative", PLAN, run, costs=costs, repeats=repeats)
