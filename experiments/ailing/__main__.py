"""Every cause with every seed; in TensorFlow with one."""

from experiments import run_plan
from experiments.ailing import CAUSES, pytorch, tf


def _short(value):
    if isinstance(value, list):
        return [_short(each) for each in value]
    return round(value, 4) if value > 0.001 else float(f"{value:.1g}")


def row(framework, cause, seed):
    """One run, alone in a list."""
    module = pytorch if framework == "pytorch" else tf
    read = {name: _short(value) for name, value in module.readings(cause, seed).items()}
    return [{"framework": framework, "cause": cause, "seed": seed, **read}]


if __name__ == "__main__":
    plan = [("pytorch", cause) for cause in CAUSES]
    run_plan("ailing", plan, row, [("tf", cause) for cause in CAUSES])
