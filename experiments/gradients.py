"""The last layer's gradient before training, against the depth, norm before or after.

python -m experiments.gradients --seeds 0 1 2
"""

from attn_course.course.labs.norms import DEPTHS
from experiments import run_plan


def measure(norm, depth, seed):
    """One random start: a row with the gradient's size."""
    from experiments.norms.pytorch import last_gradient

    size = last_gradient(norm, depth, seed)
    return [{"norm": norm, "depth": depth, "seed": seed, "size": size}]


if __name__ == "__main__":
    plan = [(norm, depth) for norm in ("post", "pre") for depth in DEPTHS]
    run_plan("gradients", plan, measure)
