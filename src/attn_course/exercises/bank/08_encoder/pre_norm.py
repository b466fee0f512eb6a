"""Write a stack of pre-norm layers, `pre_norm(x, weights)`: x (T, D), weights (L, D,
D); output (T, D). Each layer is one linear map with a way around it; the stack ends
with one more norm. The norms have no scale and no bias, and 1e-5 under the root.

1. Nothing on the stream itself but sums, until the end.
2. Each layer reads a normalized copy of x and adds its answer to x.
3. x = x + norm(x) @ weight
"""

title = "write a pre-norm stack"
level, minutes = 2, 15
before = "08.post_norm"


def cases(rng):
    def draw(T, D, L):
        D = max(D, 2)  # the norm of one number is a rounding, times 300
        weights = rng.normal(size=(L, D, D)) / np.sqrt(D)
        return rng.normal(size=(T, D)), weights

    x, weights = draw(5, 7, 3)
    small = Case("differences of a thousandth", (x / 1000, weights))
    return [*fixed_cases(rng, draw, 3), small, Case("a deep stack", draw(3, 5, 17))]


# %% solution
def pre_norm(x, weights):
    ...  # (T, D), (L, D, D); return (T, D)

    def norm(z):
        z = z - z.mean(axis=-1, keepdims=True)
        return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5)

    for weight in weights:
        x = x + norm(x) @ weight
    return norm(x)


# %% mistake: the variance is divided by D, not by D - 1
return z / np.sqrt((z**2).sum(axis=-1, keepdims=True) / max(z.shape[-1] - 1, 1) + 1e-5)
# %% mistake: the norm runs along each vector, the last axis
z = z - z.mean(axis=0, keepdims=True)
return z / np.sqrt((z**2).mean(axis=0, keepdims=True) + 1e-5)
# %% mistake: 1e-5 under the root is missing or has another size
return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-12)
# %% mistake: the mean was not taken away
z = z
# %% mistake: the last norm is missing
return x
# %% mistake: there is no way around the maps
x = norm(x) @ weight
# %% mistake: this is post-norm: the norm stands before the map
x = norm(x + x @ weight)
# %% mistake: the way around goes past the norm too: add x, not its norm
x = norm(x) + norm(x) @ weight
# %% mistake: the norm is of the map's answer; it belongs before the map
x = x + norm(x @ weight)
# %% mistake: the norms in the layers are missing
x = x + x @ weight
# %% mistake: the layers come in reverse order
for weight in weights[::-1]:
    ...
# %% mistake: a map is transposed
x = x + norm(x) @ weight.T
# %% mistake: the first layer is left out
for weight in weights[1:]:
    ...
# %% mistake: what leaves a layer is normalized too
x = norm(x + norm(x) @ weight)
# %% mistake: nothing is added under the root; it should be 1e-5
return z / np.sqrt((z**2).mean(axis=-1, keepdims=True))
# %% mistake: 1e-2 stands under the root; it should be 1e-5
return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-2)
# %% mistake: 1e-5 is added to the root; it stands under it
return z / (np.sqrt((z**2).mean(axis=-1, keepdims=True)) + 1e-5)


# %% mistakes
def norm(z):
    z = z - z.mean(axis=-1, keepdims=True)
    return z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + 1e-5)


# %% mistake: each layer adds to the first x; it adds to what the layer before gave
def instead(x, weights):
    y = x
    for weight in weights:
        y = x + norm(y) @ weight
    return norm(y)


# %% mistake: there is one norm, before the first layer; each has its own
def instead(x, weights):
    x = norm(x)
    for weight in weights:
        x = x + x @ weight
    return norm(x)
