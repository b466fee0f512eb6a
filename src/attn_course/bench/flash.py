"""Rows of flash attention, tiled by hand: beside the fused kernel and the textbook.

``peak`` and ``growth`` are for a look: ``python -m attn_course.bench.flash``.
"""

import os
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")

from attn_course.bench import Row
from attn_course.bench.sparse import HEADS, WIDTH, draw, exponent, peak_of

NAMES = ("flash_attention", "scaled_dot_product_attention")


def flash_torch(positions, causal=False, name="flash_attention"):
    """A function of no arguments that attends tile by tile, without gradients."""
    from attn_course import pytorch
    from attn_course.frameworks import torch

    inputs = [torch.from_numpy(x) for x in draw(positions)]
    function = partial(getattr(pytorch, name), *inputs, causal=causal)
    return torch.no_grad()(lambda: function()[0])


def flash_tf(positions):
    """The same in a graph of TensorFlow."""
    from attn_course import tf as attn_tf
    from attn_course.frameworks import tf

    inputs = [tf.constant(x) for x in draw(positions)]
    graph = tf.function(lambda *heads: attn_tf.flash_attention(*heads)[0])
    return lambda: graph(*inputs).numpy()


def _beside_fused(positions, causal):
    from attn_course.frameworks import torch

    inputs = [torch.from_numpy(x) for x in draw(positions)]
    fused = torch.nn.functional.scaled_dot_product_attention

    @torch.no_grad()
    def peer():
        return fused(*inputs, is_causal=causal)

    return flash_torch(positions, causal), peer


def _beside_textbook(positions):
    from attn_course.frameworks import torch

    query, key, value = (torch.from_numpy(x) for x in draw(positions))

    @torch.no_grad()
    def peer():
        return torch.softmax(query @ key.mT * WIDTH**-0.5, dim=-1) @ value

    return flash_torch(positions), peer


def _beside_torch(positions):
    return flash_tf(positions), flash_torch(positions)


ROWS = [
    *(
        Row(
            f"flash by hand{', causal' if causal else ''}, PyTorch, {n} positions",
            "causal SDPA" if causal else "SDPA",
            partial(_beside_fused, n, causal),
            None if causal else 1.4,
        )
        for n, causal in ((2048, False), (4096, False), (4096, True))
    ),
    Row(
        "flash by hand, PyTorch, 4096 positions, and all weights",
        "the textbook's three lines",
        partial(_beside_textbook, 4096),
        1 / 2.2,
    ),
    Row(
        "flash by hand, TensorFlow, 2048 positions",
        "the same in PyTorch",
        partial(_beside_torch, 2048),
        None,
    ),
]


def peak(name, positions=8192):
    """MiB that a run holds at most beside its inputs, output included; on Linux."""
    return peak_of(partial(flash_torch, name=name), positions)


if __name__ == "__main__":
    from attn_course.bench.__main__ import one_thread

    one_thread()
    output = 8192 * HEADS * WIDTH * 4 / 2**20
    for each in NAMES:
        print(f"{each}: peak {peak(each):.0f} MiB at 8192, the output is {output:.0f}")
    print(f"time grows as n^{exponent(flash_torch, 1024, 4096):.2f} from 1024 to 4096")
