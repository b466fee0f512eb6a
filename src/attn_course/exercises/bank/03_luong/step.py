"""Find the bug. One step of Luong's decoder with input feeding and the dot score: x (B,
X), state and attentional (B, H), memory (B, S, H), input_weight (X + H, H),
state_weight (H, H), combine (2 H, H); output (B, H), the attentional state, its context
first. Every shape fits. `softmax(score)` is given.

1. Input feeding: what the last step decided is shown to the next one.
2. Two states are handed over. Which of them knows what was attended to?
3. seen = np.concatenate([x, attentional], axis=1)
"""

title = "find the bug in input feeding"
level, minutes = 2, 15
kind = "bug"
before = "02.step"
usual = "overflow"


def cases(rng):
    def draw(B, S, X, H):
        sizes = (B, X), (B, H), (B, H), (B, S, H), (X + H, H), (H, H), (2 * H, H)
        *given, W, U, C = normals(rng, *sizes)
        return *given, *(weight / np.sqrt(len(weight)) for weight in (W, U, C))

    def large(x, state, fed, memory, W, U, C):
        return x, state, fed, 1500 * memory, W, U, C / 1500

    return fixed_cases(rng, draw, 4, long=(1,), large=large)


# %% solution
def step(x, state, attentional, memory, input_weight, state_weight, combine):
    seen = np.concatenate([x, attentional], axis=1)
    hidden = np.tanh(seen @ input_weight + state @ state_weight)
    score = (memory @ hidden[:, :, None])[:, :, 0]
    weights = softmax(score)
    context = (weights[:, None] @ memory)[:, 0]
    return np.tanh(np.concatenate([context, hidden], axis=1) @ combine)


# %% starter
seen = np.concatenate([x, state], axis=1)
# %% mistake: it asks with the state before the step: that is Bahdanau's query
score = (memory @ state[:, :, None])[:, :, 0]
# %% mistake: it feeds the recurrent state, not the attentional state
seen = np.concatenate([x, state], axis=1)
# %% mistake: context and hidden state are joined in the other order
return np.tanh(np.concatenate([hidden, context], axis=1) @ combine)
# %% mistake: the tanh of the attentional state is missing
return np.concatenate([context, hidden], axis=1) @ combine
# %% mistake: the attentional state is fed before x
seen = np.concatenate([attentional, x], axis=1)
# %% mistake: the attentional state takes the recurrent state's place too
hidden = np.tanh(seen @ input_weight + attentional @ state_weight)
# %% mistake: the recurrent state does not enter the step
hidden = np.tanh(seen @ input_weight)
# %% mistake: the tanh of the hidden state is missing
hidden = seen @ input_weight + state @ state_weight
# %% mistake: the scores are not turned into weights
weights = score
# %% mistake: the weights sum to 1 over the batch
weights = softmax(score, axis=0)
# %% mistake: the attentional state joins old state and context
return np.tanh(np.concatenate([context, state], axis=1) @ combine)
# %% mistake: it returns the hidden state, not the attentional one
return hidden
# %% mistake: the context is the mean of the memory
context = memory.mean(axis=1)
# %% mistake: it asks with the attentional state
score = (memory @ attentional[:, :, None])[:, :, 0]
# %% mistake: the attentional state joins the one that was fed
return np.tanh(np.concatenate([context, attentional], axis=1) @ combine)
# %% mistake: state_weight is transposed
hidden = np.tanh(seen @ input_weight + state @ state_weight.T)
# %% mistake: the scores are divided by the root of H; here they are not
weights = softmax(score / np.sqrt(state.shape[1]))
