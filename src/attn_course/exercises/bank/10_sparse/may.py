"""A compiler of masks asks about single pairs: write `may(i, j, text, window)`, i and j
(P), queries and keys of the pairs in any order, text (n), the number of the text that
each token of a row is of, with n tokens in all; output (P), True where query i may read
key j: not behind it, of the same text, and among the `window` last keys, its own the
last, or the first token of its text. No loop: for 16,384 pairs 2,000 lines may run.

1. Three conditions must hold; the third is one of two. Each is a comparison of arrays.
2. Of the same text: text[i] == text[j]. What is different in front of a first token?
3. first = (j == 0) | (text[j] != text[j - 1])
"""

title = "a mask from pairs: texts, a window, first tokens"
level, minutes = 2, 10
before = "10.strided"


def cases(rng):
    def draw(lengths, window):
        text = np.repeat(rng.permutation(len(lengths)), lengths)
        pairs = rng.permutation(len(text) ** 2)
        return pairs // len(text), pairs % len(text), text, window

    return [
        Case("three texts", draw([5, 3, 7], 2)),
        Case("one text", draw([11], 3)),
        Case("texts of one token", draw([1, 1, 4, 1], 2)),
        Case("a window of 1", draw([3, 5], 1)),
        Case("a window longer than the row", draw([4, 3], 11)),
        Case("an axis of size 1", draw([1], 3)),
        Case("many texts", draw(rng.integers(1, 9, 12), int(rng.integers(2, 5)))),
        Case("16,384 pairs", draw([32, 96], 4), lines=2000),
    ]


# %% solution
def may(i, j, text, window):
    ...  # (P), (P), (n), a number; return (P), True = may read
    near = i - j < window
    first = (j == 0) | (text[j] != text[j - 1])
    return (j <= i) & (text[i] == text[j]) & (near | first)


# %% mistake: the future is seen: j may be i at most
return (text[i] == text[j]) & (near | first)
# %% mistake: another text is seen
return (j <= i) & (near | first)
# %% mistake: the window is missing
return (j <= i) & (text[i] == text[j])
# %% mistake: the first token of the text is missing
return (j <= i) & (text[i] == text[j]) & near
# %% mistake: the window and the first token are joined by or
return (j <= i) & (text[i] == text[j]) & (near & first)
# %% mistake: the window has one key too many: its own position counts
near = i - j <= window
# %% mistake: the window has one key too few
near = i - j < window - 1
# %% mistake: the first token is that of each text, not of the row
first = j == 0
# %% mistake: the row's first token has none before it: j - 1 is the last one there
first = text[j] != text[j - 1]
# %% mistake: a query doesn't see itself
return (j < i) & (text[i] == text[j]) & (near | first)
# %% mistake: True = may read; here it blocks
return ~((j <= i) & (text[i] == text[j]) & (near | first))
# %% mistake: the window is a constant; it is handed over
near = i - j < 3
