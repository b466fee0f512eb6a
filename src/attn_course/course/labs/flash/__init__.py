"""How much memory attention holds at most, by length: with all weights, and by tiles.

The process's own peak, as Linux counts it, beside what it held before: the output, the
gradients and everything between. 4 heads of width 64 in float32.
"""

import numpy as np

from attn_course.course.labs import load_record

HEADS, WIDTH = 4, 64
LENGTHS = (512, 1024, 2048, 4096, 8192)
# Below, what a process took earlier and still holds hides a part of the peak.
DRAWN = LENGTHS[2:]
METHODS = ("scaled_dot_product_attention", "flash_attention")


def draw(positions, seed):
    """Query, key and value: (3, 1, heads, positions, width)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3, 1, HEADS, positions, WIDTH)).astype(np.float32)


def peaks(framework, backward):
    """method -> the peaks of the record's runs in MiB, (DRAWN, runs)."""
    found = {}
    for method in METHODS:
        chosen = {"framework": framework, "backward": backward, "method": method}
        by_length = {n: [] for n in DRAWN}
        for row in load_record("flash")["rows"]:
            if chosen.items() <= row.items() and row["positions"] in DRAWN:
                by_length[row["positions"]].append(row["peak_mib"])
        found[method] = np.array(list(by_length.values()))
    return found
