"""How much one vector holds: reversal without attention, over width, length and steps.

Each width is trained three times, each time three times as long, with a rate that falls
to 0, and the narrower ones longer still: what longer training mends is told apart from
what the width limits. One training of 121,500 steps takes 15 minutes. The two shorter
trainings of each width stand beside, in TensorFlow.

python -m experiments.bottleneck --seeds 0 1

``rows``: width (of the hidden state; the vector has twice as many numbers), steps,
seed, ``exact`` over all, ``loss`` at the end, ``by_length``: [shortest, longest,
strings, share exactly right], ``shown``: [length, read, to be written, written] of one
string per length.
"""

from attn_course.course.labs.seq2seq import Task, build, started
from attn_course.course.training import falling
from attn_course.tasks.metrics import by_length
from attn_course.tasks.text import batches
from experiments import run_plan
from experiments.reversal import Reversal, draw, training_set, vocabulary

WIDTHS, STEPS = (16, 32, 64, 128), (1500, 4500, 13_500)
PLAN = [("pytorch", width, steps) for steps in STEPS for width in WIDTHS]
PLAN += [("pytorch", width, 40_500) for width in (16, 32, 64)]
PLAN += [("pytorch", 16, 121_500)]
BESIDE = [("tf", width, steps) for steps in STEPS[:2] for width in WIDTHS]
LENGTHS = range(4, 21, 2)
EDGES = tuple(edge for n in LENGTHS for edge in (n, n + 1))


def test_set(count=200):
    """``count`` strings of each length, none of which is in any training set."""
    sources = [text for n in LENGTHS for text in draw(count, n, n, seed=2)]
    return Reversal(sources, [source[::-1] for source in sources])


def task(width):
    """The task of ``experiments.reversal``, with another width."""
    sizes = {"embedding_dim": 32, "hidden_dim": width, "batch_size": 64}
    words = {"source_vocabulary": vocabulary(), "target_vocabulary": vocabulary()}
    return Task(
        "bottleneck", training_set(40_000), test_set(), edges=EDGES, **words, **sizes
    )


def rows(framework, width, steps, seed):
    """Train one model and test it on every length."""
    names, loop = started(framework, seed)
    own = task(width)
    model = build(names, own, attention=False)
    data = batches(own.train.encode(), own.batch_size, seed)
    options = {"steps": steps, "rate": 3e-3, "clip": 1.0, "schedule": falling}
    log = loop.train(model, data, loop.token_loss, **options)
    tokens, _ = loop.predict(model, own.test.encode(), max_length=max(LENGTHS) + 1)
    wrote = vocabulary().decode(tokens)
    found = [each for each in by_length(wrote, own.test, own.edges) if each[2]]
    first = {
        len(text): place for place, text in reversed([*enumerate(own.test.sources)])
    }
    shown = [
        (n, own.test.sources[i], own.test.targets[i], wrote[i])
        for n, i in sorted(first.items())
    ]
    told = {"framework": framework, "width": width, "steps": steps, "seed": seed}
    shares = [(low, high, count, round(share, 4)) for low, high, count, share in found]
    exact = sum(count * share for *_, count, share in found) / len(wrote)
    told |= {"exact": round(exact, 4), "loss": round(log[-1].loss, 4)}
    return [{**told, "by_length": shares, "shown": shown}]


if __name__ == "__main__":
    run_plan("bottleneck", PLAN, rows, BESIDE)
