"""The language model of ``length`` with rotation by other bases, in PyTorch.

With a base of 10 every pair of columns completes a turn within the training.

python -m attn_course.experiments.bases --seeds 0 1 2
"""

from attn_course.experiments import chosen_seeds, store

BASES = (10.0, 100.0, 10_000.0, 500_000.0)

if __name__ == "__main__":
    from attn_course.experiments.length.pytorch import run
    from attn_course.frameworks import torch

    seeds = chosen_seeds()
    torch.set_num_threads(1)
    rows = []
    for seed in seeds:
        for base in BASES:
            rows += run("rotary", seed, base=base)
            print(rows[-1], flush=True)
    store("bases", rows, seeds)
