"""Write `loss(logits, target)`: the mean of -log p(right token) over the positions that
are no padding. logits (B, T, N), target (B, T), whole numbers, 0 is padding (at least
one isn't); output: one number. Logits may be as large as several hundred.

1. The framework's cross-entropy can give one number per position. Which of them count?
2. Where target is 0, the number must be left out of the sum and of the count.
3. (loss per position * real).sum() / real.sum(), real = target != 0.
"""

title = "a loss that leaves padding out"
level, minutes = 2, 10
kind = "part"
before = "softmax, logarithms"


def cases(rng):
    def draw(B, T, N):
        target = rng.integers(1, max(N, 2), (B, T)) * lengths_mask(rng, B, T)
        return rng.normal(size=(B, T, max(N, 2))), target

    def large(logits, target):
        return 800 * np.sign(logits) + logits, target

    def full(logits, target):
        return logits, np.maximum(target, 1)

    return fixed_cases(rng, draw, 3, long=(1,), large=large, full=full)


# %% solution
def loss(logits, target):
    logits = logits - logits.max(axis=2, keepdims=True)
    log_chance = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    right = np.take_along_axis(log_chance, target[:, :, None], axis=2)[:, :, 0]
    return -right[target != 0].mean()


# %% solution: torch
def loss_torch(logits, target):
    ...  # (B, T, N), (B, T); return a number
    each = torch.nn.functional.cross_entropy(
        logits.mT, target, reduction="none"
    )  # (B, T)
    real = target != 0
    return (each * real).sum() / real.sum()


# %% solution: tf
def loss_tf(logits, target):
    ...  # (B, T, N), (B, T); return a number
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(target, logits)  # (B, T)
    real = tf.cast(target != 0, each.dtype)
    return tf.reduce_sum(each * real) / tf.reduce_sum(real)


# %% mistake: padding counts: leave the positions out where target is 0
return -right.mean()
# %% mistake: padding adds 0, but is counted: divide by the real positions
return -(right * (target != 0)).mean()
# %% mistake: this is the sum; the mean was asked for
return -right[target != 0].sum()
# %% mistake: the sign: a loss is positive
return right[target != 0].mean()
# %% mistake: exp of a large logit overflows: subtract each row's largest one first
logits = logits
# %% mistake: the logarithm is missing: this is the mean chance
return np.exp(right[target != 0]).mean()
# %% mistake: the logarithm is missing: this is minus the mean chance
return -np.exp(right[target != 0]).mean()
# %% mistake: the softmax runs over the positions, not over the tokens
log_chance = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
# %% mistake: the logits are not normalized: subtract the log of the sum of exp
log_chance = logits
# %% mistake: each sentence is averaged first; all positions count the same
return -((right * (target != 0)).sum(1) / (target != 0).sum(1)).mean()
# %% mistake: it is one number per position; their mean was asked for
return -right
