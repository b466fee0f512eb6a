"""Write `run(x, input_weight, state_weight, mask)`: the final state of a simple
recurrent network, tanh(x_t @ input_weight + state @ state_weight), from a state of
zeros. x (B, S, E), input_weight (E, H), state_weight (H, H), mask (B, S) bool; output
(B, H). Padding leaves the state as it is; a sentence without tokens ends in zeros.

1. A loop over positions; one state per sentence, which each token moves.
2. Compute the moved state for all sentences, then choose with np.where: the moved one
   where mask[:, t] is True, else the old one.
3. moved = np.tanh(x[:, t] @ input_weight + state @ state_weight); state =
   np.where(mask[:, t, None], moved, state)
"""

title = "run the encoder"
level, minutes = 2, 15
before = "01.last_state"


def cases(rng):
    def draw(B, S, E, H):
        x, first, second = normals(rng, (B, S, E), (E, H), (H, H))
        return x, first / np.sqrt(E), second / np.sqrt(H), lengths_mask(rng, B, S)

    return fixed_cases(
        rng, draw, 4, long=(1,), full={3: np.ones_like}, empty={3: cleared(0)}
    )


# %% solution
def run(x, input_weight, state_weight, mask):
    ...  # (B, S, E), (E, H), (H, H), (B, S); return (B, H)
    state = np.zeros((x.shape[0], state_weight.shape[0]))
    for t in range(x.shape[1]):
        moved = np.tanh(x[:, t] @ input_weight + state @ state_weight)
        state = np.where(mask[:, t, None], moved, state)
    return state


# %% mistake: padding moves the state: keep the old one where the mask is False
state = moved
# %% mistake: padding sets the state to zero; it should stay as it is
state = np.where(mask[:, t, None], moved, 0)
# %% mistake: there is no tanh
moved = x[:, t] @ input_weight + state @ state_weight
# %% mistake: the previous state does not enter
moved = np.tanh(x[:, t] @ input_weight)
# %% mistake: the mask is inverted; True is a token
state = np.where(mask[:, t, None], state, moved)
# %% mistake: it starts from ones; the first state is zero
state = np.ones((x.shape[0], state_weight.shape[0]))
# %% mistake: the sentence is read backwards
for t in reversed(range(x.shape[1])):
    ...
# %% mistake: the last position is left out
for t in range(x.shape[1] - 1):
    ...
# %% mistake: the first position is left out
for t in range(1, x.shape[1]):
    ...
# %% mistake: the state weights are transposed
moved = np.tanh(x[:, t] @ input_weight + state @ state_weight.T)
# %% mistake: each part has a tanh of its own; the sum should have one
moved = np.tanh(x[:, t] @ input_weight) + np.tanh(state @ state_weight)
# %% mistake: the old state is added to the new one
state = np.where(mask[:, t, None], state + moved, state)
# %% mistake: padding is set to zero in x, but the state still moves
instead = lambda x, W, U, mask: run(x * mask[..., None], W, U, np.ones_like(mask))
# %% mistake: every sentence gets the first one's mask
state = np.where(mask[:1, t, None], moved, state)
# %% mistake: a ReLU stands in place of the tanh
moved = np.maximum(0, x[:, t] @ input_weight + state @ state_weight)
# %% mistake: the old state is added, also where nothing moves
state = state + np.where(mask[:, t, None], moved, state)
# %% mistake: it stops where the shortest sentence does
for t in range(mask.sum(axis=1).min()):
    ...
