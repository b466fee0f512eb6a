"""Rows of the sparse patterns: beside dense attention, which computes all pairs.

The two of a row don't give the same output, but attend over the same sequence; the
tests say that the pattern is computed exactly. ``growth`` and ``peak`` are for a look:
``python -m attn_course.bench.sparse``.
"""

import math
import os
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from attn_course.bench import Row

HEADS, WIDTH = 8, 64
SIZES = {
    "window": ("sliding_window_attention", {"window": 257}),
    "strided split": ("strided_attention", {"stride": 64, "heads": "split"}),
    "strided merged": ("strided_attention", {"stride": 64}),
    "fixed": ("fixed_attention", {"stride": 64, "summary": 8}),
    "BigBird": (
        "big_bird_attention",
        {"block_size": 64, "num_random": 3, "seed": 0},
    ),
}


def draw(positions):
    rng = np.random.default_rng(0)
    shape = 1, HEADS, positions, WIDTH
    return [rng.normal(size=shape).astype(np.float32) for _ in range(3)]


def pattern_torch(name, positions):
    """A function of no arguments that runs a pattern, without gradients."""
    from attn_course import pytorch
    from attn_course.frameworks import torch

    inputs = [torch.from_numpy(x) for x in draw(positions)]
    function, sizes = SIZES[name]
    call = partial(getattr(pytorch, function), *inputs, **sizes)
    return torch.no_grad()(lambda: call()[0])


def pattern_tf(name, positions):
    """The same in a graph of TensorFlow."""
    from attn_course import tf as attn_tf
    from attn_course.frameworks import tf

    inputs = [tf.constant(x) for x in draw(positions)]
    function, sizes = SIZES[name]
    call = partial(getattr(attn_tf, function), **sizes)
    graph = tf.function(lambda *heads: call(*heads)[0])
    return lambda: graph(*inputs).numpy()


def _beside_dense(name, positions, causal):
    from attn_course.frameworks import torch

    inputs = [torch.from_numpy(x) for x in draw(positions)]
    dense = torch.nn.functional.scaled_dot_product_attention

    @torch.no_grad()
    def peer():
        return dense(*inputs, is_causal=causal)

    return pattern_torch(name, positions), peer


def _beside_torch(name, positions):
    return pattern_tf(name, positions), pattern_torch(name, positions)


def _row(name, positions, causal, goal):
    what = "causal SDPA" if causal else "SDPA"
    make = partial(_beside_dense, name, positions, causal)
    return Row(f"{name}, PyTorch, {positions} positions", what, make, goal, same=False)


ROWS = [
    _row("window", 8192, False, 1 / 5),
    _row("strided split", 4096, True, 1 / 4),
    _row("strided merged", 4096, True, 1 / 2),
    _row("fixed", 4096, True, 1 / 2),
    _row("BigBird", 4096, False, 1 / 2),
    *(
        Row(
            f"{name}, TensorFlow, 4096 positions",
            "the same in PyTorch",
            partial(_beside_torch, name, 4096),
            None,
        )
        for name in SIZES
    ),
]


def growth(name, first=4096, last=32768, rounds=5):
    """The exponent of the time between two lengths: log of the ratio of best times."""
    return exponent(partial(pattern_torch, name), first, last, rounds)


def exponent(make, first, last, rounds=5):
    """The same for any ``make(positions) -> run``."""
    best = {}
    for positions in (first, last):
        run = make(positions)
        run()
        best[positions] = min(_seconds(run) for _ in range(rounds))
    return math.log(best[last] / best[first]) / math.log(last / first)


def _seconds(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def peak(name, positions=32768):
    """MiB that a run holds at most beside its inputs, output included; on Linux."""
    return peak_of(partial(pattern_torch, name), positions)


def peak_of(make, positions):
    """The same for any ``make(positions) -> run``."""
    run = make(positions)
    make(1024)()  # what is loaded once
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory("VmRSS")
    run()
    return _memory("VmHWM") - before


def _memory(field):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(x.split()[1]) for x in lines if x.startswith(field)) / 1024


if __name__ == "__main__":
    from attn_course.bench.__main__ import one_thread

    one_thread()
    output = 32768 * HEADS * WIDTH * 4 / 2**20
    for pattern in ("window", "strided split", "BigBird"):
        found = peak(pattern)
        print(f"{pattern}: peak {found:.0f} MiB at 32768, the output is {output:.0f}")
    for pattern in ("window", "strided split", "BigBird"):
        print(f"{pattern}: time grows as n^{growth(pattern):.2f} from 4096 to 32768")
