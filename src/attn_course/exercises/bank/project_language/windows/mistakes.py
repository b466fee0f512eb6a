import numpy as np

# %% nothing is shifted: the second array begins one token later
return tokens[places], tokens[places]
# %% it is shifted backwards: the token that follows is asked for
return tokens[places], tokens[places - 1]
# %% it is shifted by two tokens; the next one is asked for
return tokens[places], tokens[places + 2]
# %% they are exchanged: first what is read, then what follows
return tokens[places + 1], tokens[places]
# %% these are numbers plus 1; the tokens one place later are asked for
return tokens[places], tokens[places] + 1
# %% these are places; the tokens that stand there are asked for
return places, places + 1
# %% one token too few
places = starts[:, None] + np.arange(length - 1)
# %% one token too many
places = starts[:, None] + np.arange(length + 1)
# %% the windows stand side by side from the start of the text: use starts
places = length * np.arange(len(starts))[:, None] + np.arange(length)
# %% every window begins where the first one does
places = starts[:1, None] + np.arange(length) + 0 * starts[:, None]
# %% a window ends at its start: it should begin there
places = starts[:, None] - np.arange(length)[::-1]
# %% it is transposed: one row per window
places = (starts[:, None] + np.arange(length)).T


# %% what follows the last token is the window's first: take it from the text
def windows(tokens, starts, length):
    places = starts[:, None] + np.arange(length)
    return tokens[places], np.roll(tokens[places], -1, axis=1)
