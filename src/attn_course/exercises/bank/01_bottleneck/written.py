"""No loop. A decoder has written rows of numbers, and went on after each one's end.
`written(tokens, end)`: tokens (B, T), whole numbers; end, a number; output (B, T) bool,
True up to a row's first end and at it, everywhere where there is none. For 2,000 rows
300 lines of Python may run: the check counts them.

1. When has a row ended? Count its ends from the left: a sum that runs along the row.
2. np.cumsum(tokens == end, axis=1) is 1 at the first end already: take what stands at
   the place itself away again.
3. hit = tokens == end; np.cumsum(hit, axis=1) - hit == 0
"""

title = "a puzzle without a loop: what was written"
level, minutes = 2, 10
before = "01.padding_mask"


def cases(rng):
    def draw(B, T):
        return rng.integers(0, 4, (B, T)), 3

    def full(tokens, end):
        return np.minimum(tokens, end - 1), end

    first = np.array([[3, 1, 3, 2, 1], [0, 1, 2, 1, 0], [0, 3, 3, 3, 0]])
    return [
        *fixed_cases(rng, draw, 2, long=(1,), full=full),
        Case("an end at once, none, and three", (first, 3)),
        Case("another end", (first, 2)),
        Case("2,000 rows", draw(2000, 20), lines=300),
    ]


# %% solution
def written(tokens, end):
    ...  # (B, T), a number; return (B, T), bool
    hit = tokens == end
    return np.cumsum(hit, axis=1) - hit == 0


# %% mistake: the first end itself belongs to it
return np.cumsum(hit, axis=1) == 0
# %% mistake: only the ends are left out; what follows them was not written either
return ~hit
# %% mistake: what stands between the first end and the second is not written
return np.cumsum(hit, axis=1) <= 1
# %% mistake: after a second end it is True again
return (np.cumsum(hit, axis=1) - hit) % 2 == 0
# %% mistake: a row without an end is written as a whole: argmax of all False is 0
return np.arange(tokens.shape[1]) <= hit.argmax(axis=1)[:, None]
# %% mistake: a row without an end is written as a whole
return (np.cumsum(hit, axis=1) - hit == 0) & hit.any(axis=1, keepdims=True)
# %% mistake: the sum runs along each row, not from row to row
return np.cumsum(hit, axis=0) - hit == 0
# %% mistake: without an axis the rows are one long row
return (np.cumsum(hit) - hit.ravel() == 0).reshape(hit.shape)
# %% mistake: it is inverted: True is what was written
return np.cumsum(hit, axis=1) - hit > 0
# %% mistake: it goes up to the last end; the first one counts
return (np.cumsum(hit[:, ::-1], axis=1)[:, ::-1] > 0) | ~hit.any(axis=1, keepdims=True)
# %% mistake: that is what comes behind the last end
return np.cumsum(hit[:, ::-1], axis=1)[:, ::-1] == 0
# %% mistake: the end is handed over; it need not be the largest number
hit = tokens == tokens.max()
