"""German to English from a small grammar: with attention of two kinds, and without.

A Transformer, Bahdanau's decoder and one without: the same sentences, steps, batches,
schedule and width, no dropout. Each one's rate is the best of the same three on dev,
for the first seed and a third of the steps. Test is read at that rate alone; each is
trained four times as long, too. Beside stand models of TensorFlow, with the first seed,
at the same rates.

python -m experiments.sentences --seeds 0 1 2
"""

import time

import numpy as np

import experiments
from attn_course import pytorch as attn_torch, tf as attn_tf
from attn_course.core.frameworks import tf, torch
from attn_course.core.parity import get_parameters
from attn_course.course.labs.seq2seq import encoder_decoder
from attn_course.course.training import pytorch as torch_loop, ramped, tf as tf_loop
from attn_course.records import load_record
from attn_course.tasks.metrics import exact_match
from attn_course.tasks.sentences import links, load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END

MODELS = ("Transformer", "Bahdanau", "no attention")
RATES = (3e-3, 1e-2, 3e-2)
STEPS, LONG, BATCH, WARM_UP, WIDTH = 600, 2400, 64, 100, 64
LONGEST = 24
TOLD = ("model", "rate", "seed", "loss", "dev", "seconds")
SHOWN = (
    "ich weiß , dass die alte Frau gestern drei rote Blumen gekauft hat .",
    "den Hund hat das Mädchen am Abend gesucht .",
    "der Brief , den meine Schwester gestern gefunden hat , ist alt .",
)


def build(name, seed, framework="pytorch"):
    """One of the three models, drawn with the seed."""
    experiments.draw_from(seed)
    names = attn_torch if framework == "pytorch" else attn_tf
    D, N = WIDTH, len(vocabulary())
    if name == "Transformer":
        return names.Transformer(N, 1, D, 4, 2 * D, norm="pre")
    attention = "bahdanau" if name == "Bahdanau" else None
    return encoder_decoder(names, (N, N), (D, D, D), attention)


def schedule(step, steps, rate):
    """Up for 100 steps, then straight down to 0."""
    return ramped(step, steps, rate, WARM_UP, steps + 1 - WARM_UP)


def tensor(model, x):
    """An array as the model takes it."""
    return torch.from_numpy(x) if isinstance(model, torch.nn.Module) else tf.constant(x)


def called(model):
    """The model as one is called that has no heads: of source, target and mask."""
    if not isinstance(model, attn_torch.Transformer | attn_tf.Transformer):
        return model
    return lambda source, target, mask: model(
        source, target, mask[:, None, None], need_weights=False
    )


def loop_of(model):
    """The training loop of the model's framework."""
    return torch_loop if isinstance(model, torch.nn.Module) else tf_loop


def loss_of(model, *batch):
    """The mean cross-entropy of the next word, padding left out."""
    return loop_of(model).token_loss(called(model), *batch)


def shuffled(examples):
    """Endless batches of rows; what fills no batch sits out a pass."""
    while True:
        order = torch.randperm(len(examples.source)).numpy()
        for begin in range(0, len(order) - BATCH + 1, BATCH):
            yield tuple(part[order[begin : begin + BATCH]] for part in examples)


def train(name, rate, seed, sentences, steps=STEPS, framework="pytorch"):
    """A trained model, and its mean loss of the first and of the last 50 steps."""
    model = build(name, seed, framework)
    batches = shuffled(sentences.encode())
    options = {"steps": steps, "rate": rate, "betas": (0.9, 0.98), "clip": 1.0}
    options |= {"schedule": schedule, "every": 50}
    log = loop_of(model).train(model, batches, loss_of, **options)
    return model, [round(log[at].loss, 4) for at in (0, -1)]


@torch.no_grad()
def write(model, sources):
    """The English that the model writes, greedily."""
    tokens, lengths = vocabulary().encode(sources)
    source = tensor(model, tokens)
    mask = tensor(model, np.arange(tokens.shape[1]) < lengths[:, None])
    if isinstance(model, attn_torch.Transformer | attn_tf.Transformer):
        names = attn_torch if isinstance(model, torch.nn.Module) else attn_tf
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
    _, (_, decoder) = model(tensor(model, source), tensor(model, given))
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


def run(framework, name, rate, seed, steps):
    """The row of one training on all sentences."""
    row = {"framework": framework, "model": name, "rate": rate}
    row |= {"steps": steps, "seed": seed}
    begin = time.process_time()
    given = name, rate, seed, load_sentences("train"), steps
    model, losses = train(*given, framework=framework)
    row |= {"seconds": round(time.process_time() - begin, 1), "loss": losses[1]}
    row["parameters"] = sum(x.size for x in get_parameters(model).values())
    row["dev"] = exact(model, load_sentences("dev"))
    test, pairs = load_sentences("test"), load_sentences("pairs")
    row |= {"exact": exact(model, test), "pairs": exact(model, pairs)}
    row["shown"] = [[text, *write(model, [text])] for text in SHOWN]
    if name == "Transformer" and steps == STEPS:
        row["aligned"] = aligned(model, test.take(range(300)))
        if seed == 0 and framework == "pytorch":
            maps = [looked(model, *pair) for pair in row["shown"]]
            row["heads"] = [np.round(x, 3).tolist() for x in maps]
    return [row]


if __name__ == "__main__":
    experiments.on_one_thread()
    rows, rates, seeds = [], {}, experiments.chosen_seeds()
    with experiments.resuming("sentences") as done:
        grid = load_record("sentences")["grid"] if experiments.adds() else {}
        for name in MODELS:
            if not experiments.adds():
                grid[name] = [(rate, *done.rows(choose, name, rate)) for rate in RATES]
            rates[name] = max(grid[name], key=lambda found: found[1])[0]
            print(name, grid[name], flush=True)
        runs = [
            ("pytorch", name, rates[name], seed, steps)
            for steps in ((LONG,) if experiments.adds() else (STEPS, LONG))
            for name in MODELS
            for seed in seeds
        ]
        runs += [("tf", name, rate, seeds[0], STEPS) for name, rate in rates.items()]
        for given in runs:
            rows += done.rows(run, *given)
            print({k: rows[-1][k] for k in TOLD}, flush=True)
        took = {"seconds": round(done.seconds)}
        if experiments.adds():
            experiments.add("sentences", {"rows": rows}, **took)
        else:
            experiments.store("sentences", rows, seeds, **took, grid=grid)
