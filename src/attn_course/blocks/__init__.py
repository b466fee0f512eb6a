"""Blocks of positions: what the sparse patterns are computed with.

No mechanism of its own. A pattern cuts queries and keys into blocks, so that a block of
queries meets only the keys that may count: ``window`` those around it, ``strided`` its
row, its column or the summaries, ``block_sparse`` the blocks of a layout.
"""

__all__ = ["pytorch", "tf"]
