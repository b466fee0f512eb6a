"""The game of pairs by every reader, with every seed and in both frameworks."""

from attn_course.course.labs import pairs as lab
from attn_course.course.labs.pairs import pytorch as torch_pairs, tf
from attn_course.tasks.pairs import pairs, right_by_distance
from experiments import draw_from, run_plan


def run(framework, reader, seed):
    """Train one player and test it; returns the row of the record, alone in a list."""
    draw_from(seed)
    module = torch_pairs if framework == "pytorch" else tf
    model = module.Player(reader)
    log = module.train(model, steps=lab.STEPS, seed=seed)
    test = next(pairs(lab.ROWS, seed=1000))
    guess = module.guess(model, test)
    exact = round(float((guess == test.answer).mean()), 4)
    row = {"framework": framework, "reader": reader, "seed": seed, "steps": lab.STEPS}
    found = {"exact": exact, "loss": lab.settled(log)}
    return [row | found | {"by_length": right_by_distance(guess, test)}]


if __name__ == "__main__":
    plan = [(name, reader) for name in ("pytorch", "tf") for reader in lab.READERS]
    run_plan("pairs", plan, run)
