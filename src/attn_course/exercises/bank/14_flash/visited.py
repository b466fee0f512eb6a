"""Predict, then count. Causal attention of 4096 queries over 4096 keys, in tiles of 128
x 128: how many tiles hold a pair that may be seen? Enter your guess, then write
`visited(length, size)`, a number; the last block may be shorter.

1. The first block of queries sees one block of keys, the second two.
2. With n blocks it is 1 + 2 + ... + n.
3. n * (n + 1) // 2, where n is length / size, rounded up.
"""

title = "predict how many tiles are visited"
level, minutes = 1, 5
kind = "predict"
before = "whole numbers"
predict = "for 4096 positions in blocks of 128"
ask = (4096, 128)


def cases(rng):
    sizes = [(12, 4), (13, 4), (1, 7), (7, 1), (100, 11), (5, 100)]
    drawn = rng.integers((20, 2), (500, 19), (3, 2))
    sizes += [(int(length), int(size)) for length, size in drawn]
    return [Case(f"{n} positions, blocks of {size}", (n, size)) for n, size in sizes]


# %% solution
def visited(length, size):
    ...  # two numbers; return a number
    blocks = -(-length // size)
    return blocks * (blocks + 1) // 2


# %% mistake: these are all tiles; those in the future are not visited
instead = lambda length, size: (-(-length // size)) ** 2
# %% mistake: the last block, which may be shorter, is not counted
blocks = length // size
# %% mistake: the tiles on the diagonal are visited too
return blocks * (blocks - 1) // 2
# %% mistake: half of all tiles leaves out half of the diagonal
instead = lambda length, size: (-(-length // size)) ** 2 // 2
# %% mistake: these are pairs of positions; pairs of blocks were asked for
instead = lambda length, size: length * (length + 1) // 2
# %% mistake: this is one row of tiles
return blocks
# %% mistake: half of them lie in the future
return blocks * (blocks + 1)
# %% mistake: there is one block too many where the size divides the length
blocks = length // size + 1
# %% mistake: the size is a constant; it is handed over
blocks = -(-length // 128)
# %% mistake: these are the diagonal and the tiles beside it
return 2 * blocks - 1
# %% mistake: there is a block too many
return (blocks + 1) * (blocks + 2) // 2
# %% mistake: the pairs are shared out evenly; a tile on the diagonal is half empty
return length * (length + 1) // 2 // size**2
