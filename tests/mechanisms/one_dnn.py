"""A program: every layer of TensorFlow with one query position and with one head, while oneDNN is on.

TensorFlow 2.21 with oneDNN writes beyond its memory in float32 products of (B, 1, M, K) with a matrix or a vector that
all of the batch share. ``attn_course`` turns oneDNN off, which comes too late where TensorFlow was imported first, as
here. Computed in float64, which oneDNN leaves alone, the same layer must give the same numbers.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

os.environ["TF_ENABLE_ONEDNN_OPTS"] = "1"
sys.path += [str(folder) for folder in (Path(__file__).parents[1], Path(__file__).parents[1] / "contract")]

import torch  # isort: skip
import keras
import numpy as np
from cases import ALL, CASES, VARIANTS, case_of, flat, said
from support import close

from attn_course import reference, tf
from attn_course.parity import get_parameters, set_parameters

BATCHES = (1, 2, 7, 8, 64)
ADDED = (("linear_attention", {"decay": "learned"}), ("longformer_attention", {"global_projections": True}))


def layers():
    """The contract's, with as many heads as they have there and with one; but for what one rounding can turn over."""
    added = (case_of(replace(ALL[name], sizes={**ALL[name].sizes, **more})) for name, more in ADDED)
    for case in (*CASES, *VARIANTS, *added):
        if case.layer and (case.name == "lsh_attention" or not case.declared.jumps):
            yield case
            heads = {name: 1 for name in ("num_heads", "num_kv_heads") if case.sizes.get(name)}
            if heads:
                yield case._replace(sizes=case.sizes | heads)


def compare(case):
    narrow, wide = (case.build("tf", dtype) for dtype in ("float32", "float64"))
    parameters = {key: np.float32(x) for key, x in get_parameters(narrow).items()}
    set_parameters(wide, parameters)
    lengths = {"T": 1} if case.fixed != "TS" else {}  # a layout is of one length
    lengths |= {"H": case.sizes["num_heads"]} if "num_heads" in case.sizes else {}
    calls = [case.call_options] if "decay" in case.sizes else [{}]  # what decays is causal
    calls += [{"absorbed": True}] * ("absorbed" in case.call_options)
    for B in BATCHES:
        inputs, _ = case.sized(lambda letter, size, B=B: (lengths | {"B": B}).get(letter, size))
        inputs = {name: np.float64(np.float32(x)) if x.dtype == float else x for name, x in inputs.items()}
        for options in calls:
            with said(case.name, case.sizes, options, f"batch {B}"):
                found = flat(case.run("tf", narrow, inputs, None, "float32", **options))
                close(found, flat(case.run("tf", wide, inputs, None, **options)), 2e-4)


def functions():
    """What the layers above compute, as functions of tensors, against NumPy."""
    rng, shapes = np.random.default_rng(1), {"query_weight": (13, 17), "memory_weight": (14, 17), "score_weight": (17,)}
    for B in BATCHES:
        query, memory = rng.normal(size=(B, 1, 13)), rng.normal(size=(B, 7, 14))
        parameters = {key: rng.normal(size=shape) for key, shape in shapes.items()}
        given = keras.tree.map_structure(lambda x: keras.ops.cast(x, "float32"), (query, memory, parameters))
        close(tf.additive_attention(*given), reference.additive_attention(query, memory, parameters), 2e-4)


def main():
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)
    functions()
    cases = [*layers()]
    for case in cases:
        print(case, case.sizes, flush=True)
        compare(case)
    print(f"{len(cases)} layers agree")


if __name__ == "__main__":
    main()
