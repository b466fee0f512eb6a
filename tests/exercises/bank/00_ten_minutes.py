# %% weights, right: numpy 2
def f(score):
    e = np.exp(score - score.max(1)[:, None])
    return (e.T / e.sum(1)).T


# %% weights, right: torch
lambda score: torch.softmax(score, 1)
# %% weights, right: tf
lambda score: tf.nn.softmax(tf.cast(score, tf.float32))
# %% weights, right: numpy 3
lambda score: [[float(x) for x in softmax(row)] for row in score]
# %% bowl, right: numpy
lambda: (np.array([1.75, 1.75]), np.array([-1.2, -2.0]))


# %% bowl, right: numpy 2
def bowl():
    direction = np.array([1.0, 1.0]) / np.sqrt(2)
    return 2.5 * direction, -2.5 * direction


# %% bowl, wrong: one key
lambda: (1.7, 1.7)
# %% bowl, wrong: three keys
lambda: ((1.7, 1.7), (-1.5, -1.5), (0, 0))
# %% bowl, wrong: keys of three numbers
lambda: ((1.7, 1.7, 0), (-1.5, -1.5, 0))
# %% bowl, wrong: exchanged
lambda: ((-1.5, -1.5), (1.7, 1.7))
# %% bowl, wrong: the cat's own key
lambda: ((2, 0), (-1.5, -1.5))
# %% bowl, wrong: the cat's key, longer
lambda: ((2.5, 0), (-1.5, -1.5))
# %% bowl, wrong: drank's key is not quiet enough
lambda: ((1.7, 1.7), (-0.3, -0.3))
# %% bowl, wrong: quiet for thirsty alone
lambda: ((1.7, 1.7), (-2.4, 0.6))
# %% bowl, wrong: quiet is too long
lambda: ((1.7, 1.7), (-2, -2))


# %% new_animal, right: numpy
def f(keys, queries):
    """The animal in the middle of the row."""
    return keys[np.linalg.norm(keys[:8] - keys[:8].mean(0), axis=1).argmin()]


# %% new_animal, right: numpy 2
def f(keys, queries):
    """Where the animals' queries point, as far out as the animals lie."""
    direction = queries[:6].mean(axis=0) - queries[6:].mean(axis=0)
    length = np.linalg.norm(keys[:8].mean(axis=0))
    return length * direction / np.linalg.norm(direction)


# %% new_animal, wrong: ones
lambda keys, queries: np.array([1.0, 1.0])
# %% new_animal, wrong: a fixed key
lambda keys, queries: np.array([3.0, 0.0])
# %% new_animal, wrong: the drinks' middle
lambda keys, queries: keys[9:].mean(axis=0)
# %% new_animal, wrong: the queries of the drinks' endings
lambda keys, queries: queries[6:].mean(axis=0)
# %% new_animal, wrong: away from the animals
lambda keys, queries: -keys[:8].mean(axis=0)
# %% new_animal, wrong: a tenth of the animals' middle
lambda keys, queries: 0.1 * keys[:8].mean(axis=0)
# %% new_animal, wrong: all animals
lambda keys, queries: keys[:8]
# %% new_animal, wrong: a number
lambda keys, queries: keys[:8].mean()
# %% new_animal, wrong: a second animal
lambda keys, queries: (keys[0], keys[1])
# %% new_animal, wrong: the first drink
lambda keys, queries: keys[9]
# %% multiplications, right: torch
lambda T, S, K, V: torch.tensor(T * S) * (K + V)
# %% multiplications, right: numpy 3
lambda T, S, K, V: sum(K + V for _ in range(T * S))
# %% multiplications, right: numpy 4
lambda T, S, K, V: np.array(T * S * (K + V))


# %% largest_weight, right: torch
def f(gap, n):
    s = torch.zeros(n)
    s[0] = gap
    return torch.softmax(s, 0).max()


# %% largest_weight, right: tf
lambda gap, n: tf.reduce_max(tf.nn.softmax(tf.concat([[gap], tf.zeros(n - 1)], 0)))


# %% largest_weight, right: numpy 2
def f(gap, n):
    m = max(gap, 0.0) if n > 1 else gap
    a, b = np.exp(gap - m), np.exp(-m)
    if n == 1:
        return 1.0
    return max(a, b) / (a + (n - 1) * b)
