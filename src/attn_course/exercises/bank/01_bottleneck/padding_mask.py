"""Write `padding_mask(lengths, size)`: lengths (B), whole numbers; size, a number; the
result is boolean (B, size), True where a token stands. A length of 0 gives a row of
False.

1. Position j is a token exactly when j is smaller than the length.
2. Compare np.arange(size), one row, with the lengths as a column.
3. np.arange(size) < lengths[:, None]
"""

title = "mark the padding"
level, minutes = 1, 5
before = "comparing arrays, broadcasting"


def cases(rng):
    def draw(B, S):
        return rng.integers(0, S + 1, B), S

    def full(lengths, size):
        return np.full_like(lengths, size), size

    return fixed_cases(rng, draw, 2, long=(1,), empty={0: np.zeros_like}, full=full)


# %% solution
def padding_mask(lengths, size):
    ...  # (B), a number; return (B, size), bool
    return np.arange(size) < lengths[:, None]


# %% mistake: the mask is inverted: True should stand where a token is
return np.arange(size) >= lengths[:, None]
# %% mistake: one position too many: positions count from 0
return np.arange(size) <= lengths[:, None]
# %% mistake: one position too few
return np.arange(size) + 1 < lengths[:, None]
# %% mistake: the mask is transposed: a row for each sentence
return np.arange(size)[:, None] < lengths
# %% mistake: the width is that of the longest sentence; it is size
return np.arange(lengths.max()) < lengths[:, None]
# %% mistake: the tokens stand at the end; here padding does
return np.arange(size)[::-1] < lengths[:, None]
# %% mistake: everything is allowed
return np.arange(size) <= size + lengths[:, None]
# %% mistake: every sentence gets the length of the first
return np.arange(size) < np.full_like(lengths, lengths[0])[:, None]
# %% mistake: the tokens come before the length, not after it
return np.arange(size) > lengths[:, None]
# %% mistake: only the position after the last token is True
return np.arange(size) == lengths[:, None]
# %% mistake: a length of 0 gives a row of False, not one token
return np.arange(size) < np.maximum(lengths, 1)[:, None]
# %% mistake: every sentence gets the length of the longest
return np.arange(size) < lengths.max() + 0 * lengths[:, None]
# %% mistake: the lengths are handed over; they don't grow by one per sentence
instead = lambda lengths, size: np.tri(len(lengths), size, dtype=bool)
