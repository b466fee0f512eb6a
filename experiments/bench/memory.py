"""What the tiles and patterns hold at most at long lengths, for a look; Linux alone.

python -m experiments.bench.memory
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from attn_course.files import ending_in_one_line
from experiments.bench.cases import WIDTH
from experiments.bench.measure import one_thread, peak
from experiments.bench.mechanisms import HEADS, in_torch

LENGTHS = {
    "flash_attention": 8192,
    "sliding_window_attention": 32768,
    "strided_attention": 32768,
    "big_bird_attention": 32768,
}

if __name__ == "__main__":
    one_thread()
    with ending_in_one_line("nothing was to be kept"):
        for name, n in LENGTHS.items():
            held, output = peak(in_torch(name, n)), n * HEADS * WIDTH * 4 / 2**20
            print(f"{name}: {held:.0f} MiB at {n}, of which the output {output:.0f}")
