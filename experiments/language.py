"""A small language model on whole books: its bits per character, and its heads.

Two layers of four heads read the English verses of ``attn_course.tasks.translation`` by
the 1,024 tokens of ``attn_course.tasks.glassllm``; dev and test are other books. The
sizes are those of the page that lets readers write the model, positions rotate queries
and keys. The models of both frameworks begin from the same numbers and read the same
windows. Beside them stand, on the same books: counts of tokens with backoff, and a
compressor.

python -m experiments.language --seeds 0 1 2
"""

import bz2
from collections import Counter
from functools import cache

import numpy as np

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import keras, tf, torch
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.course.training import short
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


def read(model, tokens):
    """Of tokens (B, T): logits (B, T, N), and each layer's weights (B, H, T, T)."""
    if isinstance(model, torch.nn.Module):
        with torch.no_grad():
            logits, maps = model(torch.from_numpy(tokens))
    else:
        logits, maps = model(tf.constant(tokens))
    return logits.numpy(), [each.numpy() for each in maps]


def costs(model, split):
    """Bits of every token, and its characters, in windows that stand side by side.

    Shapes:
        both (n, LENGTH); the tokens behind the last whole window are left out.
    """
    tokens, found = tokens_of(split), []
    starts = np.arange(0, len(tokens) - LENGTH, LENGTH)
    x, y = (tokens[starts[:, None] + np.arange(n, LENGTH + n)] for n in (0, 1))
    for first in range(0, len(x), 64):
        some, right = (each[first : first + 64] for each in (x, y))
        logits = torch.from_numpy(read(model, some)[0])
        cost = torch.nn.functional.cross_entropy(
            logits.mT, torch.from_numpy(right), reduction="none"
        )
        found.append(cost.numpy() / np.log(2))
    return np.concatenate(found), characters()[y]


def tested(model, split):
    """Bits per character of a split."""
    cost, wide = costs(model, split)
    return float(cost.sum() / wide.sum())


def looks(model):
    """Of every head: its mean weight on the token before, and on what followed before.

    The first is measured on dev. The second on drawn tokens that are repeated: where
    the same token stood before, the token behind it comes next, and a head of the kind
    "induction" looks there.
    """
    _, maps = read(model, tokens_of("dev")[: 64 * LENGTH].reshape(64, LENGTH))
    drawn = np.random.default_rng(0).choice(tokens_of("dev"), (64, PERIOD))
    _, again = read(model, np.tile(drawn, 2))
    before = [layer.diagonal(-1, 2, 3).mean((0, 2)) for layer in maps]
    behind = [layer.diagonal(1 - PERIOD, 2, 3)[..., 1:].mean((0, 2)) for layer in again]
    rounded = [
        [round(float(x), 3) for x in np.concatenate(each)] for each in (before, behind)
    ]
    return dict(zip(("previous", "induction"), rounded, strict=True))


def built(seed, positions="rotary", framework="pytorch"):
    """A new model; in TensorFlow with the numbers that PyTorch draws."""
    torch.manual_seed(seed)
    options = {**SIZES, **KIND, "positions": positions}
    model = pytorch.LanguageModel(len(characters()), **options)
    if framework == "pytorch":
        return model
    other = in_tf.LanguageModel(len(characters()), **options)
    other(tf.zeros((1, 4), tf.int32))
    set_parameters(other, get_parameters(model))
    return other


def learner(model):
    """A function that takes one step of Adam, and returns the loss."""
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.99))

    def learn(x, y, wide, rate):
        adam.param_groups[0]["lr"] = rate
        logits, _ = model(torch.from_numpy(x), need_weights=False)
        total = torch.nn.functional.cross_entropy(
            logits.mT, torch.from_numpy(y), reduction="sum"
        )
        loss = total / (np.log(2) * wide)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return loss.item()

    return learn


def learner_tf(model):
    """``learner`` in TensorFlow."""
    adam = keras.optimizers.Adam(beta_2=0.99, epsilon=1e-8)

    @tf.function
    def step(x, y, wide):
        with tf.GradientTape() as tape:
            logits, _ = model(x, need_weights=False)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_sum(each) / (np.log(2) * wide)
        weights = model.trainable_variables
        adam.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    def learn(x, y, wide, rate):
        adam.learning_rate = rate
        return float(step(tf.constant(x), tf.constant(y), tf.constant(wide, "float32")))

    return learn


def trained(model, seed, steps, every=EVERY):
    """Train it in place; returns the log: step, bits in training, bits of dev."""
    steps, log, seen = short(steps), [], []
    learn = (learner if isinstance(model, torch.nn.Module) else learner_tf)(model)
    rng, train = np.random.default_rng(seed), tokens_of("train")
    for step in range(1, steps + 1):
        starts = rng.integers(len(train) - LENGTH, size=BATCH)
        places = starts[:, None] + np.arange(LENGTH)
        x, y = (train[places + n] for n in (0, 1))
        seen.append(learn(x, y, characters()[y].sum(), rate_at(step, steps)))
        if step % every == 0 or step == steps:
            log.append(
                [step, round(float(np.mean(seen)), 4), round(tested(model, "dev"), 4)]
            )
            seen = []
    return log


def run(framework, steps, seed):
    """One model: a row."""
    model = built(seed, framework=framework)
    row = {"framework": framework, "steps": steps, "seed": seed}
    row["parameters"] = sum(x.size for x in get_parameters(model).values())
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
    plan = [("pytorch", PAGE), ("tf", PAGE), ("pytorch", LONG)]
    run_plan("language", plan, run, baselines=baselines, sizes=sizes)
