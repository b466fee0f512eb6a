"""Write `last_state(states, mask)`: for each sentence the state after its last real
token. states (B, S, H); mask (B, S) bool, True where a token stands, at least one per
sentence, padding at the end; output (B, H).

1. A sentence of n tokens has its last state at position n - 1.
2. mask.sum(axis=1) counts the tokens. Pick one position per row with two index arrays,
   rows and positions.
3. states[np.arange(len(states)), mask.sum(axis=1) - 1]
"""

title = "the last state"
level, minutes = 2, 10
before = "01.padding_mask, indexing with arrays"


def cases(rng):
    def draw(B, S, H):
        return rng.normal(size=(B, S, H)), lengths_mask(rng, B, S)

    cases = fixed_cases(rng, draw, 3, long=(1,), full={1: np.ones_like})
    # In a batch padded to a multiple of 8 no sentence needs to reach the end.
    short = np.arange(8) < rng.integers(1, 7, 5)[:, None]
    states = rng.normal(size=(5, 8, 3))
    return [*cases, Case("no sentence reaches the end", (states, short))]


# %% solution
def last_state(states, mask):
    ...  # (B, S, H), (B, S) bool; return (B, H)
    last = mask.sum(axis=1) - 1
    return states[np.arange(len(states)), last]


# %% mistake: you take the last position, which is padding in a shorter sentence
last = np.full(len(mask), -1)
# %% mistake: you take the position after the last token
last = mask.sum(axis=1) % mask.shape[1]
# %% mistake: you take the position before the last token
last = np.maximum(mask.sum(axis=1) - 2, 0)
# %% mistake: you take the position two before the end of the tokens
last = mask.sum(axis=1) - 2
# %% mistake: you take the first state
last = 0 * mask.sum(axis=1)


# %% mistake: you average the states
def instead(states, mask):
    return (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1)[:, None]


# %% mistake: you add the states
instead = lambda states, mask: (states * mask[..., None]).sum(axis=1)
# %% mistake: you take the largest of each component
instead = lambda states, mask: np.where(mask[..., None], states, -np.inf).max(1)
# %% mistake: you take every sentence's last position from every sentence
return states[:, last]
# %% mistake: the longest sentence's last position is taken from all
last = np.full(len(mask), mask.sum(axis=1).max() - 1)
# %% mistake: you average padding too
instead = lambda states, mask: states.mean(axis=1)
# %% mistake: padding is set to zero, and then the last position taken
instead = lambda states, mask: (states * mask[..., None])[:, -1]
# %% mistake: every state is taken from the first sentence
return states[0, last]
# %% mistake: these are the states of all tokens; one per sentence was asked for
instead = lambda states, mask: states[mask]
