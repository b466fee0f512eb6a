"""Every reader with every seed; stores the record."""

from attn_course.tasks.digits import load_digits
from experiments import draw_from, run_plan
from experiments.digits import LOOKS, STEPS, pytorch as torch_readers, tf

READERS = [("pixels", "PixelReader", look) for look in LOOKS]
READERS += [("rows", "RowReader", attends) for attends in (True, False)]


def run(framework, kind, reader, setting, seed):
    """Train one reader and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    module = torch_readers if framework == "pytorch" else tf
    model = getattr(module, reader)(setting)
    module.train(model, load_digits("train"), steps=STEPS, seed=seed)
    exact = round(float(module.accuracy(model, load_digits("test"))), 4)
    row = {"framework": framework, "reader": kind, "looks": setting, "seed": seed}
    return [row | {"steps": STEPS, "exact": exact}]


if __name__ == "__main__":
    plan = [(name, *reader) for name in ("pytorch", "tf") for reader in READERS]
    run_plan("digits", plan, run)
