"""Find the bugs; there are two. A post-norm layer for one sequence: x (T, D), weights
(T, T) of one head, value_weight (D, D), inner (D, F), outer (F, D); output (T, D). The
norms have no scale and no bias.

1. Each part is added to what came in; then the sum is normalized.
2. Look at what stands inside each norm.
3. norm(x + ...), and norm(y + ...).
"""

title = "find the bugs in a post-norm layer"
level, minutes = 2, 20
kind = "bug"
before = "08.layer_norm"


def cases(rng):
    def draw(T, D, F):
        D = max(D, 2)  # the norm of one number is a rounding, times 300
        weights = rng.random((T, T))
        weights /= weights.sum(axis=1, keepdims=True)
        maps = ((D, D), (D, F), (F, D))
        drawn = (rng.normal(size=size) / np.sqrt(size[0]) for size in maps)
        return rng.normal(size=(T, D)), weights, *drawn

    x, *rest = draw(5, 7, 3)
    small = Case("differences of a thousandth", (x / 1000, *rest))
    nothing = Case("all numbers 0", (0 * x, *rest))
    return [*fixed_cases(rng, draw, 3), small, nothing]


# %% solution
def post_norm(x, weights, value_weight, inner, outer):
    def norm(z):
        z = z - z.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5)

    y = norm(x + weights @ x @ value_weight)
    return norm(y + np.maximum(y @ inner, 0) @ outer)


# %% starter
y = x + norm(weights @ x @ value_weight)
return norm(np.maximum(y @ inner, 0) @ outer)
# %% mistake: the variance is divided by D, not by D - 1
return z / np.sqrt((z**2).sum(axis=-1, keepdims=True) / max(z.shape[-1] - 1, 1) + 1e-5)
# %% mistake: the norm runs along each vector, the last axis
z = z - z.mean(axis=0, keepdims=True)
return z / np.sqrt((z**2).mean(axis=0, keepdims=True) + 1e-5)
# %% mistake: 1e-5 under the root is missing or has another size
return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-12)
# %% mistake: the mean was not taken away
z = z
# %% mistake: the first norm is of the sum, not of what is added
y = x + norm(weights @ x @ value_weight)
# %% mistake: the network has no way around it: y is added to what it gives
return norm(np.maximum(y @ inner, 0) @ outer)
# %% mistake: attention has no way around it: x is added to what it gives
y = norm(weights @ x @ value_weight)
# %% mistake: this is pre-norm: the norm stands after the sum
y = x + weights @ norm(x) @ value_weight
# %% mistake: the second norm is missing
return y + np.maximum(y @ inner, 0) @ outer
# %% mistake: the first norm is missing
y = x + weights @ x @ value_weight
# %% mistake: x is added twice; the second sum begins with y
return norm(x + np.maximum(y @ inner, 0) @ outer)
# %% mistake: the relu is missing
return norm(y + y @ inner @ outer)
# %% mistake: the relu stands after the second map
return norm(y + np.maximum(y @ inner @ outer, 0))
# %% mistake: the weights are transposed
y = norm(x + weights.T @ x @ value_weight)
# %% mistake: the network reads x; it should read y
return norm(y + np.maximum(x @ inner, 0) @ outer)
# %% mistake: nothing is added under the root; it should be 1e-5
return z / np.sqrt((z**2).mean(axis=-1, keepdims=True))
# %% mistake: 1e-2 stands under the root; it should be 1e-5
return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-2)
# %% mistake: the second norm is of the network alone, not of the sum
return y + norm(np.maximum(y @ inner, 0) @ outer)
