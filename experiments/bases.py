"""The language model of ``length`` with rotation by other bases.

With a base of 10 every pair of columns completes a turn within the training.

python -m experiments.bases --seeds 0 1 2
"""

from experiments import run_plan
from experiments.length import run

BASES = (10.0, 100.0, 10_000.0, 500_000.0)


def of_base(framework, base, seed):
    """The rows of ``length`` for a rotation by one base."""
    return run(framework, "rotary", seed, base=base)


if __name__ == "__main__":
    plan, beside = ([(name, base) for base in BASES] for name in ("pytorch", "tf"))
    run_plan("bases", plan, of_base, beside)
