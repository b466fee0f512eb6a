"""What share of the attention a sixteenth to a half of the keys holds, chosen in ways.

The language model that ships stays as it is. Indexers of 1 and of 8 heads learn, by
KL, what its layers attend to; then they choose on pages that they have not seen, beside
the best choice that there is, a window, a hash and lots. Last the model reads an
eighth of the keys alone: its loss in nats.

python -m experiments.indexer --seeds 0 1 2
"""

import time
from functools import cache

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs import indexer as lab
from attn_course.course.labs.generate import pytorch as torch_lab, tf as tf_lab
from attn_course.course.labs.indexer import pytorch as in_torch, tf as in_tf
from experiments import draw_from, run_plan

KINDS = ("all", "best of each head", "best", "window", "LSH", "random")
SHARES = (16, 8, 4, 2)
INDEXERS = {"indexer 8": 8, "indexer 1": 1, "untrained": 8}
FACES = {"pytorch": in_torch, "tf": in_tf}
LABS = {"pytorch": torch_lab, "tf": tf_lab}


@cache
def lessons(framework):
    """Of each layer: inputs, and the mean of its heads' weights as one head's."""
    model, found = LABS[framework].load_glassllm(), []
    for tokens in np.array_split(lab.pages("train"), 8):
        _, layers = FACES[framework].read(model, tokens)
        found.append([(x, w.mean(1, keepdims=True)) for x, w in layers])
    return [
        tuple(map(np.concatenate, zip(*each, strict=True)))
        for each in zip(*found, strict=True)
    ]


def indexers(framework, kind, seed):
    """One for each layer, and the seconds that their training took."""
    draw_from(seed)
    module = FACES[framework]
    made = [module.Indexer(INDEXERS[kind]) for _ in range(4)]
    started = time.process_time()
    if kind != "untrained":
        for each, (x, weights) in zip(made, lessons(framework), strict=True):
            module.train(each, x, weights, seed=seed)
    return made, time.process_time() - started


@torch.no_grad()
def collisions(layer, x, seed):
    """How often query and key of a layer fall into one bucket."""
    x = torch.from_numpy(x) if isinstance(layer, torch.nn.Module) else x
    query, key, _ = layer.project(x, x, x)
    query, key = (np.asarray(part) for part in layer.prepare(query, key))
    return lab.hashed(query, key.repeat(2, axis=1), seed)


def run(framework, kind, seed):
    """A row: the share of the mass in each layer, ties, nats."""
    module, tokens = FACES[framework], lab.pages("test")
    model = LABS[framework].load_glassllm()
    row = {"framework": framework, "kind": kind, "seed": seed}
    made, near = [], np.arange(tokens.shape[1], dtype=float)
    rng = np.random.default_rng(seed)
    if kind in INDEXERS:
        made, seconds = indexers(framework, kind, seed)
        row |= {"steps": lab.STEPS, "cpu_seconds": round(seconds, 1)}

    def score(number, x, weights):
        every = (len(x), *2 * tokens.shape[1:])
        if kind == "random":  # and oneself
            return rng.random(every) + 2 * np.eye(len(near))
        if kind == "LSH":
            return collisions(model.stack.layers[number].attention, x, seed)
        if kind in INDEXERS:
            return module.scores(made[number], x)
        return np.broadcast_to(near, every) if kind == "window" else weights.mean(1)

    def choose(number, x, weights, share=lab.SHARE):
        found = weights if kind == "best of each head" else score(number, x, weights)
        chosen = lab.kept(found, 1 if kind == "all" else share)
        return chosen.reshape(len(x), -1, *chosen.shape[-2:])

    _, layers = module.read(model, tokens)
    for share in SHARES:
        mass = [lab.held(w, choose(n, x, w, share)) for n, (x, w) in enumerate(layers)]
        row[f"1/{share}"] = [round(each, 4) for each in mass]
    if kind in INDEXERS:
        found = [score(n, *each) for n, each in enumerate(layers)]
        row["tied"] = [round(lab.tied(each), 4) for each in found]
    logits, _ = module.read(model, tokens, choose)
    after = torch.from_numpy(tokens[:, lab.FIRST + 1 :])
    logits = torch.from_numpy(logits[:, lab.FIRST : -1])
    loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), after)
    return [row | {"loss": round(float(loss), 4)}]


if __name__ == "__main__":
    kinds = [*KINDS, *INDEXERS]
    plan, beside = ([(name, kind) for kind in kinds] for name in FACES)
    run_plan("indexer", plan, run, beside)
