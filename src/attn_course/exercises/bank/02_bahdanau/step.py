"""Find the bug. One step of a decoder with the dot product as its score: state (B, D),
memory (B, S, D), state_weight and context_weight (D, D); output (B, D), the next state.
Every shape fits, but it is not Bahdanau's step. `softmax(score)` is given.

1. Bahdanau's context enters the step that makes the new state. So which state can ask
   for it?
2. The paper's score compares s_(t-1), the state before the step, with memory.
3. score = (memory @ state[:, :, None])[:, :, 0]
"""

title = "find the bug in a decoder's step"
level, minutes = 2, 15
kind = "bug"
before = "00.weights"
usual = "overflow"


def cases(rng):
    def draw(B, S, D):
        state, memory = rng.normal(size=(B, D)), rng.normal(size=(B, S, D))
        return state, memory, *(rng.normal(size=(2, D, D)) / np.sqrt(D))

    def large(state, memory, W, C):
        memory[:, 0] = 30 * np.sign(state)
        return 30 * np.sign(state), memory, W / 30, C / 30

    return fixed_cases(rng, draw, 3, long=(1,), large=large)


# %% solution
def step(state, memory, state_weight, context_weight):
    score = (memory @ state[:, :, None])[:, :, 0]
    weights = softmax(score)
    context = (weights[:, None] @ memory)[:, 0]
    return np.tanh(state @ state_weight + context @ context_weight)


# %% starter
def step(state, memory, state_weight, context_weight):
    moved = np.tanh(state @ state_weight)
    score = (memory @ moved[:, :, None])[:, :, 0]  # (B, S)
    weights = softmax(score)
    context = (weights[:, None] @ memory)[:, 0]
    return np.tanh(state @ state_weight + context @ context_weight)


# %% mistake: it asks with the state after the step; the paper's with the one before
score = (memory @ np.tanh(state @ state_weight)[:, :, None])[:, :, 0]
# %% mistake: the context is computed but does not enter the step
return np.tanh(state @ state_weight)
# %% mistake: the previous state does not enter the step
return np.tanh(context @ context_weight)
# %% mistake: state_weight and context_weight are exchanged
instead = lambda state, memory, W, C: step(state, memory, C, W)
# %% mistake: the scores are not turned into weights that sum to 1
weights = score
# %% mistake: the weights sum to 1 over the batch, not over the positions
weights = softmax(score, axis=0)
# %% mistake: every position gets the same weight
weights = np.ones_like(score) / score.shape[1]
# %% mistake: the tanh is missing
return state @ state_weight + context @ context_weight
# %% mistake: the scores are divided by the root of the width; here they are not
score = (memory @ state[:, :, None])[:, :, 0] / np.sqrt(state.shape[1])
# %% mistake: it asks with the state times state_weight; the state itself asks
score = (memory @ (state @ state_weight)[:, :, None])[:, :, 0]
# %% mistake: each part has a tanh of its own; the sum should have one
return np.tanh(state @ state_weight) + np.tanh(context @ context_weight)
# %% mistake: state_weight is transposed
return np.tanh(state @ state_weight.T + context @ context_weight)
# %% mistake: context_weight is transposed
return np.tanh(state @ state_weight + context @ context_weight.T)
# %% mistake: the context is the last annotation
context = memory[:, -1]
