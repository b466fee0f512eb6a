"""Language models that read on in the memory of a window, with and without sinks.

A cache keeps everything, a window of the last positions, or a window and the first
positions (sinks), all but the first in the same memory. Three models: the one that
ships, on streams many times longer than what it was trained on; and two models of
bytes, on windows as long as in their training: one was always trained behind a token
that begins the text, the other was not.

python -m experiments.sinks --seeds 0 1 2
"""

from functools import cache

import numpy as np

from attn_course.core.frameworks import tf, torch
from attn_course.course.labs.generate import pytorch as torch_lab, tf as tf_lab
from attn_course.course.labs.positions import rate_at
from attn_course.course.labs.uptrain import LENGTH, RATE, SMALL, batches, windows
from attn_course.course.training import pytorch as torch_loop, tf as tf_loop
from attn_course.tasks.glassllm import load_book, load_tokenizer
from attn_course.tasks.topics import load_topics
from experiments import draw_from, run_plan

CACHES = {"all": (0, 0), "window": (1, 0), "1 sink": (1, 1), "4 sinks": (1, 4)}
# tokens of a stream, what the caches keep, and how the positions are divided
LONG = {"length": 1024, "memory": 64}
LONG_PARTS = ((0, 64), (64, 128), (128, 256), (256, 512), (512, 1024))
SHORT = {"length": LENGTH, "memory": 16}
SHORT_PARTS = ((0, 16), (16, 32), (32, 48), (48, 64))
STREAMS, STEPS, BEGIN = 6, 700, 0
FACES = {
    "pytorch": (torch_lab, torch_loop, torch.from_numpy),
    "tf": (tf_lab, tf_loop, tf.constant),
}


def behind_begin(data):
    """The same windows, each behind the token BEGIN and without its last byte."""
    for tokens, targets in data:
        begin = np.full_like(tokens[:, :1], BEGIN)
        yield (
            np.hstack([begin, tokens[:, :-1]]),
            np.hstack([tokens[:, :1], targets[:, :-1]]),
        )


@cache
def model_and_streams(framework, name, seed):
    """A trained model, and tokens (B, T) with those that follow them."""
    lab, loop, _ = FACES[framework]
    if name == "shipped":
        tokens = load_tokenizer().encode(load_book())
        places = np.random.default_rng(seed).integers(
            len(tokens) - LONG["length"], size=STREAMS
        )
        streams = tokens[places[:, None] + np.arange(LONG["length"] + 1)]
        return lab.load_glassllm(), (streams[:, :-1], streams[:, 1:])
    draw_from(seed)
    model = lab.build(**SMALL)
    data, tested = (
        batches(load_topics("train"), seed=seed),
        windows(load_topics("test")),
    )
    if name == "begin":
        data, tested = behind_begin(data), next(behind_begin([tested]))
    options = {"rate": RATE, "clip": 1.0, "schedule": rate_at, "every": 100}
    loop.train(model, data, lab.loss, steps=STEPS, **options)
    return model, tested


@torch.no_grad()
def read(model, tokens, targets, kind, *, length, memory):
    """The loss (B, T) of every next token, and whether the guess is right."""
    framework = "pytorch" if isinstance(model, torch.nn.Module) else "tf"
    lab, _, tensor = FACES[framework]
    limited, sinks = CACHES[kind]
    options = {"window": memory - sinks, "sinks": sinks} if limited else {}
    cache, losses, right = model.new_cache(len(tokens), length, **options), [], []
    for start in range(0, length, 16):
        chunk, following = (
            np.ascontiguousarray(x[:, start : start + 16]) for x in (tokens, targets)
        )
        logits = torch.from_numpy(lab.logits_of(model, tensor(chunk), cache).numpy())
        following = torch.from_numpy(following)
        found = logits.log_softmax(dim=-1).gather(-1, following[..., None])
        losses.append(-found[..., 0].numpy())
        right.append((logits.argmax(dim=-1) == following).numpy())
    return np.concatenate(losses, axis=1), np.concatenate(right, axis=1)


@torch.no_grad()
def on_the_first(model, tokens, tensor):
    """The largest of all heads' mean weights on the first of 64 tokens.

    Over the queries of the second half.
    """
    _, weights = model.stack(
        model.embedding(tensor(tokens[:, :64].copy())), causal=True
    )
    firsts = (x[:, :, 32:, 0].numpy().mean((0, 2)).max() for x in weights)
    return round(float(max(firsts)), 3)


def run(framework, name, seed):
    """All kinds of cache with one model: a row per part of the positions."""
    model, (tokens, targets) = model_and_streams(framework, name, seed)
    sizes, parts = (LONG, LONG_PARTS) if name == "shipped" else (SHORT, SHORT_PARTS)
    first_weight, rows = on_the_first(model, tokens, FACES[framework][-1]), []
    for kind in CACHES:
        losses, right = read(model, tokens, targets, kind, **sizes)
        for first, last in parts:
            row = {"framework": framework, "model": name, "cache": kind}
            row |= {"first": first, "last": last, "seed": seed, "weight": first_weight}
            row["loss"] = round(float(losses[:, first:last].mean()), 4)
            rows.append(row | {"exact": round(float(right[:, first:last].mean()), 4)})
    return rows


if __name__ == "__main__":
    plan = [("pytorch", name) for name in ("shipped", "begin", "no begin")]
    run_plan("sinks", plan, run, [("tf", "begin"), ("tf", "no begin")])
