"""What one more token costs: everything anew, from a cache, or from a state.

One layer's attention alone, on one thread, 4 heads of width 64, without projections.
"recompute" attends from all positions to all before them, as without a cache every
layer but the last must; "cache" attends from the last position to stored keys and
values; "state" is a step of linear attention. The least of rounds that take turns; in a
round each way runs twice and the second counts, so that no way pays for what another
pushed out of the processor's cache. In the thread's own time, which others on the
machine don't add to.

python -m experiments.decoding --seeds 0 1 2
"""

import time

from attn_course.core.frameworks import torch
from attn_course.pytorch import linear_attention_step, scaled_dot_product_attention
from experiments import run_plan

HEADS, WIDTH, ROUNDS = 4, 64, 60
CONTEXTS, BATCHES = (64, 256, 1024, 4096), (1, 16)
MOST = 8192  # positions in a batch, above which nothing is computed anew


def programs(batch, context):
    """The ways to the next token, as functions of no arguments."""
    shape = batch, HEADS, context, WIDTH
    query, key, value = (torch.randn(shape) for _ in range(3))
    last = [x[:, :, -1:] for x in (query, key, value)]
    state = torch.rand(batch, HEADS, WIDTH, WIDTH), torch.rand(batch, HEADS, WIDTH)
    found = {
        "cache": lambda: scaled_dot_product_attention(
            last[0], key, value, need_weights=False
        ),
        "state": lambda: linear_attention_step(state, *last),
    }
    if batch * context <= MOST:
        found["recompute"] = lambda: scaled_dot_product_attention(
            query, key, value, causal=True, need_weights=False
        )
    return found


@torch.no_grad()
def run(batch, context, seed):
    """Milliseconds per token of each way: rows of the record."""
    torch.manual_seed(seed)
    ways = programs(batch, context)
    times = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, program in ways.items():
            program()
            begin = time.thread_time()
            program()
            times[name].append(1000 * (time.thread_time() - begin))
    row = {"batch": batch, "context": context, "seed": seed}
    return [
        {"way": name, **row, "milliseconds": round(min(taken), 4)}
        for name, taken in times.items()
    ]


if __name__ == "__main__":
    run_plan("decoding", [(b, n) for b in BATCHES for n in CONTEXTS], run)
