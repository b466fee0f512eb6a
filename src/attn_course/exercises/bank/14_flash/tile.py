"""Reach a traffic. A fast memory of `fast` numbers holds a tile: of `rows` queries the
queries and their output, of `columns` keys the keys and values, all of width d, and the
scores, rows x columns. Keys come in sixteens. For each block of queries all n keys and
values are read. Write `tile(n, d, fast)`, which returns rows and columns; any that fit
and move at most 1.1 times the fewest numbers pass.

1. How often are all keys read? Which of the two numbers decides that, and which one
   only takes room?
2. The fewest columns are 16. How many rows fit beside them?
3. 2 * d * rows + 2 * d * 16 + 16 * rows is at most fast; solve for rows, round down.
"""

title = "reach a traffic: rows or columns?"
level, minutes = 2, 10
kind = "open"
before = "14.visited"


def cases(rng):
    sizes = [(8192, 64, 24_576), (4096, 128, 49_152), (16_384, 32, 12_288)]
    sizes += [(2048, 64, int(fast)) for fast in rng.integers(9_000, 40_000, 3)]
    sizes.append((256, 64, 10**6))
    return [Case(f"{n:,} keys, {fast:,} numbers", (n, d, fast)) for n, d, fast in sizes]


def moved(n, d, rows):
    """Numbers read and written: queries, output, its logarithms; keys and values."""
    return 2 * n * d + n + -(-n // rows) * 2 * n * d


def measure(results, n, d, fast):
    """True; a tile that does not fit or moves too much is refused with its numbers."""
    whole = [x.ndim == 0 and x.dtype.kind in "iuf" and x % 1 == 0 for x in results]
    if whole != [True, True] or min(results) < 1:
        raise Refused("return two whole numbers from 1 on, rows and columns")
    rows, columns = map(int, results)
    if columns % 16:
        raise Refused(f"keys come in sixteens: {columns} are none")
    room = 2 * d * (rows + columns) + rows * columns
    if room > fast:
        raise Refused(f"it does not fit: {room:,} numbers, there is room for {fast:,}")
    best = min(n, (fast - 32 * d) // (2 * d + 16))
    own, least = (moved(n, d, x) for x in (rows, best))
    if own > 1.1 * least:
        told = f"{own:,} numbers, {rows} x {columns}; {least:,} can be reached"
        raise Refused(f"it moves too much: {told}")
    return np.array(True)


# %% solution
def tile(n, d, fast):
    ...  # three numbers; return rows and columns
    columns = 16
    rows = (fast - 2 * columns * d) // (2 * d + columns)
    return min(rows, n), columns


# %% mistake: it does not fit: the scores of the tile take room too
rows = (fast - 2 * columns * d) // (2 * d)
# %% mistake: it does not fit: keys and values take room too
rows = fast // (2 * d + columns)
# %% mistake: it does not fit: the output stands beside the queries
rows = (fast - 2 * columns * d) // (d + columns)
# %% mistake: it does not fit: of keys and of values there are columns each
rows = (fast - columns * d) // (2 * d + columns)
# %% mistake: keys come in sixteens: one at a time is the fewest, but not allowed
columns = 1
# %% mistake: it moves too much: keys are read once per block of queries, so rows count
columns = (fast - 2 * 16 * d) // (2 * d + 16) // 16 * 16
rows = 16
# %% mistake: it moves too much: a square tile is not the best
columns = int(np.sqrt(4 * d * d + fast) - 2 * d) // 16 * 16
rows = columns
