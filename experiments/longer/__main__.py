"""Every kind of positions with every seed, in PyTorch; stores after each run."""

from attn_course.core.frameworks import torch
from attn_course.labs import longer
from attn_course.labs.positions import POSITIONS
from experiments import chosen_seeds, store
from experiments.longer.pytorch import run

if __name__ == "__main__":
    torch.set_num_threads(1)
    seeds, rows = chosen_seeds(), []
    order = sorted(POSITIONS, key=lambda kind: kind != "rotary")
    sizes = {"steps": longer.STEPS, "tuned_steps": longer.TUNED_STEPS}
    sizes |= {"trained_length": longer.LENGTH, "long": longer.LONG}
    for done, seed in enumerate(seeds):
        for positions in order:
            rows += run(positions, seed)
            print(rows[-1], flush=True)
            # What is stored names the seeds that are whole.
            whole = seeds[: done + (positions == order[-1])]
            store("longer", rows, seeds, whole=whole, sizes=sizes)
