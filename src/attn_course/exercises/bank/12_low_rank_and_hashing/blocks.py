"""Find the bugs; there are two. A query reads k blocks of keys, chosen by its product
with the mean key of each: its own block always, and of those before it the best; within
its own block nothing behind itself. query (T, K), mean (N, K), of blocks of `size`
keys, and k; output (T, T), True where a query may attend to a key. The last block may
be cut.

1. Print the output for six keys in blocks of two, k = 1: what does query 0 see?
2. The own block is not over yet: should its mean decide, and may all of it be read?
3. np.where(block == own, np.inf, score), and & np.tri(T, dtype=bool) at the end
"""

title = "find the bugs in chosen blocks"
level, minutes = 3, 20
kind = "bug"
before = "12.index"


def cases(rng):
    def draw(T, K, size, k):
        query, key = rng.normal(size=(2, T, K))
        mean = [key[i : i + size].mean(axis=0) for i in range(0, T, size)]
        return query, np.stack(mean), size, k

    cases = [Case("blocks of 3", draw(12, 5, 3, 2))]
    cases.append(Case("sizes of different primes", draw(11, 3, 5, 2)))
    cases.append(Case("one block each", draw(7, 2, 2, 1)))
    cases.append(Case("all blocks", draw(8, 3, 3, 9)))
    cases.append(Case("blocks of one", draw(6, 4, 1, 3)))
    return [*cases, Case("one position", draw(1, 3, 2, 1))]


# %% solution
def blocks(query, mean, size, k):
    T = len(query)
    block, own = np.arange(len(mean)), np.arange(T)[:, None] // size
    score = np.where(block == own, np.inf, query @ mean.T)
    score = np.where(block > own, -np.inf, score)
    place = np.argsort(np.argsort(-score, axis=1, kind="stable"), axis=1)
    chosen = place < k
    return chosen[:, np.arange(T) // size] & np.tri(T, dtype=bool)


# %% starter
def blocks(query, mean, size, k):
    T = len(query)
    block, own = np.arange(len(mean)), np.arange(T)[:, None] // size
    score = np.where(block > own, -np.inf, query @ mean.T)
    place = np.argsort(np.argsort(-score, axis=1, kind="stable"), axis=1)
    chosen = place < k
    return chosen[:, np.arange(T) // size]


# %% mistake: the own block is not forced: a mean that holds the future decides
score = query @ mean.T
# %% mistake: within its own block a query sees what comes after it
return chosen[:, np.arange(T) // size]
# %% mistake: a block that has not begun takes the place of one that is seen
score = np.where(block > own + 1, -np.inf, score)
# %% mistake: the own block is missing
return chosen[:, np.arange(T) // size] & (np.arange(T) // size < own)
# %% mistake: the own block is one of the k
chosen = place <= k
# %% mistake: these are the worst blocks
score = np.where(block == own, np.inf, -(query @ mean.T))
# %% mistake: the size of a block is handed over
block, own = np.arange(len(mean)), np.arange(T)[:, None] // 3
# %% mistake: every block before is read; k of them were wanted
chosen = block <= own
