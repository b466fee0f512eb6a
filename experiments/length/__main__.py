"""Every kind of positions with every seed; in TensorFlow some, with one seed."""

from attn_course.course.labs.positions import POSITIONS
from experiments import run_plan
from experiments.length import run

if __name__ == "__main__":
    plan = [("pytorch", positions) for positions in POSITIONS]
    beside = [("tf", "rotary"), ("tf", "alibi")]
    run_plan("length", plan, run, beside)
