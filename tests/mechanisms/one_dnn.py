"""A program: every layer of TensorFlow with one query position and with one head, while oneDNN is on.

TensorFlow 2.21 with oneDNN writes beyond its memory in float32 products of (B, 1, M, K) with a matrix or a vector that
all of the batch share. ``attn_course`` turns oneDNN off, which comes too late where TensorFlow was imported first, as
here. Computed in float64, which oneDNN leaves alone, the same layer must give the same numbers.
"""

import dataclasses
import os
import sys
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"

import torch  # noqa: F401, I001
import keras
import numpy as np

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "contract")]
from cases import CASES, SPECIFICATIONS, VARIANTS, case_of, flat, specified  # noqa: E402

BATCHES = (1, 2, 8, 64)


def cases():
    """Those of the contract, and those over heads with one head."""
    for case in (*CASES, *(x for x in VARIANTS if "luong" in x.name or "local" in x.name)):
        yield case
        if {"key_dim", "num_heads"} <= case.declared.sizes.keys() and case.declared.name not in SPECIFICATIONS:
            sizes = {**case.declared.sizes, "num_heads": 1}
            yield case_of(dataclasses.replace(case.declared, sizes=sizes), name=f"{case}, one head")


def compare(case):
    """Each query alone, in batches of many sizes; what can be causal, so that a decay may be learned."""
    item = case.build("tf", "float32")
    options = {"causal": True} if "causal" in case.options else {}
    for B in BATCHES:
        axes = {"B": B} if "T" in case.fixed or case.alone else {"B": B, "T": 1}
        inputs, _ = case.sized(lambda letter, size, axes=axes: axes.get(letter, size))
        inputs = {name: x if x.dtype.kind == "i" else np.float64(np.float32(x)) for name, x in inputs.items()}
        found = case.run("tf", item, inputs, None, "float32", **options)
        expected = specified(case, item, inputs, None, **options)
        for one, other in zip(flat(found), flat(expected), strict=True):
            if one is not None:
                np.testing.assert_allclose(one, other, 5e-4, 5e-4, err_msg=f"batch {B}")


def main():
    keras.utils.set_random_seed(0)
    count = 0
    for case in cases():
        print(case, flush=True)
        compare(case)
        count += 1
    print(f"{count} layers agree")


if __name__ == "__main__":
    main()
