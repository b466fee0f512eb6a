"""Every kind of positions with every seed, in PyTorch; stores the record."""

from attn_course.course.labs.positions import POSITIONS
from experiments import run_plan
from experiments.length.pytorch import run

if __name__ == "__main__":
    run_plan("length", [(positions,) for positions in POSITIONS], run)
