"""Every kind of positions with every seed, in PyTorch; stores the record."""

from attn_course.experiments import run_plan
from attn_course.experiments.length.pytorch import run
from attn_course.experiments.positions import POSITIONS
from attn_course.frameworks import torch

if __name__ == "__main__":
    torch.set_num_threads(1)
    run_plan("length", [(positions,) for positions in POSITIONS], run)
