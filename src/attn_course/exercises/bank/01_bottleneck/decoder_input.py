"""Find the bug. With teacher forcing the decoder reads the target, shifted by one:
targets (B, T), whole numbers; begin, the number of the token that is fed first; output
(B, T), whole numbers. This function runs, the shapes fit, and the loss falls.

1. Which token does a decoder have before it has written anything?
2. np.roll brings the last token to the front. Nothing but `begin` belongs there.
3. Join a column that is filled with begin and targets[:, :-1].
"""

title = "find the bug in teacher forcing"
level, minutes = 1, 10
kind = "bug"
before = "teacher forcing"


def cases(rng):
    def draw(B, T):
        return rng.integers(4, 200, (B, T)), int(rng.integers(200, 300))

    return fixed_cases(rng, draw, 2, long=(1,))


# %% solution
def decoder_input(targets, begin):
    first = np.full_like(targets[:, :1], begin)
    return np.concatenate([first, targets[:, :-1]], axis=1)


# %% starter
def decoder_input(targets, begin):  # (B, T), the token fed first
    return np.roll(targets, 1, axis=1)


# %% mistake: the decoder is shown the token that it has to write
instead = lambda targets, begin: targets
# %% mistake: the last token comes first; a decoder that writes doesn't have it yet
instead = lambda targets, begin: np.roll(targets, 1, axis=1)


# %% mistake: it is shifted the wrong way: the decoder sees the token after
def instead(targets, begin):
    return np.concatenate([targets[:, 1:], np.full_like(targets[:, :1], begin)], 1)


# %% mistake: the first token is overwritten, not moved: the rest is not shifted
return np.concatenate([first, targets[:, 1:]], axis=1)
# %% mistake: it is one token too long: the last one is never an input
return np.concatenate([first, targets], axis=1)
# %% mistake: every position holds the first token
instead = lambda targets, begin: np.full_like(targets, begin)
# %% mistake: the first token is a constant; it is handed over as `begin`
first = np.full_like(targets[:, :1], 1)
# %% mistake: the first token is 0; it is handed over as `begin`
first = np.full_like(targets[:, :1], 0)
# %% mistake: it is one token too short: begin is missing
return np.concatenate([targets[:, :-1]], axis=1)
# %% mistake: the begin token stands at the end
return np.concatenate([targets[:, :-1], first], axis=1)


# %% mistake: it is shifted over the sentences, not over the positions
def instead(targets, begin):
    return np.concatenate([np.full_like(targets[:1], begin), targets[:-1]])


# %% mistake: it is shifted by two
def instead(targets, begin):
    return np.concatenate([np.full_like(targets[:, :2], begin), targets[:, :-2]], 1)


# %% mistake: the first token stays where it is; begin should stand there
first = targets[:, :1]
# %% mistake: it is shifted the wrong way, and the first token comes last
instead = lambda targets, begin: np.roll(targets, -1, axis=1)
# %% mistake: it is rolled over the sentences, not over the positions
instead = lambda targets, begin: np.roll(targets, 1, axis=0)
