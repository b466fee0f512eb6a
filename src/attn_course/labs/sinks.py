"""The language model that ships, reading on in the memory of a window.

It reads streams of a book, many times longer than what it was trained on, through a
cache that keeps everything, a window of the last positions, or a window and the first
positions (sinks), all in the same memory. PyTorch.

python -m attn_course.labs.sinks --seeds 0 1 2
"""

import numpy as np

from attn_course.frameworks import torch
from attn_course.labs import run_plan
from attn_course.labs.generate import pytorch as lab
from attn_course.tasks.glassllm import load_book, load_tokenizer

LENGTH, STREAMS, CHUNK = 1024, 6, 32
MEMORY = 64
PARTS = ((0, 64), (64, 128), (128, 256), (256, 512), (512, 1024))
CACHES = {
    "all": {},
    "window": {"window": MEMORY},
    "1 sink": {"window": MEMORY - 1, "sinks": 1},
    "4 sinks": {"window": MEMORY - 4, "sinks": 4},
}


@torch.no_grad()
def read(model, tokens, **options):
    """The loss (B, T) of every next token, and whether the guess is right."""
    caches, losses, right = model.new_caches(len(tokens), LENGTH, **options), [], []
    for start in range(0, LENGTH, CHUNK):
        chunk = torch.from_numpy(tokens[:, start : start + CHUNK])
        following = torch.from_numpy(tokens[:, start + 1 : start + CHUNK + 1])
        logits = model(chunk, caches=caches)
        found = logits.log_softmax(dim=-1).gather(-1, following[..., None])
        losses.append(-found[..., 0].numpy())
        right.append((logits.argmax(dim=-1) == following).numpy())
    return np.concatenate(losses, axis=1), np.concatenate(right, axis=1)


def run(kind, seed):
    """One kind of cache on streams that the seed draws: a row per part."""
    model, tokens = lab.load_glassllm(), load_tokenizer().encode(load_book())
    starts = np.random.default_rng(seed).integers(
        len(tokens) - LENGTH - 1, size=STREAMS
    )
    streams = tokens[starts[:, None] + np.arange(LENGTH + 1)]
    losses, right = read(model, streams, **CACHES[kind])
    rows = []
    for first, last in PARTS:
        row = {"framework": "pytorch", "cache": kind, "seed": seed}
        row |= {"first": first, "last": last}
        row["loss"] = round(float(losses[:, first:last].mean()), 4)
        rows.append(row | {"exact": round(float(right[:, first:last].mean()), 4)})
    return rows


@torch.no_grad()
def on_the_first():
    """The mean weight on the first token: a number per layer and head.

    Over the last 64 of 128 tokens, which is as many as it was trained on.
    """
    model, tokens = lab.load_glassllm(), load_tokenizer().encode(load_book())
    rows = torch.from_numpy(tokens[: 64 * 128].reshape(64, 128))
    _, weights = model.encoder(model.embedding(rows), causal=True)
    return [
        [round(float(head[:, 64:, 0].mean()), 3) for head in layer.unbind(1)]
        for layer in weights
    ]


if __name__ == "__main__":
    torch.set_num_threads(1)
    run_plan("sinks", [(kind,) for kind in CACHES], run, on_the_first=on_the_first)
