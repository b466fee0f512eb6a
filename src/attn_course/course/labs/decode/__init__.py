"""How long a token takes behind a long context, and how many bytes it reads.

One step of decoding: the attention of one new token in one layer of 32 heads of width
64, with the cache of one sequence. MHA, GQA with 8 heads of key and value, MQA, and
latent attention (512 + 64 numbers per position) in its absorbed form.

python -m experiments.decode --seeds 0 1 2
"""

import time

import numpy as np

HEADS, WIDTH, LATENT, TURNED = 32, 64, 512, 64
CONTEXTS = (1024, 2048, 4096, 8192, 16384)
KINDS = ("MHA", "GQA-8", "MQA", "MLA")
ROUNDS = 15


def cached(kind, context, size=4):
    """The bytes of keys and values that a step reads."""
    if kind == "MLA":
        return context * (LATENT + TURNED) * size
    heads = {"MHA": HEADS, "GQA-8": 8, "MQA": 1}[kind]
    return context * heads * 2 * WIDTH * size


def products(kind, context):
    """Multiplications and additions of scores and averages, for all heads."""
    width = (LATENT + TURNED) + LATENT if kind == "MLA" else 2 * WIDTH
    return 2 * HEADS * context * width


def milliseconds(step, rounds=ROUNDS):
    """The median of some rounds, after one that does not count.

    Time of the thread, which other programs on the machine don't lengthen.
    """
    step()
    times = []
    for _ in range(rounds):
        begin = time.thread_time()
        step()
        times.append(1e3 * (time.thread_time() - begin))
    return float(np.median(times))
