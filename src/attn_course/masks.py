"""Mask builders in NumPy. Boolean, True = may attend.

Query i of T stands at position i + S - T: the last query stands on the last key. So
every builder is right both for a whole sequence (T = S) and for new queries behind a
cache of keys (T < S).

PyTorch and TensorFlow take these arrays as they are: ``torch.from_numpy(mask)``,
``tf.constant(mask)``.
"""

import numpy as np

from attn_course.shapes import check_at_least, dtype_name


def padding_mask(lengths, size):
    """True at the positions that hold a token, for sequences padded at the end.

    Shapes:
        lengths: (B), the number of tokens of each sequence.
        returns: (B, size). Heads take it as ``mask[:, None, None]``, (B, 1, 1, S).

    Raises:
        ValueError: lengths are not integers, or not all between 0 and size.

    >>> padding_mask([2, 3], 3).astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    check_at_least(0, size=size)
    lengths = np.asarray(lengths)
    if lengths.ndim != 1 or not np.issubdtype(lengths.dtype, np.integer):
        came = f"{lengths.dtype} {lengths.shape}"
        raise ValueError(f"lengths must be integers of shape (B), got {came}")
    if lengths.size and not (lengths.min() >= 0 and lengths.max() <= size):
        came = f"{lengths.min()} to {lengths.max()}"
        raise ValueError(f"lengths must lie between 0 and size = {size}, got {came}")
    return np.arange(size) < lengths[:, None]


def causal_mask(T, S):
    """True where the key stands at the query's position or before it: j <= i + S - T.

    Shapes:
        returns: (T, S). With T > S the first T - S queries stand before every key and
        see nothing.

    Differs: ``is_causal=True`` of PyTorch's attention aligns the two at the start,
    which is another mask as soon as T and S differ.

    >>> causal_mask(2, 3).astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    query, key = _positions(T, S)
    return key <= query


def sliding_window_mask(T, S, window, causal):
    """True where the key is near: |i - j| < window, and j <= i if causal.

    A position counts itself, so ``window=1`` sees itself alone.

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: the window is below 1.

    Differs: some libraries count the distance instead and keep window + 1 keys.

    >>> sliding_window_mask(3, 3, 2, causal=True).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    check_at_least(1, window=window)
    query, key = _positions(T, S)
    distance = query - key
    near = np.abs(distance) < window
    return near & (distance >= 0) if causal else near


def from_blocked(mask):
    """Turn a mask with True = blocked into one with True = may attend.

    Warning: libraries differ. ``attn_mask`` and ``key_padding_mask`` of PyTorch's
    ``nn.MultiheadAttention`` and of its Transformer layers block where True, and need
    this. ``F.scaled_dot_product_attention``, Keras and this course attend where True:
    there it would turn a right mask round, and no shape would tell.

    Shapes:
        mask: boolean, of any shape, of NumPy, PyTorch or TensorFlow.
        returns: the same, inverted.

    Raises:
        ValueError: the mask is not boolean. (A mask of numbers to add, 0 and minus
        infinity, becomes one by ``mask == 0``, and needs no inversion.)

    >>> from_blocked(np.array([False, False, True]))
    array([ True,  True, False])
    """
    if dtype_name(mask) != "bool":
        came = dtype_name(mask)
        raise ValueError(f"mask must be bool (True = blocked), got {came}")
    return ~mask


def _positions(T, S):
    """Positions of the queries, (T, 1), and of the keys, (S)."""
    check_at_least(0, T=T, S=S)
    return np.arange(T)[:, None] + S - T, np.arange(S)
