"""Trains both translators with every seed and stores how their attention aligns."""

import time

from attn_course.core.parity import get_parameters
from attn_course.course.labs import interval
from attn_course.tasks.alignments import load_alignments
from attn_course.tasks.text import batches
from experiments import align, draw_from, run_plan
from experiments.align import pytorch, tf

LABS = {"pytorch": pytorch, "tf": tf}
BATCH, RATE, WARM_UP, EVERY = 64, 2e-3, 200, 430  # 43 steps are one pass
STEPS = 2580
SHOWN = "Luke 1:46", "Luke 5:38", "Luke 21:2"


def schedule(step, steps, rate):
    """Warm-up, then a straight line down to a tenth."""
    return rate * min(step / WARM_UP, 1 - 0.9 * step / steps)


def scores(verses, weights):
    """Every layer, head and reading: share that is right, with its interval."""
    rows = []
    weights = [w[(None,) * (4 - w.ndim)] for w in weights]
    layers, heads = weights[0].shape[:2]
    for late in (0, 1):
        numbers = align.to_numbers(weights, late)
        means = align.to_numbers([w.mean(axis=1) for w in weights], late)
        for layer in range(layers):
            for head in range(heads):
                own = align.right_counts(verses, [n[layer, head] for n in numbers])
                place = {"layer": layer, "head": head, "late": late}
                rows.append({**place, "right": interval(*own.T)})
            if heads > 1:
                own = align.right_counts(verses, [n[layer] for n in means])
                place = {"layer": layer, "head": "mean", "late": late}
                rows.append({**place, "right": interval(*own.T)})
    return rows


def rounded(weights):
    """Nested lists of numbers with three decimals."""
    return weights.astype(float).round(3).tolist()


class Watch:
    """The curve of a training: on the way, the weights of all verses are read."""

    def __init__(self, read, verses, examples):
        self.read, self.verses, self.examples = read, verses, examples
        self.curve = []

    def over(self, stream, model):
        """The batches of the stream; between them the model is looked at."""
        for step, batch in enumerate(stream):
            if step % EVERY == 0:
                self.look(model, step)
            yield batch

    def look(self, model, step):
        """One more point of the curve; returns the weights of every verse."""
        weights, value = self.read(model, self.examples)
        best = max(scores(self.verses, weights), key=lambda row: row["right"][0])
        self.curve.append({"step": step, "loss": round(value, 3), "best": best})
        return weights


def run(framework, name, verses, seed):
    """Train one model; returns the row of the record."""
    draw_from(seed)
    lab = LABS[framework]
    examples, sizes = align.encode(verses)
    model, started = lab.MODELS[name](*sizes), time.process_time()
    watch, stream = Watch(lab.read, verses, examples), batches(examples, BATCH, seed)
    options = {"steps": STEPS, "rate": RATE, "clip": 1.0, "schedule": schedule}
    lab.train(model, watch.over(stream, model), lab.loss, **options)
    weights = watch.look(model, STEPS)
    return {
        "framework": framework,
        "model": name,
        "seed": seed,
        "parameters": sum(x.size for x in get_parameters(model).values()),
        "steps": STEPS,
        "seconds": round(time.process_time() - started),
        "curve": watch.curve,
        "heads": scores(verses, weights),
        "shown": [
            {"reference": verse.reference, "weights": rounded(w)}
            for verse, w in zip(verses, weights, strict=True)
            if verse.reference in SHOWN
        ],
    }


if __name__ == "__main__":
    verses = load_alignments()
    plain = {
        "every word equally": round(align.chance_level(verses), 4),
        "diagonal": interval(*align.right_counts(verses, align.diagonal(verses)).T),
        "IBM model 1": interval(
            *align.right_counts(verses, align.by_model_1(verses)).T
        ),
    }
    print(plain, flush=True)
    plan, beside = ([(name, each) for each in lab.MODELS] for name, lab in LABS.items())
    run_plan(
        "align",
        plan,
        lambda framework, name, seed: [run(framework, name, verses, seed)],
        beside,
        plain=lambda: plain,
        verses=lambda: len(verses),
    )
