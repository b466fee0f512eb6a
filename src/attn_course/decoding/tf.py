"""Greedy decoding and beam search in TensorFlow; see ``attn_course.decoding``."""

from attn_course.decoding.shared import check_beam, check_decoding, check_penalty
from attn_course.dot_product.tf import wide
from attn_course.frameworks import keras, tf
from attn_course.layers.tf import Mask, Tensor

__all__ = ["beam_search", "greedy_decode"]


def greedy_decode(
    model: keras.layers.Layer,
    source: Tensor,
    *,
    source_mask: Mask = None,
    begin: int,
    end: int,
    max_length: int,
    use_cache: bool = True,
) -> Tensor:
    """Write the likeliest token at every step, until all rows have ended.

    Shapes:
        source (B, S), source_mask (B, 1, 1, S) -> tokens (B, max_length).

    Raises:
        ValueError: the model can't decode, or a size is wrong.
    """
    check_decoding(model, begin=begin, end=end, max_length=max_length)
    memory, _ = model.encode(source, source_mask, need_weights=False)
    cache = model.new_cache(memory, max_length) if use_cache else None
    options = {"need_weights": False, "cache": cache}
    tokens = tf.fill((len(source), 1), tf.constant(begin, tf.int64))
    for _ in range(max_length):
        new = tokens[:, -1:] if use_cache else tokens
        logits, _ = model.decode(new, memory, source_mask, **options)
        best = tf.argmax(logits[:, -1], axis=-1)
        ended = tf.reduce_any(tokens[:, 1:] == end, axis=1)
        best = tf.where(ended, tf.constant(end, tf.int64), best)
        tokens = tf.concat([tokens, best[:, None]], axis=1)
        if tf.reduce_all(tf.reduce_any(tokens[:, 1:] == end, axis=1)):
            break
    return filled(tokens[:, 1:], max_length, end)


def beam_search(
    model: keras.layers.Layer,
    source: Tensor,
    *,
    source_mask: Mask = None,
    begin: int,
    end: int,
    max_length: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> tuple[Tensor, Tensor]:
    """Keep the best ``beam_size`` hypotheses at every step, until all have ended.

    Shapes:
        source (B, S), source_mask (B, 1, 1, S)
        -> tokens (B, beam_size, max_length), scores (B, beam_size), best first.

    Raises:
        ValueError: the model can't decode, or a size is wrong.
    """
    sizes = {"max_length": max_length, "beam_size": beam_size}
    check_decoding(model, begin=begin, end=end, **sizes)
    check_penalty(length_penalty)
    B, K = len(source), beam_size
    if source_mask is not None:
        source_mask = tf.repeat(source_mask, K, axis=0)
    source = tf.repeat(source, K, axis=0)
    memory, _ = model.encode(source, source_mask, need_weights=False)
    cache = model.new_cache(memory, max_length)
    options = {"need_weights": False, "cache": cache}
    tokens = tf.fill((B, K, 1), tf.constant(begin, tf.int64))
    # The K hypotheses are one at first.
    first = tf.where(tf.range(K) == 0, 0.0, -float("inf"))
    chance = tf.cast(tf.repeat(first[None], B, axis=0), wide(memory.dtype))
    length = tf.zeros_like(chance)
    for _ in range(max_length):
        new = tf.reshape(tokens[:, :, -1], (B * K, 1))
        logits, _ = model.decode(new, memory, source_mask, **options)
        ended = tf.reduce_any(tokens[:, :, 1:] == end, axis=-1)
        found = choices(tf.reshape(logits[:, -1], (B, K, -1)), ended, end)
        chance, length = (
            chance[..., None] + found,
            length + tf.cast(~ended, length.dtype),
        )
        score = chance / penalty(length, length_penalty)[..., None]
        place = tf.math.top_k(tf.reshape(score, (B, -1)), K).indices
        chance = tf.gather(tf.reshape(chance, (B, -1)), place, batch_dims=1)
        row, token = place // found.shape[-1], place % found.shape[-1]
        length, kept = take(length, row), take(tokens, row)
        token = tf.cast(token, tokens.dtype)
        tokens = tf.concat([kept, token[..., None]], axis=-1)
        reorder(cache, row)
        if tf.reduce_all(tf.reduce_any(tokens[:, :, 1:] == end, axis=-1)):
            break
    score = chance / penalty(length, length_penalty)
    return filled(tokens[:, :, 1:], max_length, end), score


def choices(logits: Tensor, ended: Tensor, end: int) -> Tensor:
    """Log-probabilities (B, K, N); what has ended goes on with ``end``, at no cost."""
    check_beam(logits.shape[1], logits.shape[2])
    found = tf.nn.log_softmax(tf.cast(logits, wide(logits.dtype)))
    only = tf.where(tf.range(logits.shape[2]) == end, 0.0, -float("inf"))
    return tf.where(ended[..., None], tf.cast(only, found.dtype), found)


def penalty(length: Tensor, length_penalty: float) -> Tensor:
    """What the log-probability is divided by: ((5 + length) / 6)^length_penalty."""
    return ((5 + length) / 6) ** length_penalty


def take(x: Tensor, row: Tensor) -> Tensor:
    """x[b, row[b, k]] for every b and k: (B, K, ...), (B, K) -> (B, K, ...)."""
    return tf.gather(x, row, batch_dims=1)


def reorder(cache: tuple, row: Tensor) -> None:
    """Every hypothesis gets the cache of the one that it goes on from.

    That of the memory stays: all hypotheses of a sentence read the same.
    """
    B, K = row.shape
    whole = tf.reshape(tf.range(B)[:, None] * K + row, (-1,))
    for own, _ in cache:
        own.key.assign(tf.gather(own.key, whole))
        own.value.assign(tf.gather(own.value, whole))


def filled(tokens: Tensor, max_length: int, end: int) -> Tensor:
    """The tokens (..., max_length), with ``end`` where nothing was written."""
    more = max_length - tokens.shape[-1]
    edges = [(0, 0)] * (len(tokens.shape) - 1) + [(0, more)]
    return tf.pad(tokens, edges, constant_values=end)
