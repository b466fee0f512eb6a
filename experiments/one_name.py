"""The control of chapter 6: a single name is asked for, with 1 to 32 heads.

python -m experiments.one_name --seeds 0 1 2
"""

from attn_course.course.labs.heads import LOOK_UP_STEPS, pytorch, tf
from experiments import draw_from, run_plan
from experiments.heads import COUNTS, FEW


def run(framework, num_heads, seed):
    """The share of right values with so many heads, in the last 100 steps."""
    draw_from(seed)
    lab = pytorch if framework == "pytorch" else tf
    model = lab.LookUpModel(num_heads, num_asked=1)
    right = lab.train_look_up(model, steps=LOOK_UP_STEPS, seed=seed, asked=1)
    row = {"framework": framework, "heads": num_heads, "steps": LOOK_UP_STEPS}
    return [row | {"seed": seed, "exact": round(right[-1], 4)}]


if __name__ == "__main__":
    plan = [("pytorch", heads) for heads in COUNTS]
    beside = [("tf", heads) for heads in FEW]
    run_plan("one_name", plan, run, beside)
