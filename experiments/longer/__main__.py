"""Every kind of positions with every seed; in TensorFlow three, untuned, with one."""

from attn_course.core.frameworks import keras, tf
from attn_course.course.labs import longer
from attn_course.course.labs.positions import POSITIONS, tf as models
from attn_course.tasks.topics import load_topics
from experiments import chosen_seeds, run_plan
from experiments.longer import pytorch


def run(framework, positions, seed):
    """One kind of positions: trained, tested, and what can be done to it tested too."""
    return {"pytorch": pytorch.run, "tf": untuned}[framework](positions, seed)


def untuned(positions, seed):
    """As trained in TensorFlow, and a rotation by every rule."""
    keras.utils.set_random_seed(seed)
    kind = {"positions": positions, "max_length": longer.LENGTH, "causal": True}
    model = models.TokenModel(**longer.SIZES, **kind)
    data = longer.batches(load_topics("train"), length=longer.LENGTH, seed=seed)
    models.train(model, data, steps=longer.STEPS, rate=longer.RATE)
    rows, text, other = [], load_topics("test"), model
    for rule in longer.RULES if positions == "rotary" else ["as trained"]:
        if rule != "as trained":
            other = models.TokenModel(**longer.SIZES, **kind, **longer.rotation(rule))
            other(tf.constant(longer.questions(text, longer.LENGTH)[0]))
            other.set_weights(model.get_weights())
        row = {"framework": "tf", "positions": positions, "seed": seed}
        row |= {"change": rule, "tuned": 0}
        for length in longer.LENGTHS:
            rows.append(row | longer.evaluate(models.score, other, text, length))
    return rows


if __name__ == "__main__":
    sizes = {"steps": longer.STEPS, "tuned_steps": longer.TUNED_STEPS}
    sizes |= {"trained_length": longer.LENGTH, "long": longer.LONG}
    order = sorted(POSITIONS, key=lambda kind: kind != "rotary")
    plan = [("pytorch", kind) for kind in order]
    beside = [("tf", kind) for kind in ("rotary", "none", "alibi")]
    run_plan("longer", plan, run, beside, whole=chosen_seeds, sizes=lambda: sizes)
