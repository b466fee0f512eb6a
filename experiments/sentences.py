"""German to English from a small grammar: with attention of two kinds, and without.

A Transformer, Bahdanau's decoder and one without: the same sentences, steps, batches,
schedule and width, no dropout. Each one's rate is the best of the same three on dev,
for the first seed and a third of the steps. Test is read at that rate alone.
"""

import time

import numpy as np

from attn_course import pytorch as names
from attn_course.core.frameworks import torch
from attn_course.tasks.sentences import links, load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END, PAD
from experiments import Done, chosen_seeds, store

MODELS = ("Transformer", "Bahdanau", "no attention")
RATES = (3e-3, 1e-2, 3e-2)
STEPS, BATCH, WARM_UP, WIDTH = 600, 64, 100, 64
LONGEST = 24
TOLD = ("model", "rate", "seed", "loss", "dev", "seconds")
SHOWN = (
    "ich weiß , dass die alte Frau gestern drei rote Blumen gekauft hat .",
    "den Hund hat das Mädchen am Abend gesucht .",
    "der Brief , den meine Schwester gestern gefunden hat , ist alt .",
)


def build(name, seed):
    """One of the three models, drawn with the seed."""
    torch.manual_seed(seed)
    D, N = WIDTH, len(vocabulary())
    if name == "Transformer":
        return names.Transformer(N, 1, D, 4, 2 * D, norm="pre")
    encoder = names.RecurrentEncoder(N, D, D // 2)
    sizes = {"vocab_size": N, "embedding_dim": D, "hidden_dim": D, "memory_dim": D}
    if name == "Bahdanau":
        decoder = names.BahdanauDecoder(**sizes, attention_dim=D)
    else:
        decoder = names.FixedContextDecoder(**sizes)
    return names.EncoderDecoder(encoder, decoder)


def rate_of(step, rate, steps):
    """Up for 100 steps, then straight down to 0; steps count from 1."""
    return rate * min(step / WARM_UP, (steps + 1 - step) / (steps + 1 - WARM_UP))


def logits(model, source, mask, target):
    """What the model says of every next word."""
    if isinstance(model, names.Transformer):
        return model(source, target, mask[:, None, None], need_weights=False)[0]
    return model(source, target, mask)[0]


def loss_of(model, source, mask, given, wanted):
    """The mean cross-entropy of the next word, padding left out."""
    scores = logits(model, source, mask, given).flatten(0, 1)
    wanted = wanted.flatten().long()
    return torch.nn.functional.cross_entropy(scores, wanted, ignore_index=PAD)


def train(name, rate, seed, sentences, steps=STEPS):
    """A trained model, and its loss of the first and of the last 50 steps."""
    model, examples = build(name, seed), sentences.encode()
    source, mask, given, wanted = map(torch.from_numpy, examples)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    losses, order = [], torch.empty(0, dtype=torch.long)
    for step in range(1, steps + 1):
        if len(order) < BATCH:
            order = torch.randperm(len(source))
        rows, order = order[:BATCH], order[BATCH:]
        optimizer.param_groups[0]["lr"] = rate_of(step, rate, steps)
        batch = (part[rows] for part in (source, mask, given, wanted))
        loss = loss_of(model, *batch)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    curve = [round(float(np.mean(losses[at - 50 : at])), 4) for at in (50, steps)]
    return model, curve


@torch.no_grad()
def write(model, sources):
    """The English that the model writes, greedily."""
    tokens, lengths = vocabulary().encode(sources)
    source = torch.from_numpy(tokens)
    mask = torch.arange(source.shape[1]) < torch.from_numpy(lengths)[:, None]
    if isinstance(model, names.Transformer):
        options = {"begin": BEGIN, "end": END, "max_length": LONGEST}
        padding = mask[:, None, None]
        found = names.greedy_decode(model, source, source_mask=padding, **options)
    else:
        found, _ = model.greedy(source, mask, begin=BEGIN, max_length=LONGEST)
    return vocabulary().decode(found.numpy())


def exact(model, sentences):
    """The share that is written word for word."""
    wrote = write(model, sentences.sources)
    right = [one == other for one, other in zip(wrote, sentences.targets, strict=True)]
    return round(float(np.mean(right)), 4)


@torch.no_grad()
def looked(model, german, english):
    """The cross-attention (heads, words, S) of a Transformer that writes English."""
    source, _ = vocabulary().encode([german])
    given, _ = vocabulary().encode([english], begin=True)
    _, (_, decoder) = model(torch.from_numpy(source), torch.from_numpy(given))
    return decoder[0][1][0].numpy()


def aligned(model, sentences):
    """Linked words whose largest weight is on the link: per head, and for their mean.

    Also the same for the diagonal, and how many words there are.
    """
    hits = []
    for german, english in zip(*sentences, strict=True):
        weights = looked(model, german, english)
        best = np.vstack([weights, weights.mean(0, keepdims=True)]).argmax(2)
        ends = weights.shape[1:]
        for row, column in links(german, english):
            diagonal = round(row * (ends[1] - 1) / (ends[0] - 1))
            hits.append([*(best[:, row] == column), diagonal == column])
    return {"right": [round(float(x), 4) for x in np.mean(hits, 0)], "words": len(hits)}


def choose(name, rate):
    """Dev at a rate, after a third of the steps, for the first seed."""
    model, _ = train(name, rate, 0, load_sentences("train"), STEPS // 3)
    return [exact(model, load_sentences("dev"))]


def run(name, rate, seed):
    """The row of one training on all sentences."""
    row = {"framework": "pytorch", "model": name, "rate": rate}
    row |= {"steps": STEPS, "seed": seed}
    begin = time.process_time()
    model, losses = train(name, rate, seed, load_sentences("train"))
    row |= {"seconds": round(time.process_time() - begin, 1), "loss": losses[1]}
    row["parameters"] = sum(x.numel() for x in model.parameters())
    row["dev"] = exact(model, load_sentences("dev"))
    test, pairs = load_sentences("test"), load_sentences("pairs")
    row |= {"exact": exact(model, test), "pairs": exact(model, pairs)}
    row["shown"] = [[text, *write(model, [text])] for text in SHOWN]
    if name == "Transformer":
        row["aligned"] = aligned(model, test.take(range(300)))
        if seed == 0:
            maps = [looked(model, *pair) for pair in row["shown"]]
            row["heads"] = [np.round(x, 3).tolist() for x in maps]
    return [row]


if __name__ == "__main__":
    torch.set_num_threads(1)
    done, rows, rates, grid, seeds = Done("sentences"), [], {}, {}, chosen_seeds()
    for name in MODELS:
        grid[name] = [(rate, *done.rows(choose, name, rate)) for rate in RATES]
        rates[name] = max(grid[name], key=lambda found: found[1])[0]
        print(name, grid[name], flush=True)
    for name, rate in rates.items():
        for seed in seeds:
            rows += done.rows(run, name, rate, seed)
            print({k: rows[-1][k] for k in TOLD}, flush=True)
    store("sentences", rows, seeds, seconds=round(done.seconds), grid=grid)
    done.forget()
