"""Both kinds of attention with every seed, in both frameworks; stores the record."""

from attn_course.core.frameworks import keras, torch
from attn_course.course.labs.pixels import ATTENTIONS, STEPS, tf
from attn_course.course.labs.pixels import pytorch as torch_pixels
from attn_course.tasks.digits import load_digits
from experiments import run_plan


def run(framework, attention, seed):
    """Train one writer and test it; returns the row of the record, alone in a list."""
    torch.manual_seed(seed)
    keras.utils.set_random_seed(seed)
    module = torch_pixels if framework == "pytorch" else tf
    model = module.Writer(attention)
    log = module.train(model, load_digits("train"), steps=STEPS, seed=seed)
    bits, exact = module.score(model, load_digits("test"))
    row = {"framework": framework, "attention": attention, "seed": seed, "steps": STEPS}
    found = {"bits": round(bits, 4), "exact": round(exact, 4)}
    return [row | found | {"loss": [round(line.loss, 4) for line in log[-3:]]}]


if __name__ == "__main__":
    run_plan("pixels", [(f, a) for f in ("pytorch", "tf") for a in ATTENTIONS], run)
