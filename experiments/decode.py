"""A step of decoding: every kind behind every context, in PyTorch on one thread."""

from attn_course.core.frameworks import torch
from attn_course.course.labs.decode import CONTEXTS, KINDS, milliseconds
from attn_course.course.labs.decode.pytorch import make_step, thread
from experiments import run_plan


def run(context, seed):
    """All kinds behind one context: a row of the record for each."""
    rows = []
    for kind in KINDS:
        torch.manual_seed(seed)
        step, size = make_step(kind, context)
        row = {"framework": "pytorch", "kind": kind, "context": context}
        row |= {"seed": seed, "bytes": size}
        rows.append(row | {"milliseconds": round(milliseconds(step), 4)})
    return rows


if __name__ == "__main__":
    plan = [(context,) for context in CONTEXTS]
    run_plan("decode", plan, run, thread=thread)
