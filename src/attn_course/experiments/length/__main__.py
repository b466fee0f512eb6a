"""Every kind of positions with every seed, in PyTorch; stores the record."""

from attn_course.experiments import chosen_seeds, store
from attn_course.experiments.length.pytorch import run
from attn_course.experiments.positions import POSITIONS
from attn_course.frameworks import torch

if __name__ == "__main__":
    seeds = chosen_seeds()
    torch.set_num_threads(1)
    rows = []
    for seed in seeds:
        for positions in POSITIONS:
            rows += run(positions, seed)
            print(rows[-1], flush=True)
    store("length", rows, seeds)
