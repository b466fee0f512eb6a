"""Write `reused(prompt, kept, size)`: how many tokens of a prompt needn't be read. kept:
another text, whose keys and values are in the cache, in blocks of `size` positions. Only
full blocks are shared, and a block only if all tokens up to its end are the same; at
least one token of the prompt has to be read, for its logits. prompt (n) and kept (m) are
whole numbers.

1. How many full blocks can there be at most? Of the prompt, without its last token.
2. A block counts if it and all before it are equal: np.cumprod.
3. n = min(len(prompt) - 1, len(kept)) // size; compare the first n * size tokens.
"""

title = "what a prefix cache saves"
level, minutes = 2, 15
before = "np.cumprod"


def cases(rng):
    def draw(n, m, same, size):
        kept = rng.integers(0, 9, m)
        prompt = rng.integers(0, 9, n)
        same = min(n, m, same)
        prompt[:same] = kept[:same]
        if same < min(n, m):
            prompt[same] = (kept[same] + 1) % 9
        return prompt, kept, size

    def again(prompt, kept, size):
        """Equal again behind the first difference."""
        where = np.flatnonzero(prompt[: len(kept)] != kept[: len(prompt)])[0]
        prompt = prompt.copy()
        prompt[where + 1 : len(kept)] = kept[where + 1 : len(prompt)]
        return prompt, kept, size

    text = rng.integers(0, 9, 12)
    return [
        Case("sizes of different primes", draw(23, 31, 13, 5)),
        Case("equal to the end of a block", draw(23, 31, 15, 5)),
        Case("equal again behind a difference", again(*draw(29, 29, 9, 4))),
        Case("equal again behind a difference", again(*draw(29, 31, 2, 7))),
        Case("equal again behind a difference", again(*draw(29, 29, 12, 4))),
        Case("all of the prompt is kept", (text, np.append(text, [1, 2, 3]), 4)),
        Case("all but the last token", (text, text, 11)),
        Case("the kept text is shorter", draw(23, 9, 9, 4)),
        Case("nothing is equal", draw(11, 13, 0, 3)),
        Case("shorter than a block", draw(5, 7, 5, 8)),
        Case("a block of one token", draw(7, 9, 4, 1)),
        Case("a prompt of one token", (text[:1], text, 1)),
    ]


# %% solution
def reused(prompt, kept, size):
    ...  # (n), (m) and a number; return a number
    n = min(len(prompt) - 1, len(kept)) // size
    same = prompt[: n * size] == kept[: n * size]
    blocks = same.reshape(n, size).all(axis=1)
    return size * np.cumprod(blocks).sum()


# %% mistake: one token has to be read, or there are no logits
n = min(len(prompt), len(kept)) // size
# %% mistake: a block counts only if those before it are equal too
return size * blocks.sum()


# %% mistake: full blocks alone are shared
def instead(prompt, kept, size):
    n = min(len(prompt) - 1, len(kept))
    return np.cumprod(prompt[:n] == kept[:n]).sum()


# %% mistake: a block counts only if all its tokens are equal
blocks = same.reshape(n, size).any(axis=1)
# %% mistake: the tokens are asked for, not the blocks
return np.cumprod(blocks).sum()
# %% mistake: where the texts differ, nothing behind is shared; what is before, is
return size * n * blocks.all()
# %% mistake: tokens are compared at the ends of blocks alone
blocks = same.reshape(n, size)[:, -1]
# %% mistake: tokens are compared at the beginnings of blocks alone
blocks = same.reshape(n, size)[:, 0]
# %% mistake: the kept text may be longer, or differ: compare
return size * n
