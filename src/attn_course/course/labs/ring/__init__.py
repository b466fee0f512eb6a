"""Attention whose keys lie on several processes: what each does, without a framework.

R processes share a text: process r has the positions ``places[r]``, their queries, keys
and values. Four ways to attend to the keys of all:

    ring    the shares of keys go round. Each process attends to the one that it holds
            while it sends it on: flash attention, whose blocks come from other machines
    gather  every process gets all keys first
    swap    positions for heads (Ulysses): all positions of 1 / R of the heads, and back
    decode  for one new query: each process attends to its part of the cache, and what
            they found is merged as in ``attn_course.core.split_keys``

Under a causal mask shares in order leave the first processes idle. In a zigzag process
r has part r and part 2 R - 1 - r of 2 R parts: all have the same work, in every step.

``ring.pytorch`` runs all of them, ``ring.tf``, whose library has no sending from one
device to another, the second::

    python -m attn_course.course.labs.ring --processes 4
    python -m attn_course.course.labs.ring killed
    python -m attn_course.course.labs.ring library
    python -m attn_course.course.labs.ring --framework tf
    torchrun --nproc-per-node 4 -m attn_course.course.labs.ring

PyTorch has a ring of its own, ``torch.distributed.tensor.experimental``'s
``context_parallel``, for GPUs. With gloo, on processors, PyTorch 2.13 has no way:
``library`` prints what its backends answer.

Sources: Liu, Zaharia and Abbeel 2023, "Ring Attention" (arXiv:2310.01889); the zigzag
as in Llama Team 2024 (arXiv:2407.21783), section 3.3.2, which gathers; Jacobs et al.
2023, "DeepSpeed Ulysses" (arXiv:2309.14509).
"""

from typing import NamedTuple

import numpy as np

from attn_course.mechanisms.flash.reference import first, renew
from attn_course.mechanisms.flash.shared import blocks


class Sizes(NamedTuple):
    """Sequences, heads, positions, widths of a layer; processes, bytes of a number."""

    B: int = 2
    H: int = 8
    G: int = 4
    S: int = 64
    K: int = 5
    V: int = 3
    R: int = 4
    itemsize: int = 8


def bytes_sent(sizes: Sizes) -> dict[str, int | None]:
    """What a process sends to others, by way; None where R does not divide the heads.

    ring, gather: R - 1 shares of keys and values, to the next or to each
    swap:         all but 1 / R of its queries, keys, values and outputs
    decode:       per row its highest score, its sum and its context, to each
    """
    B, H, G, S, K, V, R, itemsize = sizes
    to_each = (R - 1) * itemsize * B
    shares = to_each * G * S * (K + V) // R
    swapped = to_each * S * (H + G) * (K + V) // R**2
    decode = to_each * H * (V + 2)
    swap = None if G % R else swapped
    return {"ring": shares, "gather": shares, "swap": swap, "decode": decode}


def bytes_held(sizes: Sizes) -> dict[str, int | None]:
    """Bytes of keys and values that each process has at most, by way.

    ring: its own share, the one that it attends to and the one that comes
    swap: its own positions of all heads, all positions of its heads
    """
    B, _, G, S, K, V, R, itemsize = sizes
    share = itemsize * B * G * S * (K + V) // R
    swap = None if G % R else min(2, R) * share
    kept = {"ring": min(3, R) * share, "gather": R * share}
    return kept | {"swap": swap, "decode": share}


def in_order(S: int, R: int) -> list[np.ndarray]:
    """For each process its positions: neighbors."""
    check_parts(S, R)
    return np.split(np.arange(S), R)


def zigzag(S: int, R: int) -> list[np.ndarray]:
    """For each process its positions: a part from the front, and one from the back.

    >>> zigzag(8, 2)
    [array([0, 1, 6, 7]), array([2, 3, 4, 5])]
    """
    check_parts(S, R)
    parts = np.split(np.arange(S), 2 * R)
    return [np.concatenate([parts[r], parts[2 * R - 1 - r]]) for r in range(R)]


def check_parts(S, R):
    """Raise ValueError unless each process can have two equal parts."""
    if R < 1 or S < 1 or S % (2 * R):
        raise ValueError(f"S must be a multiple of 2 R = {2 * R}, got {S}")


def tiles(mine, theirs, causal=True):
    """Halves of my queries and of their keys, where a query sees a key, and which."""
    for rows in blocks(len(mine), len(mine) // 2):
        for columns in blocks(len(theirs), len(theirs) // 2):
            seen = (theirs[columns] <= mine[rows, None]) | (not causal)
            if seen.any():
                yield rows, columns, seen


def pairs(places: list[np.ndarray], causal: bool = True) -> np.ndarray:
    """Of queries and keys that they see, by step and process: (R, R).

    A step takes as long as the process with most pairs: the sum of ``max(axis=1)`` is
    what a ring waits for.
    """
    R = len(places)
    found = np.zeros((R, R), int)
    for step, r in np.ndindex(R, R):
        for _, _, seen in tiles(places[r], places[(r - step) % R], causal):
            found[step, r] += seen.sum()
    return found


def ring_step(state, query, key, value, mine, theirs, causal=True, renew=renew, unit=1):
    """Flash attention's step, in place: the keys of another process.

    renew, unit: another framework's, whose scores are in another unit.

    highest' = max(highest, score)
    kept     = exp(highest - highest')
    total    = kept * total   + sum of exp(score - highest')
    context  = kept * context + exp(score - highest') @ value
    """
    scale = unit * query.shape[-1] ** -0.5
    for rows, columns, seen in tiles(mine, theirs, causal):
        highest, total, context = (x[..., rows, :] for x in state)
        score = query[..., rows, :] @ key[..., columns, :].swapaxes(-1, -2) * scale
        score[..., *np.nonzero(~seen)] = -np.inf
        highest, total, kept, part = renew(score, highest, total)
        context = kept * context + part @ value[..., columns, :]
        for x, new in zip(state, (highest, total, context), strict=True):
            x[..., rows, :] = new


def ring_attention(query, key, value, places, causal=True):
    """Every process's attention to the keys of all: lists of R shares, in float64.

    Shapes:
        query: R times (..., T, K). key: (..., T, K). value: (..., T, V).
        places: the positions of each share, (T).
        returns: R times (..., T, V).
    """
    states = [
        (*first(q.shape[:-1]), np.zeros((*q.shape[:-1], v.shape[-1])))
        for q, v in zip(query, value, strict=True)
    ]
    held = list(zip(key, value, places, strict=True))
    for _ in places:
        for state, q, mine, share in zip(states, query, places, held, strict=True):
            k, v, theirs = share
            ring_step(state, q, k, v, mine, theirs, causal)
        held = held[-1:] + held[:-1]  # everyone hands on what it holds
    return [context / np.where(total == 0, 1.0, total) for _, total, context in states]


def alone(query, key, value):
    """What one process finds that has everything: a ring of one."""
    places = in_order(query.shape[-2], 1)
    return ring_attention([query], [key], [value], places)[0]


def draw(sizes: Sizes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Query (B, G, H / G, S, K), key (B, G, 1, S, K), value (B, G, 1, S, V)."""
    B, H, G, S, K, V = sizes[:6]
    rng = np.random.default_rng(0)
    shapes = ((B, G, H // G, S, K), (B, G, 1, S, K), (B, G, 1, S, V))
    return tuple(rng.normal(size=shape) for shape in shapes)
