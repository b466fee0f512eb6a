"""Every method at every length, in both frameworks; stores the record. Linux alone."""

from attn_course.course.labs.flash import LENGTHS, METHODS
from experiments import run_plan
from experiments.bench.measure import one_thread, peak
from experiments.flash import pytorch as torch_runs, tf


def run(framework, method, positions, backward, seed):
    """One row of the record, alone in a list."""
    module = torch_runs if framework == "pytorch" else tf
    held = peak(module.runner(method, positions, backward, seed))
    row = {"framework": framework, "method": method, "positions": positions}
    return [row | {"backward": backward, "seed": seed, "peak_mib": held}]


if __name__ == "__main__":
    one_thread()
    plan = [
        (framework, method, positions, backward)
        for framework in ("pytorch", "tf")
        for backward in (False, True)
        for method in METHODS
        for positions in LENGTHS
    ]
    run_plan("flash", plan, run)
