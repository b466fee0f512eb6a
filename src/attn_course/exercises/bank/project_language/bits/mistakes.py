import numpy as np

# %% these are natural logarithms: divide by log 2
return -right.sum() / characters
# %% it multiplies by log 2; it divides
return -right.sum() * np.log(2) / characters
# %% these are bits per token: divide the sum by the characters
return -right.mean() / np.log(2)
# %% this is the sum; divide by the characters
return -right.sum() / np.log(2)
# %% the mean is divided by the characters once more: take the sum
return -right.mean() / (np.log(2) * characters)
# %% the sign: bits are positive
return right.sum() / (np.log(2) * characters)
# %% it is one number per position; their sum was asked for
return -right[:, :, 0] / (np.log(2) * characters)
# %% this is the perplexity; its logarithm was asked for
return np.exp(-right.mean())


# %% exp of a large logit overflows: subtract each row's largest one first
def bits(logits, target, characters):
    log_chance = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    right = np.take_along_axis(log_chance, target[:, :, None], axis=2)
    return -right.sum() / (np.log(2) * characters)


# %% the softmax runs over the positions, not over the tokens
log_chance = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
# %% the logits are not normalized: subtract the log of the sum of exp
log_chance = logits
# %% the logarithm is missing: these are the chances
return -np.exp(right).sum() / (np.log(2) * characters)
