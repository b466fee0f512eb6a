"""Find the bugs. Fixed attention, block by block, causal: query (n, K), key (n, K),
value (n, V), stride and summary; a query sees its own block of `stride` up to itself,
and the last `summary` positions of every block before. There are two faults; neither
raises an error. With 2,048 positions, 3 MB may be held at a time: no table of all
pairs.

1. Change the last token of a block, and see which outputs move.
2. One fault is in the mask of the own block, one in the range of the loop.
3. seen & (j <= i); range(0, n, stride) with stop = min(start + stride, n).
"""

title = "find the bugs in fixed attention"
level, minutes = 3, 20
kind = "bug"
before = "10.window"
usual = "overflow zero -50 unscaled queries"


def cases(rng):
    def draw(n, K, V, stride, summary):
        return *normals(rng, (n, K), (n, K), (n, V)), stride, summary

    return [
        Case("sizes of different primes", draw(11, 3, 5, 4, 1)),
        Case("sizes of different primes", draw(13, 5, 2, 5, 2)),
        Case("blocks that fit", draw(12, 2, 3, 4, 2)),
        *sized(draw, (1, 3, 2, 3, 1), (7, 1, 3, 3, 1), (7, 3, 1, 2, 1)),
        Case("a stride longer than the sequence", draw(3, 2, 5, 7, 2)),
        Case("a summary as long as the block", draw(11, 3, 2, 3, 3)),
        Case("scores of several hundred", strong(*draw(11, 3, 5, 3, 1))),
        Case("the largest score is blocked", behind(*draw(11, 3, 5, 3, 1))),
        Case("length 100", draw(100, 3, 2, int(rng.integers(5, 12)), 2)),
        Case("2,048 positions", draw(2048, 4, 4, 16, 1), most=3 * 2**20),
    ]


# %% solution
def fixed(query, key, value, stride, summary):
    n, K = query.shape
    output = np.zeros((n, value.shape[1]))
    for start in range(0, n, stride):
        stop = min(start + stride, n)
        i, j = np.arange(start, stop)[:, None], np.arange(stop)
        seen = (j >= start) | (j % stride >= stride - summary)
        score = query[start:stop] @ key[:stop].T / np.sqrt(K)
        score = np.where(seen & (j <= i), score, -np.inf)
        output[start:stop] = softmax(score) @ value[:stop]
    return output


# %% starter
def fixed(query, key, value, stride, summary):
    n, K = query.shape
    output = np.zeros((n, value.shape[1]))
    for start in range(0, n - stride + 1, stride):
        stop, j = start + stride, np.arange(start + stride)
        seen = (j >= start) | (j % stride >= stride - summary)
        score = query[start:stop] @ key[:stop].T
        score = np.where(seen, score / np.sqrt(K), -np.inf)
        output[start:stop] = softmax(score) @ value[:stop]
    return output


# %% mistake: the future leaks inside a block: the own block needs a causal mask
score = np.where(seen, score, -np.inf)
# %% mistake: the last block is dropped when it is cut
for start in range(0, n - stride + 1, stride):
    ...
# %% mistake: the summary is the last of a block, not the first
seen = (j >= start) | (j % stride < summary)
# %% mistake: there are no summaries
seen = j >= start
# %% mistake: the own block is missing
seen = (j % stride >= stride - summary) | (j == i)
# %% mistake: a position does not see itself
score = np.where(seen & ((j < i) | (j == start)), score, -np.inf)
# %% mistake: the summary has one position too few
seen = (j >= start) | (j % stride > stride - summary)
# %% mistake: the summary is one position; it is handed over
seen = (j >= start) | (j % stride >= stride - 1)
# %% mistake: the root is that of the value's width
score = query[start:stop] @ key[:stop].T / np.sqrt(value.shape[1])
# %% mistake: own block and summaries are joined by or
seen = (j >= start) & (j % stride >= stride - summary)
# %% mistake: a window stands in place of the own block
seen = (i - j < stride) | (j % stride >= stride - summary)
# %% mistake: the summaries are those of the query's place, not of the key's
seen = (j >= start) | (i % stride >= stride - summary)
# %% mistake: the mask comes after the softmax, and the rest is brought to 1 again:
# block the scores before
score = np.where(True, score, -np.inf)
output[start:stop] = afterwards(score, seen & (j <= i)) @ value[:stop]
