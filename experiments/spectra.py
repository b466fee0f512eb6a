"""Is attention low rank? Maps of trained models, of random vectors, and shortcuts.

Every map is softmax(query key^T / sqrt(K)) of one head and one input, over 64
positions: of the encoder trained on digits or twins, of the pretrained encoder of
reactions, or of random vectors, ordinary ones and with queries three times as long. How
well the shortcuts compute the output is the relative error |found - exact| / |exact|.

python -m experiments.spectra --seeds 0 1 2
"""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs.reactions.pytorch import albert
from attn_course.course.labs.shortcuts import STEPS, batches
from attn_course.course.labs.shortcuts.pytorch import Reader, train
from attn_course.course.training import progress
from attn_course.pytorch import linformer_attention, lsh_buckets, performer_attention
from attn_course.tasks.reactions import encode, load_reactions, tokenize
from experiments import run_plan

INPUTS, FITTED = 48, 32  # these fit the learned projections, the rest are measured
RANKS = (2, 4, 8, 16, 32)
BUCKETS, ROUNDS, FIT = (4, 8, 16, 32), 4, 100
SOURCES = ("digits", "twins", "reactions", "random", "random, large")
POSITIONS, PASSES = 64, (2, 6, 10)  # of reactions: the first 64, three passes of 12


@torch.no_grad()
def heads_of(model, attentions, *inputs):
    """Queries, keys and values of every head: three of (layers, B, H, T, K)."""
    found = {name: [] for name in ("query", "key", "value")}
    hooks = [
        getattr(attention, name).register_forward_hook(
            lambda _, __, output, kept=kept: kept.append(output)
        )
        for attention in attentions
        for name, kept in found.items()
    ]
    model(*map(torch.from_numpy, inputs))
    for hook in hooks:
        hook.remove()
    heads = attentions[0].num_heads
    return [
        torch.stack([x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in kept])
        for kept in found.values()
    ]


def long_reactions(seed):
    """FITTED texts of 64 tokens or more, and others to measure.

    The first are two thirds of the long reactions, their molecules in a new order.
    """
    rng, long = np.random.default_rng(seed), []
    for reaction in load_reactions():
        if len(tokenize(reaction.smiles)) + 2 >= POSITIONS:
            long.append(reaction.smiles)
    rng.shuffle(long)
    cut, texts = 2 * len(long) // 3, []
    for number in range(FITTED):
        before, after = long[number % cut].split(">>")
        texts.append(".".join(rng.permutation(before.split("."))) + ">>" + after)
    return texts + long[cut:]


def draw_reactions(seed):
    """Queries, keys and values of the pretrained encoder, first positions of texts."""
    model, parts = albert(), []
    for text in long_reactions(seed):
        found = heads_of(model, [model.layer.attention], *encode([text]))
        parts.append([x[..., :POSITIONS, :] for x in found])
    return [torch.cat(kept, dim=1) for kept in zip(*parts, strict=True)]


def draw(source, seed):
    """Queries, keys and values (layers, INPUTS, H, T, K) of one source of maps."""
    torch.manual_seed(seed)
    if source.startswith("random"):
        query, key, value = torch.randn(3, 2, INPUTS, 4, 64, 8)
        return (3 if "large" in source else 1) * query, key, value
    if source == "reactions":
        return draw_reactions(seed)
    model = Reader(source, "full", seed)
    train(model, steps=STEPS[source], seed=seed)
    inputs, _ = next(batches(source, "test", seed=7, size=INPUTS))
    return heads_of(model, [x.attention for x in model.encoder.layers], inputs)


def weights_of(query, key):
    """The maps: (..., T, S), rows sum to 1."""
    return torch.softmax(query @ key.mT / query.shape[-1] ** 0.5, dim=-1)


def share_of_squares(weights):
    """How much of a map its r largest singular values hold, for every r of RANKS."""
    squares = torch.linalg.svdvals(weights).square()
    shares = squares.cumsum(dim=-1) / squares.sum(dim=-1, keepdim=True)
    return [round(shares[..., r - 1].mean().item(), 4) for r in RANKS]


def rank_of(weights, share=0.9):
    """How many singular values hold this share of the squares: a number per head."""
    squares = torch.linalg.svdvals(weights).square()
    shares = squares.cumsum(dim=-1) / squares.sum(dim=-1, keepdim=True)
    needed = (shares < share).sum(dim=-1) + 1.0  # (layers, B, H)
    return [round(x, 2) for x in needed.mean(dim=1).flatten().tolist()]


def off(found, exact):
    """The relative error of a head's output, a mean over heads and inputs."""
    error = torch.linalg.matrix_norm(found - exact) / torch.linalg.matrix_norm(exact)
    return round(error.mean().item(), 4)


