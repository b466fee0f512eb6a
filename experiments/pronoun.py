"""What "it" means, by readers in both frameworks; then their arrows are cut."""

from attn_course.course.labs import pronoun as lab
from attn_course.course.labs.pronoun import pytorch as torch_reader, tf
from attn_course.tasks.pronoun import sentences
from experiments import draw_from, run_plan


def run(framework, reader, residual, seed):
    """Train one reader and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    module = torch_reader if framework == "pytorch" else tf
    model = module.Reader(lab.may_see(reader), residual=residual)
    log = module.train(model, steps=lab.STEPS, seed=seed)
    row = {"framework": framework, "reader": reader, "residual": residual}
    row |= {"seed": seed, "steps": lab.STEPS}
    row["loss"] = [round(line.loss, 4) for line in (log[4], log[-1])]  # near 100, last
    row["exact"] = exact(module, model)
    if reader == "all words":
        row["shares"] = {}
        for name in lab.CUTS:
            model.mask = lab.cut(name)
            row["shares"][name] = exact(module, model)
    return [row]


def exact(module, model):
    """The share of test sentences whose "it" copies the right word."""
    test = sentences("test")
    found, _ = module.guess(model, test.words)
    return round(float((found == test.answer).mean()), 4)


if __name__ == "__main__":
    readers = [(reader, True) for reader in lab.READERS] + [("all words", False)]
    plan = [(name, *reader) for name in ("pytorch", "tf") for reader in readers]
    run_plan("pronoun", plan, run)
