"""LSH attention in NumPy, float64: the specification."""

import numpy as np

from attn_course.core.shapes import check_shapes
from attn_course.mechanisms.dot_product.reference import masked_softmax
from attn_course.mechanisms.hashing.shared import CHUNK, check_lsh, draw_rotations

__all__ = ["lsh_attention", "lsh_buckets"]


def lsh_buckets(x: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """The bucket of every vector in every round: which direction it is most alike.

    bucket[r] = argmax of [x @ rotations[r], -(x @ rotations[r])]

    Shapes:
        x: (..., S, K). rotations: (rounds, K, buckets / 2).
        returns: integers (..., rounds, S), 0 .. buckets - 1.

    Raises:
        ValueError: a shape is not as above.

    Source: Kitaev et al. 2020 (arXiv:2001.04451), section 2 (angular LSH).

    >>> lsh_buckets(np.array([[3.0, 1.0], [-3.0, 1.0]]), np.eye(2)[None])
    array([[0, 2]])
    """
    check_shapes(x=(x, "...SK"), rotations=(rotations, "rKb"))
    product = np.asarray(x, np.float64)[..., None, :, :] @ rotations
    return np.argmax(np.concatenate([product, -product], axis=-1), axis=-1)


def lsh_attention(
    query_key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    *,
    num_buckets: int,
    num_rounds: int = 1,
    chunk_size: int | None = None,
    seed: int = 0,
    rotations: np.ndarray | None = None,
    causal: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Attend to the keys that share a bucket in a round, and stand near in it.

    key[s] = query_key[s] / |query_key[s]|
    weight = softmax over the allowed keys of query_key @ key^T / sqrt(K)
    output = weight @ value

    Key s is allowed at query t if there is a round in which the two have one bucket,
    and s stands in t's chunk or in the one before, of the positions sorted by bucket.
    A query attends to itself only where nothing else is allowed.

    Shapes:
        query_key: (..., S, K). value: (..., S, V).
        mask: boolean padding (B, 1, 1, S); True = may be seen.
        num_buckets: even. num_rounds: how often all is hashed anew.
        chunk_size: None takes 64; with S or more nothing that shares a bucket is lost.
        rotations: (rounds, K, buckets / 2); None draws them with the seed.
        causal: True also blocks keys that stand after the query.
        returns: output (..., S, V), weights (..., S, S). In PyTorch and TensorFlow the
            weights are None.

    Edge case: a blocked position attends to nothing: its output is zero. Where the
        chunk is shorter than S, its borders depend on the buckets of later positions:
        causal then holds for what is attended to, not for which of it is lost.

    Raises:
        ValueError: a shape, dtype, size or mask is not as above.

    Source: Kitaev et al. 2020 (arXiv:2001.04451), section 2, equations 2 to 5, and
        appendix A: what several rounds find counts once.
    Differs: the paper's chunk is 2 S / num_buckets, which padding would change. The
        released Reformers (trax, Hugging Face) attend to all of the sorted chunk,
        whatever the bucket; their first chunk looks back at the last; a key that two
        rounds find counts twice; each head has rotations of its own.
    """
    sizes = num_buckets, num_rounds, chunk_size
    check_lsh(query_key, value, mask, rotations, *sizes)
    query, value = (np.asarray(x, np.float64) for x in (query_key, value))
    S, K = query.shape[-2:]
    if rotations is None:
        rotations = draw_rotations(K, num_buckets, num_rounds, seed)
    buckets = lsh_buckets(query, rotations)
    seen = np.ones((1, S), bool) if mask is None else mask
    buckets = np.where(seen, buckets, num_buckets)  # blocked: sorted behind all others
    size = CHUNK if chunk_size is None else chunk_size
    rank = np.argsort(np.argsort(buckets, axis=-1, kind="stable"), axis=-1)
    chunk = rank // size
    back = chunk[..., :, None] - chunk[..., None, :]
    alike = buckets[..., :, None] == buckets[..., None, :]
    allowed = (alike & ((back == 0) | (back == 1))).any(axis=-3)
    allowed = allowed & seen & ~np.eye(S, dtype=bool)
    if causal:
        allowed = np.tril(allowed)
    alone = ~allowed.any(axis=-1, keepdims=True)
    allowed = allowed | (alone & np.eye(S, dtype=bool) & seen)
    square = (query**2).sum(axis=-1, keepdims=True)
    key = query / np.sqrt(np.maximum(square, 1e-12))
    weights = masked_softmax(query @ np.swapaxes(key, -1, -2) / K**0.5, allowed)
    return weights @ value, weights
