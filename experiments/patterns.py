"""Models that differ only in their pattern, on every data set; in TensorFlow some."""

from itertools import product

from attn_course.course.labs import patterns as lab
from attn_course.course.labs.patterns import pytorch as torch_models, tf as tf_models
from experiments import draw_from, run_plan


def run(framework, data, kind, seed):
    """Train one model and test it; returns the row of a record, alone in a list."""
    draw_from(seed)
    models = torch_models if framework == "pytorch" else tf_models
    sizes, pattern = lab.DATA[data], lab.PATTERNS[data].get(kind, {})
    own = {name: sizes[name] for name in ("symbols", "length")}
    model = models.PatternModel(**own, **lab.SIZES, kind=kind, **pattern)
    log = models.train(
        model, lab.batches(data, seed=seed), steps=sizes["steps"], rate=lab.RATE
    )
    bits, exact = lab.evaluate(models.score, model, *lab.tests(data))
    row = {"framework": framework, "data": data, "pattern": kind, **pattern}
    row |= {"seed": seed, "steps": sizes["steps"], "loss": round(log[-1].loss, 4)}
    return [row | {"bits": round(bits, 4), "exact": round(exact, 4)}]


if __name__ == "__main__":
    plan = [("pytorch", *kind) for kind in product(lab.DATA, lab.KINDS)]
    beside = [("tf", *kind) for kind in product(reversed(lab.DATA), lab.KINDS)]
    run_plan("patterns", plan, run, beside)
