"""Blocks of positions: what the sparse patterns are computed with.

No mechanism of its own. A pattern cuts queries and keys into blocks, so that a block of
queries meets only the keys that may count: ``window`` those around it, ``strided`` its
row, its column or the summaries, ``block_sparse`` the blocks of a layout.

- ``over_heads(attend_heads, query, key, value, mask, softmax, scale)``: the leading
  axes as one
- ``attend(query, key, value, mask)``: what blocks are computed with
- ``near_keys``, ``band``: a window of keys around every query
- ``cut``, ``to_blocks``, ``to_columns``, ``from_columns``, ``beside``, ``in_parts``:
  positions cut and put together
- ``PatternAttention``: the layer of every pattern

A ``softmax`` is a function of (score (B, H, ..., S), mask), as the parts in
``mechanisms.parts.gated`` are. With one the scores are formed, block by block, and
PyTorch's fused kernel isn't used. That kernel has no forward mode and no second
derivative: under ``torch.func`` the patterns leave it by themselves; for
``torch.autograd.grad(..., create_graph=True)`` hand over ``softmax=masked_softmax``, or
choose ``torch.nn.attention.sdpa_kernel(SDPBackend.MATH)``.
"""

__all__ = ["pytorch", "tf"]
