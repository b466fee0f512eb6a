"""Every kind of positions with every seed, in PyTorch."""

from attn_course.course.labs import longer
from attn_course.course.labs.positions import POSITIONS
from experiments import chosen_seeds, run_plan
from experiments.longer.pytorch import run

if __name__ == "__main__":
    sizes = {"steps": longer.STEPS, "tuned_steps": longer.TUNED_STEPS}
    sizes |= {"trained_length": longer.LENGTH, "long": longer.LONG}
    order = sorted(POSITIONS, key=lambda kind: kind != "rotary")
    plan = [(kind,) for kind in order]
    run_plan("longer", plan, run, whole=chosen_seeds, sizes=lambda: sizes)
