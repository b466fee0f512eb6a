"""Find the bugs; there are two. A model chose keys by an indexer, and behind k of them
it wrote nonsense: the first keys of the text, on which its heads rest, were no longer
among the chosen. score (T, T), the indexer's, any real numbers; a query is to read k
keys: the first `sinks` of the text, as far as they are not behind it, and of those up
to its own place the best. Output (T, T), True where it reads. Of equal scores the first
keys; fewer than k only where there are no more; k is above `sinks`.

1. Print the rows for k = 2, sinks = 1: does the last query read key 0?
2. A key that comes later has the score 0 here: which keys of the past does that beat?
3. Two lines before the sort: np.inf where np.arange(T) < sinks, then -np.inf where the
   key comes later
"""

title = "find the bugs of an indexer that evicts the sinks"
level, minutes = 2, 15
kind = "bug"
before = "12.index"


def cases(rng):
    def draw(T, sinks, k, down=0.0):
        return rng.normal(size=(T, T)) - down, sinks, k

    return [
        Case("a text longer than k", draw(11, 1, 3)),
        Case("sizes of different primes", draw(13, 2, 5)),
        Case("scores below 0", draw(7, 1, 4, 5.0)),
        Case("no sinks", draw(8, 0, 2)),
        Case("equal scores", (np.round(draw(12, 1, 4)[0]), 1, 4)),
        Case("k above the length", draw(5, 2, 7)),
        Case("one position", draw(1, 0, 1)),
    ]


# %% solution
def kept(score, sinks, k):
    T = len(score)
    first = np.where(np.arange(T) < sinks, np.inf, score)
    past = np.where(np.tri(T) == 0, -np.inf, first)
    place = np.argsort(np.argsort(-past, axis=1, kind="stable"), axis=1)
    return (place < k) & np.tri(T, dtype=bool)


# %% starter
def kept(score, sinks, k):
    T = len(score)
    past = np.where(np.tri(T) == 0, 0.0, score)
    place = np.argsort(np.argsort(-past, axis=1, kind="stable"), axis=1)
    return (place < k) & np.tri(T, dtype=bool)


# %% mistake: the first keys are evicted as soon as k others score higher
first = score
# %% mistake: a key that comes later takes the place of one of the past
past = np.where(np.tri(T) == 0, 0.0, first)
# %% mistake: the first keys come on top of the k
first = score
return ((place < k) | (np.arange(T) < sinks)) & np.tri(T, dtype=bool)
# %% mistake: a query reads keys that come after it
return place < k
# %% mistake: these are the worst keys
first = np.where(np.arange(T) < sinks, np.inf, -score)
# %% mistake: k keys are read, and here one more
return (place <= k) & np.tri(T, dtype=bool)
# %% mistake: the number of sinks is handed over
first = np.where(np.arange(T) < 1, np.inf, score)
# %% mistake: of equal scores the first keys are read, and here the last
place = np.argsort(np.argsort(-past[:, ::-1], axis=1, kind="stable"), axis=1)[:, ::-1]
