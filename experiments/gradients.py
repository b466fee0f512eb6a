"""The last layer's gradient before training, against the depth, norm before or after.

python -m experiments.gradients --seeds 0 1 2
"""

from itertools import product

from attn_course.course.labs.norms import DEPTHS
from experiments import run_plan
from experiments.norms import pytorch, tf


def measure(framework, norm, depth, seed):
    """One random start: a row with the gradient's size."""
    module = pytorch if framework == "pytorch" else tf
    row = {"framework": framework, "norm": norm, "depth": depth, "seed": seed}
    return [row | {"size": module.last_gradient(norm, depth, seed)}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], ("post", "pre"), DEPTHS))
    beside = [("tf", *each) for _, *each in plan]
    run_plan("gradients", plan, measure, beside)
