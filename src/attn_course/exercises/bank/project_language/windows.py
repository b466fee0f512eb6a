"""Write `windows(tokens, starts, length)`: what a language model reads and what it has
to say. tokens (n), whole numbers, a whole text; starts (B), where each window begins.
Returns two arrays (B, length): the tokens of each window, and for each of them the
token that follows it in the text.

1. Both are the same windows of the text; the second ones begin one token later.
2. starts[:, None] + np.arange(length) is (B, length): the place in the text of every
   token of every window.
3. places = starts[:, None] + np.arange(length); the answer is tokens[places],
   tokens[places + 1].
"""

title = "windows of the text, and what follows"
level, minutes = 1, 10
before = "01.decoder_input"


def cases(rng):
    def draw(B, length, more=8):
        tokens = rng.permutation(10 * (length + more))[: length + more]
        return tokens, rng.integers(0, more - 1, B), int(length)

    def ends(tokens, starts, length):
        return tokens, np.array([0, len(tokens) - length - 1]), length

    B, length = (int(size) for size in rng.permutation([2, 3, 5, 7])[:2])
    return [
        *sized(draw, (B, length), (5, 5)),
        Case("one window", draw(1, 7)),
        Case("windows of one token", draw(3, 1)),
        Case("the first and the last window", ends(*draw(2, 5))),
        Case("length 100", draw(3, 100)),
    ]


# %% solution
def windows(tokens, starts, length):
    ...  # (n), (B), a number; return (B, length), (B, length)
    places = starts[:, None] + np.arange(length)
    return tokens[places], tokens[places + 1]


# %% mistake: nothing is shifted: the second array begins one token later
return tokens[places], tokens[places]
# %% mistake: it is shifted backwards: the token that follows is asked for
return tokens[places], tokens[places - 1]
# %% mistake: it is shifted by two tokens; the next one is asked for
return tokens[places], tokens[places + 2]
# %% mistake: they are exchanged: first what is read, then what follows
return tokens[places + 1], tokens[places]
# %% mistake: these are numbers plus 1; the tokens one place later are asked for
return tokens[places], tokens[places] + 1
# %% mistake: these are places; the tokens that stand there are asked for
return places, places + 1
# %% mistake: one token too few
places = starts[:, None] + np.arange(length - 1)
# %% mistake: one token too many
places = starts[:, None] + np.arange(length + 1)
# %% mistake: the windows stand side by side from the start of the text: use starts
places = length * np.arange(len(starts))[:, None] + np.arange(length)
# %% mistake: every window begins where the first one does
places = starts[:1, None] + np.arange(length) + 0 * starts[:, None]
# %% mistake: a window ends at its start: it should begin there
places = starts[:, None] - np.arange(length)[::-1]
# %% mistake: it is transposed: one row per window
places = (starts[:, None] + np.arange(length)).T


# %% mistake: what follows the last token is the window's first: take it from the text
return tokens[places], np.roll(tokens[places], -1, axis=1)
