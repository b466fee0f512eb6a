"""An indexer beside each layer of the language model that ships: which keys it keeps.

``indexer.pytorch`` and ``indexer.tf`` read the model and train indexers; here is what
they learn from, and what the keys of a choice hold. Tokens are of
``attn_course.tasks.glassllm``, whose model has read the whole book: what is kept for
the test is new to the indexers alone.

python -m experiments.indexer --seeds 0 1 2
"""

import numpy as np

from attn_course.mechanisms.hashing.shared import draw_rotations
from attn_course.reference import lsh_buckets
from attn_course.tasks.glassllm import CONTEXT, load_book, load_tokenizer

SHARE = 8  # of so many keys that a query sees it reads one
FIRST = CONTEXT // 4  # queries before it see too few keys to choose among
TESTED, LEARNED = 24 * CONTEXT, 128 * CONTEXT  # tokens: the last, the first
STEPS, RATE, ROWS = 400, 5e-3, 8
ROUNDS, BUCKETS = 32, 8  # of the hash
INDEX_DIM = 32  # the width of the small heads


def pages(split, tokens=LEARNED):
    """Windows of the book (N, CONTEXT): for the test, or of the first tokens.

    Those of the training overlap by half.
    """
    book = load_tokenizer().encode(load_book())
    if split == "test":
        return book[-TESTED:].reshape(-1, CONTEXT)
    windows = np.lib.stride_tricks.sliding_window_view(book[:tokens], CONTEXT)
    return windows[:: CONTEXT // 2].copy()


def batches(inputs, weights, seed=0):
    """Endless batches of rows of both."""
    rng = np.random.default_rng(seed)
    while True:
        rows = rng.integers(len(inputs), size=ROWS)
        yield inputs[rows], weights[rows]


def read_layers(model, tokens, choose, tensor):
    """The logits, and of each layer what its attention gets and its weights; NumPy.

    choose: of a layer's number, input (B, T, D) and weights (B, H, T, T); gives the
    keys that it reads, boolean (B, 1 or H, T, T). tensor: makes one of an array.
    """
    x, found = model.embedding(tensor(tokens)), []
    for number, layer in enumerate(model.stack.layers):
        seen = layer.norm1(x)
        _, weights = layer.attention(seen, causal=True)
        found.append((seen.numpy(), weights.numpy()))
        mask = choose and tensor(choose(number, *found[-1]))
        x, _ = layer(x, mask, causal=True, need_weights=False)
    x = model.stack.final_norm(x)
    return model.logits(x).numpy(), found


def kept(score, share=SHARE):
    """True for the best 1 / share of the keys that each query sees; of equal the first.

    Shapes:
        score: (..., T, T). returns: boolean (..., T, T).
    """
    T = score.shape[-1]
    seen, budget = np.tri(T, dtype=bool), -(-np.arange(1, T + 1) // share)
    order = np.argsort(np.where(seen, -score, np.inf), axis=-1, kind="stable")
    return seen & (order.argsort(axis=-1) < budget[:, None])


def held(weights, chosen):
    """The share of the attention on chosen keys, a mean over all but the first queries.

    Shapes:
        weights: (B, H, T, T). chosen: boolean, (B, 1 or H, T, T).
    """
    return float((weights * chosen).sum(-1)[..., FIRST:].mean())


def tied(score, share=SHARE):
    """The share of queries whose last key kept scores like the first that is not."""
    T = score.shape[-1]
    budget = -(-np.arange(1, T + 1) // share)[FIRST:]
    score = np.where(np.tri(T, dtype=bool), score, -np.inf)
    ordered = -np.sort(-score, axis=-1)[..., FIRST:, :]
    rows = np.arange(len(budget))
    return float((ordered[..., rows, budget - 1] == ordered[..., rows, budget]).mean())


def hashed(query, key, seed=0):
    """In how many rounds and heads query and key share a bucket; oneself in all.

    Shapes:
        query, key: (B, H, T, K). returns: (B, T, T).
    """
    directions = draw_rotations(query.shape[-1], BUCKETS, ROUNDS, seed)
    ours, theirs = (lsh_buckets(x, directions) for x in (query, key))
    same = (ours[..., :, None] == theirs[..., None, :]).sum(axis=(1, 2))
    return np.where(np.eye(same.shape[-1], dtype=bool), same.max() + 1, same)