def fitted(query, key, value, exact, rank, seed):
    """Projections (2, H, rank, S) of one layer that Adam found for these inputs."""
    torch.manual_seed(seed)
    shape = 2, query.shape[-3], rank, key.shape[-2]
    start = torch.randn(shape) * torch.tensor([1.0, 0.1]).view(2, 1, 1, 1)
    start[1] += 1.0  # at first nearly the mean of all values
    found = (start / key.shape[-2]).requires_grad_()
    optimizer = torch.optim.Adam([found], lr=0.02)
    size = torch.linalg.matrix_norm(exact)
    for _ in progress(FIT, "projections"):
        output = mixed(query, key, value, found)
        loss = (torch.linalg.matrix_norm(output - exact) / size).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return found.detach()


def mixed(query, key, value, projections):
    """Linformer with one projection of keys and one of values per head."""
    both = dict(zip(("key_projection", "value_projection"), projections, strict=True))
    return linformer_attention(query, key, value, need_weights=False, **both)[0]


def same_bucket(query, key, buckets, seed):
    """Pairs (..., T, S) that share a bucket in one of the rounds."""
    rng = np.random.default_rng(seed)
    size = ROUNDS, query.shape[-1], buckets // 2
    directions = torch.from_numpy(rng.normal(size=size).astype(np.float32))
    asked, held = (lsh_buckets(x, directions) for x in (query, key))
    return (asked[..., :, None] == held[..., None, :]).any(dim=-3)


def measure(query, key, value, seed):
    """Rows of (method, numbers per query, error), for one source of maps."""
    T = query.shape[-2]
    weights = weights_of(query, key)
    exact = weights @ value
    test = [x[:, FITTED:] for x in (query, key, value, weights, exact)]
    asked, held, kept, weights, right = test
    rows = [("mean of the values", 0, off(kept.mean(dim=-2, keepdim=True), right))]
    left, scale, above = torch.linalg.svd(weights)
    order = weights.sort(dim=-1, descending=True).indices.argsort(dim=-1)
    for r in RANKS:
        best = (left[..., :r] * scale[..., None, :r]) @ above[..., :r, :]
        rows.append(("best rank", r, off(best @ kept, right)))
        largest = torch.where(order < r, weights, 0.0)
        largest = largest / largest.sum(dim=-1, keepdim=True)
        rows.append(("largest weights", r, off(largest @ kept, right)))
        drawn = torch.randn(2, query.shape[-3], r, T) * r**-0.5
        found = mixed(asked, held, kept, drawn)
        rows.append(("Linformer, drawn", r, off(found, right)))
        fit = zip(*(x[:, :FITTED] for x in (query, key, value, exact)), strict=True)
        projections = [fitted(*layer, r, seed) for layer in fit]
        found = [mixed(*x) for x in zip(asked, held, kept, projections, strict=True)]
        rows.append(("Linformer, learned", r, off(torch.stack(found), right)))
        found = performer_attention(asked, held, kept, num_features=r, seed=seed)[0]
        rows.append(("FAVOR+", r, off(found, right)))
    for buckets in BUCKETS:
        near = same_bucket(asked, held, buckets, seed)
        some = torch.where(near, weights, 0.0)
        total = some.sum(dim=-1, keepdim=True)
        mean = torch.full_like(weights, 1 / T)  # of those who meet nobody
        some = torch.where(total > 0, some / total.clamp(min=1e-30), mean)
        count = round(near.float().sum(dim=-1).mean().item(), 2)
        rows.append(("LSH", count, off(some @ kept, right)))
    return rows


def run(source, seed):
    """All rows of one source: the spectrum first, then the errors."""
    query, key, value = draw(source, seed)
    weights = weights_of(query, key)
    row = {"source": source, "seed": seed}
    size = (query * key.shape[-1] ** -0.5 @ key.mT).std(dim=-1).mean().item()
    entropy = -(weights * weights.clamp(min=1e-30).log()).sum(dim=-1).mean().item()
    first = {"measured": "spectrum", "shares": share_of_squares(weights)}
    first["ranks"] = rank_of(weights)
    first |= {"score_std": round(size, 3), "keys": round(float(np.exp(entropy)), 2)}
    if source == "reactions":
        query, key, value = (x[list(PASSES)] for x in (query, key, value))
    return [row | first] + [
        row | {"measured": method, "numbers": numbers, "error": error}
        for method, numbers, error in measure(query, key, value, seed)
    ]


if __name__ == "__main__":
    run_plan("spectra", [(source,) for source in SOURCES], run)
