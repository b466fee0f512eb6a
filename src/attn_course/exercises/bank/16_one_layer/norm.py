"""Write OLMo 2's norm of queries, `norm(query, gain)`: query (B, H, T, K), gain (H, K);
output (B, H, T, K). The root mean square goes over all heads of a position together;
1e-6 is added to the mean of the squares.

1. One number per text and position: over which two axes does the mean go?
2. (query**2).mean(axis=(1, 3), keepdims=True) is (B, 1, T, 1).
3. gain[:, None] * query / np.sqrt(mean + 1e-6)
"""

title = "QK-norm over all heads"
level, minutes = 2, 15
before = "08.layer_norm"


def cases(rng):
    def draw(B, H, T, K, spread=1.0):
        query = spread * rng.normal(size=(B, H, T, K))
        query *= rng.uniform(0.2, 4, size=(B, H, T, 1))
        return query, rng.uniform(0.5, 2, size=(H, K))

    return [
        *sized(draw, (3, 3, 3, 3), (2, 3, 5, 7)),
        Case("other sizes", draw(3, 5, 2, 11)),
        Case("one head", draw(2, 1, 3, 5)),
        Case("one position", draw(2, 3, 1, 5)),
        Case("large scores", draw(2, 3, 5, 7, 300.0)),
        Case("small queries: what is added to the mean counts", draw(2, 3, 5, 7, 1e-3)),
    ]


# %% solution
def norm(query, gain):
    ...  # (B, H, T, K), (H, K); return (B, H, T, K)
    mean = (query**2).mean(axis=(1, 3), keepdims=True)
    return gain[:, None] * query / np.sqrt(mean + 1e-6)


# %% mistake: that is a norm per head: the mean goes over all heads together
mean = (query**2).mean(axis=3, keepdims=True)
# %% mistake: the mean goes over positions; it goes over heads and columns
mean = (query**2).mean(axis=(1, 2), keepdims=True)
# %% mistake: the mean goes over positions too
mean = (query**2).mean(axis=(1, 2, 3), keepdims=True)
# %% mistake: a sum, where a mean is asked for
mean = (query**2).sum(axis=(1, 3), keepdims=True)
# %% mistake: the root is missing
return gain[:, None] * query / (mean + 1e-6)
# %% mistake: the gain is missing
return query / np.sqrt(mean + 1e-6)
# %% mistake: the gain is multiplied by 1 + gain: some models keep gain - 1, these do
# not
return (1 + gain[:, None]) * query / np.sqrt(mean + 1e-6)
# %% mistake: 1e-6 is missing
return gain[:, None] * query / np.sqrt(mean)
# %% mistake: 1e-6 is added to the root; it belongs under it
return gain[:, None] * query / (np.sqrt(mean) + 1e-6)
# %% mistake: that is the variance: the mean of the squares is asked for, as it is
mean = query.var(axis=(1, 3), keepdims=True)
