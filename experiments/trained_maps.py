"""FAVOR+ on the attention maps of a trained encoder, in place of drawn vectors.

Every head of the encoder of reactions, on some reactions. ``error`` is that of the
output for each of COUNTS, as a multiple of what the plain mean of all values gives
away; ``elu`` the same of linear attention; ``norm`` the mean of |x|^2 / sqrt(K) over
queries and keys, the exponent that FAVOR+ has to live with; ``peak`` the mean of the
largest weights. All are medians over the reactions.

python -m experiments.trained_maps --seeds 0 1 2
"""

import numpy as np

from attn_course import reference
from attn_course.core.frameworks import torch
from attn_course.course.labs.reactions.pytorch import albert
from attn_course.tasks.reactions import HEADS, LAYERS, encode, load_reactions
from experiments import run_plan
from experiments.features import short

REACTIONS, COUNTS = 6, (64, 256, 1024)


@torch.no_grad()
def heads_of(model, smiles):
    """Queries, keys and values of one reaction: three of (layers, H, T, K)."""
    found = {name: [] for name in ("query", "key", "value")}
    hooks = [
        getattr(model.layer.attention, name).register_forward_hook(
            lambda _, __, output, kept=kept: kept.append(output)
        )
        for name, kept in found.items()
    ]
    model(torch.from_numpy(encode([smiles])[0]))
    for hook in hooks:
        hook.remove()
    return [
        np.stack(
            [x[0].double().unflatten(-1, (HEADS, -1)).transpose(0, 1) for x in kept]
        )
        for kept in found.values()
    ]


def measure(query, key, value, seed):
    """Of one head: norm, peak, the error of linear attention, and those of FAVOR+."""
    exact, weights = reference.scaled_dot_product_attention(query, key, value)
    idle = np.linalg.norm(value.mean(axis=0) - exact)
    found = [reference.linear_attention(query, key, value)[0]]
    for count in COUNTS:
        options = {"num_features": count, "seed": seed}
        found.append(reference.performer_attention(query, key, value, **options)[0])
    errors = [np.linalg.norm(x - exact) / idle for x in found]
    squares = [(x**2).sum(axis=1).mean() for x in (query, key)]
    return [np.mean(squares) / query.shape[1] ** 0.5, weights.max(1).mean(), *errors]


def run(seed):
    """A row per head."""
    model, texts = albert(), [reaction.smiles for reaction in load_reactions()]
    each = []
    for smiles in texts[:REACTIONS]:
        parts = heads_of(model, smiles)
        each.append([
            [measure(*(x[layer, head] for x in parts), seed) for head in range(HEADS)]
            for layer in range(LAYERS)
        ])  # fmt: skip
    rows = []
    for (layer, head), _ in np.ndenumerate(np.empty((LAYERS, HEADS))):
        norm, peak, elu, *errors = (
            short(x) for x in np.median([one[layer][head] for one in each], axis=0)
        )
        row = {"layer": layer, "head": head, "seed": seed, "norm": norm, "peak": peak}
        rows.append(row | {"elu": elu, "error": errors})
    return rows


if __name__ == "__main__":
    run_plan("trained_maps", [()], run)
