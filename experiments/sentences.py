"""German to English from a small grammar: with attention of two kinds, and without.

A Transformer, Bahdanau's decoder and one without: the same sentences, steps, batches,
schedule and width, no dropout. Each one's rate is the best of the same three on dev,
for the first seed and a third of the steps. Test is read at that rate alone.
"""

import time

import numpy as np

from attn_course import pytorch as names
from attn_course.core.frameworks import torch
from attn_course.course.training import pytorch as loop, ramped
from attn_course.tasks.metrics import exact_match
from attn_course.tasks.sentences import links, load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END
from experiments import chosen_seeds, resuming, store

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


def schedule(step, steps, rate):
    """Up for 100 steps, then straight down to 0."""
    return ramped(step, steps, rate, WARM_UP, steps + 1 - WARM_UP)


def called(model):
    """The model as one is called that has no heads: of source, target and mask."""
    if not isinstance(model, names.Transformer):
        return model
    return lambda source, target, mask: model(
        source, target, mask[:, None, None], need_weights=False
    )


def loss_of(model, *batch):
    """The mean cross-entropy of the next word, padding left out."""
    return loop.token_loss(called(model), *batch)


def shuffled(examples):
    """Endless batches of rows; what fills no batch sits out a pass."""
    while True:
        order = torch.randperm(len(examples.source)).numpy()
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            yield tuple(part[order[begin : begin + BATCH]] for part in examples)


def train(name, rate, seed, sentences, steps=STEPS):
    """A trained model, and its mean loss of the first and of the last 50 steps."""
    model, batches = build(name, seed), shuffled(sentences.encode())
    options = {"steps": steps, "rate": rate, "betas": (0.9, 0.98), "clip": 1.0}
    options |= {"schedule": schedule, "every": 50}
    log = loop.train(model, batches, loss_of, **options)
    return model, [round(log[at].loss, 4) for at in (0, -1)]


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
    return round(exact_match(write(model, sentences.sources), sentences.targets), 4)


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
    rows, rates, grid, seeds = [], {}, {}, chosen_seeds()
    with resuming("sentences") as done:
        for name in MODELS:
            grid[name] = [(rate, *done.rows(choose, name, rate)) for rate in RATES]
            rates[name] = max(grid[name], key=lambda found: found[1])[0]
            print(name, grid[name], flush=True)
        for name, rate in rates.items():
            for seed in seeds:
                rows += done.rows(run, name, rate, seed)
                print({k: rows[-1][k] for k in TOLD}, flush=True)
        store("sentences", rows, seeds, seconds=round(done.seconds), grid=grid)
