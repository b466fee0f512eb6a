"""A window around each query, without a mask or a bias. Write `windowed(query, key,
sigma)`: query (T, K), key (S, K), sigma a number; return both with more columns, (T, N)
and (S, N), whose usual weights, softmax(q @ k.T / sqrt(N)), are those of query and key
times exp(-(t - s)^2 / (2 sigma^2)), brought to a sum of 1.

1. A factor of a weight is a summand of its score. Write (t - s)^2 out: which part is
   the same for a whole row, so that the softmax takes it away?
2. What is left, (t s - s^2 / 2) / sigma^2, is a dot product of two columns: (t, 1) with
   (s, -s^2 / 2) / sigma^2.
3. N = K + 2. The new columns times sqrt(N), the old ones times sqrt(N / K), on one side
   each.
"""

title = "a window in two columns"
level, minutes = 3, 15
before = "04.attention"
kind = "open"


def measure(results, query, key, sigma):
    """The weights of the two."""
    shapes = [each.shape for each in results]
    if len(shapes) != 2 or any(len(shape) != 2 for shape in shapes):
        raise Refused("return two tables: (T, N), (S, N)")
    (T, N), (S, M) = shapes
    if (len(query), len(key), M) != (T, S, N):
        wanted = f"({len(query)}, N) and ({len(key)}, N)"
        raise Refused(f"the shapes are {shapes[0]} and {shapes[1]}, expected {wanted}")
    return softmax(results[0] @ results[1].T / np.sqrt(N)).astype(np.float32)


def cases(rng):
    def draw(T, S, K, sigma):
        return rng.normal(size=(T, K)), rng.normal(size=(S, K)), float(sigma)

    return [
        Case("equal sizes", draw(5, 5, 5, 2)),
        Case("sizes of different primes", draw(5, 7, 3, rng.uniform(0.7, 3))),
        Case("sizes of different primes", draw(11, 3, 2, rng.uniform(0.7, 3))),
        Case("a narrow window", draw(7, 13, 5, 0.5)),
        Case("a wide window", draw(13, 11, 7, 5)),
        Case("an axis of size 1", draw(1, 7, 1, 1)),
    ]


# %% solution
def windowed(query, key, sigma):
    ...  # (T, K), (S, K), a number; return (T, N), (S, N)
    K, t, s = query.shape[1], np.arange(len(query)), np.arange(len(key))
    N = K + 2
    asks = np.stack([t, np.ones(len(t))], axis=1)
    places = np.sqrt(N) * np.stack([s, -(s**2) / 2], axis=1) / sigma**2
    more = np.sqrt(N / K)
    return np.hstack([more * query, asks]), np.hstack([key, places])


# %% mistake: the old scores are now divided by the root of N, not of K
more = 1
# %% mistake: the new columns are divided by the root of N, too
places = np.stack([s, -(s**2) / 2], axis=1) / sigma**2
# %% mistake: sigma is squared
places = np.sqrt(N) * np.stack([s, -(s**2) / 2], axis=1) / sigma
# %% mistake: the Gaussian has 2 sigma^2 under the line
places = np.sqrt(N) * np.stack([2 * s, -(s**2)], axis=1) / sigma**2
# %% mistake: the key's own square is missing: far keys win
places = np.sqrt(N) * np.stack([s, 0 * s], axis=1) / sigma**2
# %% mistake: the sign: near keys should win
places = np.sqrt(N) * np.stack([-s, s**2 / 2], axis=1) / sigma**2
# %% mistake: the square is halved, like the product it is of 2 t s
places = np.sqrt(N) * np.stack([s, -(s**2)], axis=1) / sigma**2
# %% mistake: positions count from 0 on both sides
asks = np.stack([t + 1, np.ones(len(t))], axis=1)
# %% mistake: that is the distance's product alone, without the scores
more = 0
# %% mistake: there is no window yet: nothing was added
return query, key
