"""The control of chapter 6: a single name is asked for, with 1 to 32 heads."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.heads import LOOK_UP_STEPS
from attn_course.course.labs.heads.pytorch import LookUpModel, train_look_up
from experiments import run_plan


def run(num_heads, seed):
    """The share of right values with so many heads, in the last 100 steps."""
    torch.manual_seed(seed)
    model = LookUpModel(num_heads, num_asked=1)
    right = train_look_up(model, steps=LOOK_UP_STEPS, seed=seed, asked=1)
    row = {"heads": num_heads, "steps": LOOK_UP_STEPS, "seed": seed}
    return [row | {"exact": round(right[-1], 4)}]


if __name__ == "__main__":
    run_plan("one_name", [(heads,) for heads in (1, 2, 4, 8, 16, 32)], run)
