"""Find the bugs; there are two. One round of LSH attention: bucket (S) and a chunk
size; output (S, S), True where a position may attend to another: the same bucket, and
the same chunk or the one before, of the positions sorted by bucket; itself only when
there is nobody else.

1. Print order, place and chunk for five positions and compare by hand.
2. np.argsort(bucket) lists positions; which place has position 3? And whose chunk is
   subtracted from whose?
3. The argsort of the argsort; chunk[:, None] - chunk
"""

title = "find the bugs in sorted chunks"
level, minutes = 3, 20
kind = "bug"
before = "12.buckets"


def cases(rng):
    def draw(S, N, size):
        return rng.integers(0, N, size=S), size

    cases = fixed_cases(rng, draw, 3)
    cases.append(Case("all in one bucket", (np.zeros(11, int), 3)))
    # The first position is alone in its row of the mask, not in its column.
    cases.append(Case("chunks of one", (np.zeros(5, int), 1)))
    cases.append(Case("each in its own bucket", (rng.permutation(7), 2)))
    cases.append(Case("one position", (np.zeros(1, int), 2)))
    return [*cases, Case("chunks that hold all", (rng.integers(0, 3, size=13), 13))]


# %% solution
def allowed(bucket, size):
    place = np.argsort(np.argsort(bucket, kind="stable"))
    chunk = place // size
    back = chunk[:, None] - chunk
    near = (back == 0) | (back == 1)
    may = near & (bucket[:, None] == bucket) & ~np.eye(len(bucket), dtype=bool)
    return may | np.diag(~may.any(axis=1))


# %% starter
def allowed(bucket, size):
    place = np.argsort(bucket, kind="stable")
    chunk = place // size
    back = chunk - chunk[:, None]
    near = (back == 0) | (back == 1)
    may = near & (bucket[:, None] == bucket)
    may &= ~np.eye(len(bucket), dtype=bool)
    return may | np.diag(~may.any(axis=1))


# %% mistake: argsort gives who stands at a place; the place of each is wanted
place = np.argsort(bucket, kind="stable")
# %% mistake: a chunk looks back to the one before, not ahead
back = chunk - chunk[:, None]
# %% mistake: only the same bucket is allowed
may = near & ~np.eye(len(bucket), dtype=bool)
# %% mistake: the chunk before is missing
near = back == 0
# %% mistake: who is alone attends to itself
return may
# %% mistake: nobody attends to itself unless alone
may = near & (bucket[:, None] == bucket)
# %% mistake: the own chunk is missing
near = back == 1
# %% mistake: the chunk after is allowed too
near = np.abs(back) < 2
# %% mistake: chunks are not looked at
may = (bucket[:, None] == bucket) & ~np.eye(len(bucket), dtype=bool)
# %% mistake: the mask is inverted: True may attend
return ~(may | np.diag(~may.any(axis=1)))
# %% mistake: who is alone is asked of the columns, not of the rows
return may | np.diag(~may.any(axis=0))
# %% mistake: two chunks back are allowed, not one
near = (back == 0) | (back == 2)
# %% mistake: it is causal; here it is not
may = near & (bucket[:, None] == bucket) & np.tri(len(bucket), k=-1, dtype=bool)
# %% mistake: positions are cut as they stand; they are sorted by bucket first
place = np.arange(len(bucket))
# %% mistake: the chunk's size is a constant; it is handed over
chunk = place // 4
