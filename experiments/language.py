"""A small language model on whole books: its bits per character, and its heads.

Two layers of four heads read the English verses of ``attn_course.tasks.translation`` by
the 1,024 tokens of ``attn_course.tasks.glassllm``; dev and test are other books. The
sizes are those of the page that lets readers write the model. Beside it stand, on the
same books: counts of tokens with backoff, and a compressor. PyTorch.

python -m experiments.language --seeds 0 1 2
"""

import bz2
from collections import Counter
from functools import cache

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.training import short
from attn_course.pytorch import LanguageModel
from attn_course.tasks.glassllm import load_tokenizer
from attn_course.tasks.translation import load_verses
from experiments import run_plan

SIZES = {"num_layers": 2, "model_dim": 96, "num_heads": 4, "ff_dim": 384}
KIND = {"norm": "pre", "normalization": "rms", "activation": "relu"}
LENGTH, BATCH, RATE, WARM = 128, 16, 4e-3, 20
PAGE, LONG, EVERY = 300, 1500, 150
PERIOD = 24  # tokens that are drawn, and repeated, to look for induction


@cache
def tokens_of(split):
    """All tokens (n) of a split's verses."""
    return load_tokenizer().encode(load_verses(split))


@cache
def characters():
    """How many characters each token has (N)."""
    return np.array([len(token) for token in load_tokenizer().tokens])


def rate_at(step, steps):
    """It rises for WARM steps, then falls to 0 along a line."""
    return RATE * min(step / WARM, 1 - step / (steps + 1))


def bits(logits, target):
    """Bits per character of the targets (B, T)."""
    total = torch.nn.functional.cross_entropy(logits.mT, target, reduction="sum")
    return total / (np.log(2) * characters()[target.numpy()].sum())


@torch.no_grad()
def costs(model, split):
    """Bits of every token, and its characters, in windows that stand side by side.

    Shapes:
        both (n, LENGTH); the tokens behind the last whole window are left out.
    """
    tokens, found = tokens_of(split), []
    starts = np.arange(0, len(tokens) - LENGTH, LENGTH)
    x, y = (tokens[starts[:, None] + np.arange(n, LENGTH + n)] for n in (0, 1))
    for first in range(0, len(x), 64):
        some, right = (torch.from_numpy(each[first : first + 64]) for each in (x, y))
        logits, _ = model(some, need_weights=False)
        cost = torch.nn.functional.cross_entropy(logits.mT, right, reduction="none")
        found.append(cost.numpy() / np.log(2))
    return np.concatenate(found), characters()[y]


def tested(model, split):
    """Bits per character of a split."""
    cost, wide = costs(model, split)
    return float(cost.sum() / wide.sum())


@torch.no_grad()
def looks(model):
    """Of every head: its mean weight on the token before, and on what followed before.

    The first is measured on dev. The second on drawn tokens that are repeated: where
    the same token stood before, the token behind it comes next, and a head of the kind
    "induction" looks there.
    """
    tokens = torch.from_numpy(tokens_of("dev")[: 64 * LENGTH].reshape(64, LENGTH))
    drawn = np.random.default_rng(0).choice(tokens_of("dev"), (64, PERIOD))
    twice = torch.from_numpy(np.tile(drawn, 2))
    _, read = model(tokens)
    _, again = model(twice)
    before = [layer.diagonal(-1, 2, 3).mean((0, 2)) for layer in read]
    behind = [layer.diagonal(1 - PERIOD, 2, 3)[..., 1:].mean((0, 2)) for layer in again]
    rounded = [
        [round(float(x), 3) for x in torch.cat(each)] for each in (before, behind)
    ]
    return dict(zip(("previous", "induction"), rounded, strict=True))


def built(seed, positions="sinusoidal"):
    """A new model."""
    torch.manual_seed(seed)
    return LanguageModel(len(characters()), **SIZES, **KIND, positions=positions)


