"""Grouped-query attention in TensorFlow. Formulas: ``reference.py``."""

from attn_course.dot_product.tf import block_future, scaled_dot_product_attention
from attn_course.frameworks import tf
from attn_course.grouped_query.shared import check_groups

__all__ = ["grouped_query_attention"]


def grouped_query_attention(
    query,
    key,
    value,
    mask=None,
    *,
    bias=None,
    scale=None,
    causal=False,
    need_weights=True,
    dropout=None,
):
    """See ``attn_course.reference.grouped_query_attention``.

    Nothing is repeated: the heads of a group become rows of one head, which attends to
    the group's key and value. bias, scale and dropout are as in
    ``scaled_dot_product_attention``, for H heads.

    Shapes:
        query (B, H, T, K), key (B, G, S, K), value (B, G, S, V)
        -> output (B, H, T, V), weights (B, H, T, S) or None.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or G does not divide H.
    """
    H, G = check_groups(query, key, value, mask, bias)
    T = sizes_of(query)[-2]
    if causal and query.shape[-2] != 1:  # a single query stands last: it may see all
        mask = block_future(mask, query, key)
    output, weights = scaled_dot_product_attention(
        fold_heads(query, G),
        key,
        value,
        fold_rows(mask, H, G, T),
        bias=fold_rows(bias, H, G, T),
        scale=scale,
        need_weights=need_weights,
        dropout=dropout,
    )
    weights = unfold_heads(weights, H) if need_weights else None
    return unfold_heads(output, H), weights


def fold_heads(x, num_groups):
    """(B, H, T, X) -> (B, G, H/G * T, X): the rows of head 0, then of head 1, ..."""
    B, H, T, X = sizes_of(x)
    return tf.reshape(x, (B, num_groups, H // num_groups * T, X))


def unfold_heads(x, num_heads):
    """The inverse of ``fold_heads``."""
    B, G, rows, X = sizes_of(x)
    return tf.reshape(x, (B, num_heads, G * rows // num_heads, X))


def fold_rows(x, num_heads, num_groups, T):
    """A mask or bias for H heads as one for the folded rows.

    Rows that are the same for all heads are repeated, but for a single row, which is
    broadcast: in a step of decoding nothing is copied.
    """
    if x is None:
        return None
    *lead, _, S = sizes_of(x)
    group = num_heads // num_groups
    if lead and x.shape[-3] != 1:  # every head has rows of its own
        rows = tf.broadcast_to(x, (*lead[:-1], num_heads, T, S))
        return tf.reshape(rows, (*lead[:-1], num_groups, group * T, S))
    if x.shape[-2] != 1:
        return tf.concat([tf.broadcast_to(x, (*lead, T, S))] * group, axis=-2)
    return x if lead else x[None, None]


def sizes_of(x):
    """The sizes of x, each as a number where it is known, else as a tensor."""
    known = enumerate(x.shape)
    return [tf.shape(x)[axis] if size is None else size for axis, size in known]
