"""Predict, then measure. Self-attention over the pixels of an image of 64 by 64, one
head, float32: how many MiB do the weights take? Enter your guess in bytes (1 MiB is
2**20), then write `weight_bytes(height, width, heads, item)`, item the bytes of one
number.

1. How many tokens are there, and how many pairs of them?
2. Tokens are height * width; weights are tokens squared, per head.
3. (height * width) ** 2 * heads * item
"""

title = "predict the memory of the weights"
level, minutes = 1, 5
kind = "predict"
before = "05.self_attention"
predict = "bytes, for 64 by 64, one head, 4 bytes a number"
ask = (64, 64, 1, 4)


def cases(rng):
    cases = []
    for name in ("sizes of different primes", "another number of heads"):
        for _ in range(2):
            height, width, heads = (int(n) for n in rng.permutation([3, 5, 7, 11])[:3])
            cases.append(Case(name, (height, width, heads, int(rng.choice([2, 4, 8])))))
    cases += [
        Case("an axis of size 1", (1, 7, 3, 4)),
        Case("an axis of size 1", (7, 1, 3, 2)),
    ]
    return [*cases, Case("100 pixels on a side", (100, 100, 1, 4))]


# %% solution
def weight_bytes(height, width, heads, item):
    ...  # four numbers; return one
    return (height * width) ** 2 * heads * item


# %% mistake: every pixel sees every pixel: the pixels' number is squared
return height * width * heads * item
# %% mistake: only the height is squared
return height**2 * width * heads * item
# %% mistake: the heads are missing: each has weights of its own
return (height * width) ** 2 * item
# %% mistake: the bytes of a number are missing
return (height * width) ** 2 * heads
# %% mistake: a number has 4 bytes only in float32: item is handed over
return (height * width) ** 2 * heads * 4
# %% mistake: these are bits
return (height * width) ** 2 * heads * item * 8
# %% mistake: the heads share the weights out; each has its own
return (height * width) ** 2 // heads * item
# %% mistake: the heads are squared too
return (height * width * heads) ** 2 * item
# %% mistake: only pairs in one row are counted
return height * width**2 * heads * item
# %% mistake: height and width are added; an image has height times width pixels
return (height + width) ** 2 * heads * item
# %% mistake: height and width may differ
return height**4 * heads * item
# %% mistake: a pixel sees itself too
return height * width * (height * width - 1) * heads * item
# %% mistake: all pairs are stored, not half of them
return height * width * (height * width + 1) // 2 * heads * item
# %% mistake: the pixels' number is a constant; it is handed over
return 4096**2 * heads * item
