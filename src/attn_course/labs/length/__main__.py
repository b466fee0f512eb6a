"""Every kind of positions with every seed, in PyTorch; stores the record."""

from attn_course.frameworks import torch
from attn_course.labs import run_plan
from attn_course.labs.length.pytorch import run
from attn_course.labs.positions import POSITIONS

if __name__ == "__main__":
    torch.set_num_threads(1)
    run_plan("length", [(positions,) for positions in POSITIONS], run)
