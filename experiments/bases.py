"""The language model of ``length`` with rotation by other bases, in PyTorch.

With a base of 10 every pair of columns completes a turn within the training.

python -m experiments.bases --seeds 0 1 2
"""

from experiments import run_plan
from experiments.length.pytorch import run

BASES = (10.0, 100.0, 10_000.0, 500_000.0)

if __name__ == "__main__":
    plan = [(base,) for base in BASES]
    run_plan("bases", plan, lambda base, seed: run("rotary", seed, base=base))
