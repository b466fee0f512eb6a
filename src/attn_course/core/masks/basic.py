"""Masks of padding, of order in time, of windows, and of chosen positions."""

import numpy as np

from attn_course.core.shapes import check_at_least, dtype_name


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


def document_numbers(lengths, size):
    """The document of each position, 1, 2 ..., for documents packed in a row.

    A mask of numbers for what forms no T x S scores: windows, and causal states. They
    take it in the place of padding, ``numbers[:, None, None]``, (B, 1, 1, S), of one
    row ``numbers[None, None, None]``, and give every document what it gives alone. Any
    whole numbers do that differ from one document to the next; what has a 0 is padding.

    Shapes:
        lengths: as ``document_mask`` takes them.
        returns: (size), or (B, size) for B rows.

    Raises:
        ValueError: as ``document_mask`` does.

    >>> document_numbers([2, 1], 4)
    array([1, 1, 2, 0])
    """
    check_at_least(0, size=size)
    rows = list(lengths)
    if any(np.ndim(row) for row in rows):
        return np.stack([document_numbers(row, size) for row in rows])
    check_at_least(1, **{f"lengths[{n}]": x for n, x in enumerate(rows)})
    if sum(rows) > size:
        raise ValueError(f"lengths must sum to at most size = {size}, got {sum(rows)}")
    numbers = np.zeros(size, int)
    numbers[: sum(rows)] = np.repeat(np.arange(len(rows)) + 1, np.array(rows, int))
    return numbers


def document_mask(lengths, size):
    """True where query and key are of one document, for documents packed in a row.

    Attention with it gives every document what it gives alone: pass ``causal=True`` as
    for one. Rotary positions and biases know distances only, and stay as they are;
    positions that are added begin anew with every document.

    Shapes:
        lengths: the lengths of the documents of one row, [3, 2], or a list of such
            lists, one per row. What follows the last document is padding: it sees
            nothing, and nothing sees it.
        returns: (size, size), or (B, 1, size, size) for B rows.

    Raises:
        ValueError: a length is not a whole number of at least 1, or a row's documents
            are longer than size.

    >>> document_mask([2, 1], 4).astype(int)
    array([[1, 1, 0, 0],
           [1, 1, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 0, 0]])
    """
    numbers = document_numbers(lengths, size)
    own, seen = numbers[..., :, None], numbers[..., None, :]
    mask = (own == seen) & (seen != 0)
    return mask if mask.ndim == 2 else mask[:, None]


def tree_mask(parents):
    """True where a node of a tree sees itself or one of its ancestors.

    So one pass reads a tree of drafts: every node sees its own branch alone. Behind S
    tokens of a text, which all nodes see, the mask is that many columns of True and
    this one; a node's position is S and its depth, ``tree_mask(parents).sum(1) - 1``.

    Shapes:
        parents: for every node the one before it, of a smaller number; -1 is the text.
        returns: (n, n) for n nodes.

    Raises:
        ValueError: a parent is no whole number from -1 to below its node's.

    Source: Miao et al. 2024, SpecInfer (arXiv:2305.09781), section 4.2.

    >>> tree_mask([-1, 0, 0, 2]).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 0, 1, 0],
           [1, 0, 1, 1]])
    """
    check_at_least(-1, **{f"parents[{n}]": x for n, x in enumerate(parents)})
    seen = np.eye(len(parents), dtype=bool)
    for node, parent in enumerate(parents):
        if parent >= node:
            raise ValueError(f"parents[{node}] must be below {node}, got {parent}")
        if parent >= 0:
            seen[node] |= seen[parent]
    return seen


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
    query, key = positions_of(T, S)
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
    query, key = positions_of(T, S)
    distance = query - key
    near = np.abs(distance) < window
    return near & (distance >= 0) if causal else near


def dilated_window_mask(T, S, window, dilation, causal):
    """A window with gaps: i - j = dilation * m with |m| < window, and m >= 0 if causal.

    A position counts itself; ``dilation=1`` is ``sliding_window_mask``.

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: window or dilation is not a whole number of at least 1.

    Source: Beltagy, Peters & Cohan 2020 (arXiv:2004.05150), section 3.1.

    >>> dilated_window_mask(4, 4, 2, 2, causal=True).astype(int)
    array([[1, 0, 0, 0],
           [0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1]])
    """
    check_at_least(1, window=window, dilation=dilation)
    query, key = positions_of(T, S)
    reach = dilation * (window - 1)
    near = sliding_window_mask(T, S, reach + 1, causal)
    return near & ((query - key) % dilation == 0)


def global_mask(T, S, positions):
    """True where the query or the key is one of the global positions.

    They see everything, and everything sees them.

    Shapes:
        positions: whole numbers, 0 to S - 1; twice the same counts once.
        returns: (T, S).

    Raises:
        ValueError: a position is no whole number, or none of a key.

    >>> global_mask(3, 3, [0]).astype(int)
    array([[1, 1, 1],
           [1, 0, 0],
           [1, 0, 0]])
    """
    positions = global_positions(positions, S)
    query, key = positions_of(T, S)
    return np.isin(query, positions) | np.isin(key, positions)


def global_positions(positions, S):
    """The positions as a sorted list without repetition, checked against S keys."""
    check_at_least(0, **{f"positions[{n}]": p for n, p in enumerate(positions)})
    positions = sorted({int(p) for p in positions})
    if positions and S is not None and positions[-1] >= S:
        raise ValueError(f"positions must lie below S = {S}, got {positions[-1]}")
    return positions


def random_mask(T, S, per_row, seed):
    """Every query sees ``per_row`` keys, drawn without repetition.

    The drawing is made for all positions; with T < S its last T rows are taken.

    Shapes:
        returns: (T, S).

    Raises:
        ValueError: per_row is not a whole number from 0 to S.

    >>> random_mask(3, 5, 2, seed=0).sum(axis=1)
    array([2, 2, 2])
    """
    check_at_least(0, per_row=per_row)
    if per_row > S:
        raise ValueError(f"per_row must be at most S = {S}, got {per_row}")
    draw = np.random.default_rng(seed).random((max(T, S), S))[max(T, S) - T :]
    return draw.argsort(axis=1).argsort(axis=1) < per_row


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


def positions_of(T, S):
    """Positions of the queries, (T, 1), and of the keys, (S)."""
    check_at_least(0, T=T, S=S)
    return np.arange(T)[:, None] + S - T, np.arange(S)
