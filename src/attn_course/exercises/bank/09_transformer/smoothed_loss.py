"""Write `smoothed_loss(log_chance, right, smoothing)`: log_chance (T, N), the
log-probabilities of N tokens; right (T, N), 1 at the right token and 0 elsewhere;
smoothing, the share that is spread over all N tokens; output (T), the loss of every
position.

1. First the shares: what the model should say of each token. They sum to 1.
2. (1 - smoothing) for the right token, and smoothing / N for every token.
3. -(share * log_chance).sum(axis=1)
"""

title = "label smoothing from log-probabilities"
level, minutes = 2, 10
before = "logarithms"


def cases(rng):
    def draw(T, N):
        logits = 2 * rng.normal(size=(T, N))
        right = np.eye(N)[rng.integers(N, size=T)]
        chance = np.log(softmax(logits))
        return chance, right, float(rng.uniform(0.1, 0.4))

    return fixed_cases(rng, draw, 2)


# %% solution
def smoothed_loss(log_chance, right, smoothing):
    ...  # (T, N), (T, N), a number; return (T)
    share = (1 - smoothing) * right + smoothing / right.shape[1]
    return -(share * log_chance).sum(axis=1)


# %% mistake: the sign: a loss is positive
return (share * log_chance).sum(axis=1)
# %% mistake: the share is spread over all N tokens, the right one among them
share = (1 - smoothing) * right + smoothing / max(right.shape[1] - 1, 1) * (1 - right)
# %% mistake: nothing is spread
share = (1 - smoothing) * right
# %% mistake: the right token keeps all of its share: rows should sum to 1
share = right + smoothing / right.shape[1]
# %% mistake: what is spread is divided by the number of tokens, N
share = (1 - smoothing) * right + smoothing
# %% mistake: N is the number of tokens, not of positions
share = (1 - smoothing) * right + smoothing / right.shape[0]
# %% mistake: the sum runs over the positions
return -(share * log_chance).sum(axis=0)
# %% mistake: the loss of a position is a sum over the tokens, not a mean
return -(share * log_chance).mean(axis=1)
# %% mistake: nothing is smoothed
return -(right * log_chance).sum(axis=1)
# %% mistake: it is one number per position; this is their sum
return -(share * log_chance).sum()
# %% mistake: it is one number per position; this is their mean
return -(share * log_chance).sum(axis=1).mean()
# %% mistake: the chances are weighted; it is their logarithms
return -(share * np.exp(log_chance)).sum(axis=1)
# %% mistake: the logarithm is taken a second time
return -(share * np.log(log_chance)).sum(axis=1)
# %% mistake: an axis of size 1 is left over
return -(share * log_chance).sum(axis=1, keepdims=True)
# %% mistake: the right token keeps 1 - smoothing
share = smoothing * right + smoothing / right.shape[1]
# %% mistake: what is spread goes to the other tokens alone
share = (1 - smoothing) * right + (1 - right) * smoothing / (right.shape[1] - 1)
# %% mistake: the right token's share is a constant; smoothing is handed over
share = 0.9 * right + smoothing / right.shape[1]
# %% mistake: smoothing is a constant; it is handed over
share = (1 - smoothing) * right + 0.1 / right.shape[1]
# %% mistake: what is spread is divided by N - 1; it goes to all N
share = (1 - smoothing) * right + smoothing / (right.shape[1] - 1)
