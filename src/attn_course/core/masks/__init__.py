"""Mask builders in NumPy. Boolean, True = may attend.

Query i of T stands at position i + S - T: the last query stands on the last key. So
every builder is right both for a whole sequence (T = S) and for new queries behind a
cache of keys (T < S).

PyTorch and TensorFlow take these arrays as they are: ``torch.from_numpy(mask)``,
``tf.constant(mask)``.
"""

from attn_course.core.masks.basic import (
    causal_mask,
    dilated_window_mask,
    document_mask,
    document_numbers,
    from_blocked,
    global_mask,
    padding_mask,
    random_mask,
    sliding_window_mask,
    tree_mask,
)
from attn_course.core.masks.patterns import (
    big_bird_layout,
    big_bird_mask,
    block_mask,
    fixed_mask,
    longformer_mask,
    strided_mask,
)

__all__ = [
    "big_bird_layout",
    "big_bird_mask",
    "block_mask",
    "causal_mask",
    "dilated_window_mask",
    "document_mask",
    "document_numbers",
    "fixed_mask",
    "from_blocked",
    "global_mask",
    "longformer_mask",
    "padding_mask",
    "random_mask",
    "sliding_window_mask",
    "strided_mask",
    "tree_mask",
]
