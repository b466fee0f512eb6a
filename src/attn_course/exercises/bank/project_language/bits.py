"""Write `bits(logits, target, characters)`: how many bits the model needs for each
character of the text. logits (B, T, N); target (B, T), whole numbers; characters, how
many characters all targets together have. Add up -log2 p(right token) over all
positions, and divide by the characters. Returns one number. Logits may be as large as
several hundred.

1. The framework's cross-entropy is the same sum in natural logarithms.
2. log2 x is log x / log 2; and characters, not positions, are counted below.
3. sum of the cross-entropies of all positions / (log(2) * characters)
"""

title = "a loss in bits per character"
level, minutes = 2, 10
kind = "part"
before = "softmax, logarithms"


def cases(rng):
    def draw(B, T, N):
        N = max(N, 2)
        target = rng.integers(0, N, (B, T))
        return rng.normal(size=(B, T, N)), target, int(rng.integers(B * T, 5 * B * T))

    def large(logits, target, characters):
        return 800 * np.sign(logits) + logits, target, characters

    return fixed_cases(rng, draw, 3, long=(1,), large=large)


# %% solution
def bits(logits, target, characters):
    logits = logits - logits.max(axis=2, keepdims=True)
    log_chance = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    right = np.take_along_axis(log_chance, target[:, :, None], axis=2)
    return -right.sum() / (np.log(2) * characters)


# %% solution: torch
def bits_torch(logits, target, characters):
    ...  # (B, T, N), (B, T), a number; return a number
    total = torch.nn.functional.cross_entropy(logits.mT, target, reduction="sum")
    return total / (np.log(2) * characters)


# %% solution: tf
def bits_tf(logits, target, characters):
    ...  # (B, T, N), (B, T), a number; return a number
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(target, logits)
    return tf.reduce_sum(each) / (np.log(2) * characters)


# %% mistake: these are natural logarithms: divide by log 2
return -right.sum() / characters
# %% mistake: it multiplies by log 2; it divides
return -right.sum() * np.log(2) / characters
# %% mistake: these are bits per token: divide the sum by the characters
return -right.mean() / np.log(2)
# %% mistake: this is the sum; divide by the characters
return -right.sum() / np.log(2)
# %% mistake: the mean is divided by the characters once more: take the sum
return -right.mean() / (np.log(2) * characters)
# %% mistake: the sign: bits are positive
return right.sum() / (np.log(2) * characters)
# %% mistake: it is one number per position; their sum was asked for
return -right[:, :, 0] / (np.log(2) * characters)
# %% mistake: this is the perplexity; its logarithm was asked for
return np.exp(-right.mean())
# %% mistake: exp of a large logit overflows: subtract each row's largest one first
logits = logits
# %% mistake: the softmax runs over the positions, not over the tokens
log_chance = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
# %% mistake: the logits are not normalized: subtract the log of the sum of exp
log_chance = logits
# %% mistake: the logarithm is missing: these are the chances
return -np.exp(right).sum() / (np.log(2) * characters)
