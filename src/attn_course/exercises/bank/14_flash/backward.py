"""Write `backward(query, key, value, output, log_total, grad)`: the gradient of the
queries (T, K), as a flash kernel finds it. Kept from the forward pass: output (T, V)
and log_total (T), the logarithm of the sum of exp(score), scores divided by the root of
K. grad (T, V) is the gradient of the output.

1. The weights are made again: exp(score - log_total). No sum is needed.
2. The gradient of a weight is grad @ value.T; that of a score is the weight times (that
   minus its average over the keys), and the average is (grad * output).sum().
3. scale * (weights * (grad @ value.T - dot)) @ key
"""

title = "the gradient from two numbers per query"
level, minutes = 3, 20
before = "14.merge"


def cases(rng):
    def draw(T, S, K, V):
        return with_forward(*normals(rng, (T, K), (S, K), (S, V), (T, V)))

    def with_forward(query, key, value, grad):
        score = query @ key.T / np.sqrt(key.shape[1])
        highest = score.max(axis=1)
        log_total = highest + np.log(np.exp(score - highest[:, None]).sum(axis=1))
        return query, key, value, softmax(score) @ value, log_total, grad

    def large(query, key, value, output, log_total, grad):
        # Scores of hundreds of one sign: their exp alone is out of range.
        query, key = query.copy(), key.copy()
        query[:, 0], key[:, 0] = 900 * np.sqrt(key.shape[1]), 1
        return with_forward(query, key, value, grad)

    return fixed_cases(rng, draw, 4, long=(0, 1), large=large)


# %% solution
def backward(query, key, value, output, log_total, grad):
    ...  # output and grad (T, V), log_total (T); return (T, K)
    scale = 1 / np.sqrt(key.shape[1])
    weights = np.exp(scale * query @ key.T - log_total[:, None])
    dot = (grad * output).sum(axis=1, keepdims=True)
    return scale * (weights * (grad @ value.T - dot)) @ key


# %% mistake: the scale of the scores belongs to the gradient too
return (weights * (grad @ value.T - dot)) @ key
# %% mistake: the scale is missing in the scores
weights = np.exp(query @ key.T - log_total[:, None])
# %% mistake: the softmax takes away what all keys have in common: subtract dot
return scale * (weights * (grad @ value.T)) @ key
# %% mistake: dot is added; it is subtracted
return scale * (weights * (grad @ value.T + dot)) @ key
# %% mistake: dot is a sum over the values' width, one number per query
dot = (grad * output).sum(axis=0, keepdims=True)
# %% mistake: exp of a large score overflows: subtract log_total inside of exp
weights = np.exp(scale * query @ key.T) / np.exp(log_total)[:, None]
# %% mistake: the weights are not multiplied in
return scale * (grad @ value.T - dot) @ key
# %% mistake: dot is a sum over the width, not a mean
dot = (grad * output).mean(axis=1, keepdims=True)
# %% mistake: the keys count by their weights in dot, not all the same
dot = (grad @ value.T).mean(axis=1, keepdims=True)
# %% mistake: each query has a dot of its own
dot = (grad * output).sum()
# %% mistake: the gradient of the queries is made of keys
return scale * (weights * (grad @ value.T - dot)) @ query
# %% mistake: the scale is 1 over the root of K, not 1 over K
scale = 1 / key.shape[1]
# %% mistake: the root is that of the value's width
scale = 1 / np.sqrt(value.shape[1])
# %% mistake: log_total is not subtracted
weights = np.exp(scale * query @ key.T)
# %% mistake: log_total is added; it is subtracted
weights = np.exp(scale * query @ key.T + log_total[:, None])
# %% mistake: grad meets the values, not the output
return scale * (weights * (output @ value.T - dot)) @ key
# %% mistake: log_total is one number per query, so a column
weights = np.exp(scale * query @ key.T - log_total)
