"""Write the mask of strided attention, causal, `allowed(n, stride)`: query i sees key j
if j <= i, and i - j is below the stride or a multiple of it; output (n, n), True = may
attend.

1. Make all distances i - j at once, as an array (n, n).
2. Three conditions on the distance; joined by `and`, then `or`.
3. back = i[:, None] - j; (back >= 0) & ((back < stride) | (back % stride == 0))
"""

title = "the strided mask"
level, minutes = 1, 10
before = "indexing with arrays"


def cases(rng):
    n, stride = (int(size) for size in rng.permutation([5, 7, 11])[:2])
    return [
        Case("sizes of different primes", (n, stride)),
        Case("sizes of different primes", (3 * stride + 2, stride)),
        Case("equal sizes", (5, 5)),
        Case("an axis of size 1", (1, 3)),
        Case("a stride of 1", (7, 1)),
        Case("a stride longer than the sequence", (5, 11)),
        Case("length 100", (100, int(rng.integers(3, 12)))),
    ]


# %% solution
def allowed(n, stride):
    ...  # two numbers; return (n, n), True = may attend
    back = np.arange(n)[:, None] - np.arange(n)
    return (back >= 0) & ((back < stride) | (back % stride == 0))


# %% mistake: the future is seen: j may be i at most
return (back < stride) | (back % stride == 0)
# %% mistake: the column is missing: multiples of the stride
return (back >= 0) & (back < stride)
# %% mistake: the row is missing: distances below the stride
return (back >= 0) & (back % stride == 0)
# %% mistake: row and column are joined by or
return (back >= 0) & ((back < stride) & (back % stride == 0))
# %% mistake: the multiples count from the query, not from the start
return (back >= 0) & ((back < stride) | (np.arange(n) % stride == 0))
# %% mistake: queries and keys are exchanged
back = np.arange(n) - np.arange(n)[:, None]
# %% mistake: True = may attend; here it blocks
return ~((back >= 0) & ((back < stride) | (back % stride == 0)))
# %% mistake: a query doesn't see itself
return (back > 0) & ((back < stride) | (back % stride == 0))
# %% mistake: the next key is seen too
return (back >= -1) & ((back < stride) | (back % stride == 0))
# %% mistake: the row is one key too short
return (back >= 0) & ((back < stride - 1) | (back % stride == 0))
# %% mistake: the multiples are off by one
return (back >= 0) & ((back < stride) | (back % stride == 1))
# %% mistake: the column is that of the fixed pattern: it counts from the start
return (back >= 0) & ((back < stride) | (np.arange(n) % stride == stride - 1))
# %% mistake: the stride is a constant; it is handed over
return (back >= 0) & ((back < 3) | (back % stride == 0))
# %% mistake: the column's stride is a constant; it is handed over
return (back >= 0) & ((back < stride) | (back % 4 == 0))