def trained(model, seed, steps, every=EVERY):
    """Train it in place; returns the log: step, bits in training, bits of dev."""
    steps, log, seen = short(steps), [], []
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.99))
    rng, train = np.random.default_rng(seed), tokens_of("train")
    for step in range(1, steps + 1):
        adam.param_groups[0]["lr"] = rate_at(step, steps)
        starts = rng.integers(len(train) - LENGTH, size=BATCH)
        places = starts[:, None] + np.arange(LENGTH)
        x, y = (torch.from_numpy(train[places + n]) for n in (0, 1))
        loss = bits(model(x, need_weights=False)[0], y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        seen.append(loss.item())
        if step % every == 0 or step == steps:
            log.append(
                [step, round(float(np.mean(seen)), 4), round(tested(model, "dev"), 4)]
            )
            seen = []
    return log


def run(steps, seed):
    """One model: a row."""
    model = built(seed)
    row = {"framework": "pytorch", "steps": steps, "seed": seed}
    row["parameters"] = sum(x.numel() for x in model.parameters())
    row["log"] = trained(model, seed, steps, every=50 if steps == PAGE else EVERY)
    row["dev"], row["test"] = (
        round(tested(model, split), 4) for split in ("dev", "test")
    )
    return [row | looks(model)]


def counted(order, split, discount=0.75):
    """Bits per character of counts: 1, 2 or 3 tokens, what is rare backs off.

    p(w | c) = max(count(c w) - d, 0) / count(c) + d * kinds(c) / count(c) * p(w | less)
    """
    train, tokens = (tokens_of(each).tolist() for each in ("train", split))
    share = np.full(len(characters()), 1 / len(characters()))
    alone = np.bincount(train, minlength=len(share))
    share = (
        np.maximum(alone - discount, 0) / alone.sum()
        + discount * (alone > 0).sum() / alone.sum() * share
    )
    tables = [_table(train, size) for size in range(2, order + 1)]

    def chance(context, word):
        p = share[word]
        for size, (pairs, totals, kinds) in enumerate(tables, start=1):
            given = context[-size:]
            if len(given) == size and given in totals:
                seen = max(pairs[(*given, word)] - discount, 0)
                p = (seen + discount * kinds[given] * p) / totals[given]
        return p

    places = range(1, len(tokens))
    found = [chance(tuple(tokens[max(i - 2, 0) : i]), tokens[i]) for i in places]
    return round(float(-np.log2(found).sum() / characters()[tokens[1:]].sum()), 4)


def _table(tokens, size):
    """Counts of runs, of their beginnings, and how many tokens followed each."""
    pairs = Counter(zip(*(tokens[n:] for n in range(size)), strict=False))
    totals, kinds = Counter(), Counter()
    for run_of, count in pairs.items():
        totals[run_of[:-1]] += count
        kinds[run_of[:-1]] += 1
    return pairs, totals, kinds


def compressed(split):
    """Bits per character of bz2, which has seen nothing but the text itself."""
    text = load_verses(split)
    return round(8 * len(bz2.compress(text.encode())) / len(text), 4)


def baselines():
    """What needs no training, per split."""
    orders = {"unigram": 1, "bigram": 2, "trigram": 3}
    return {
        split: {name: counted(order, split) for name, order in orders.items()}
        | {"bz2": compressed(split)}
        for split in ("dev", "test")
    }


def sizes():
    """What the models share, and how much text there is."""
    texts = {split: load_verses(split) for split in ("train", "dev", "test")}
    return {
        **SIZES,
        "length": LENGTH,
        "batch": BATCH,
        "rate": RATE,
        "characters": {split: len(text) for split, text in texts.items()},
        "tokens": {split: len(tokens_of(split)) for split in texts},
    }


if __name__ == "__main__":
    plan = [(PAGE,), (LONG,)]
    run_plan("language", plan, run, baselines=baselines, sizes=sizes)
