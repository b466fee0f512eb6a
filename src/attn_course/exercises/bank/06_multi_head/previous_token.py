"""No training: write `head(N, T)`, which returns query_weight, key_weight,
value_weight, output_weight of one head that copies the previous token. Its input has
the width N + T: row t is a one for the token, among the first N, and a one for the
position, at N + t. The head is causal, its scores are divided by the root of the keys'
width. Position t must get the token of t - 1 as the largest of N logits, with a weight
of at least 0.99 on it; position 0 gets its own token. Any width of the keys is allowed.

1. The position alone decides where to look: the token's rows of query_weight and
   key_weight are zeros.
2. Query t has to match key t - 1: choose two matrices (T, T), one of them shifted by
   one.
3. query_weight[N:] = np.eye(T, k=-1), key_weight[N:] = np.eye(T), times a large number.
"""

title = "set the weights by hand: a head that copies the previous token"
level, minutes = 3, 20
kind = "open"
before = "06.two_heads"


def cases(rng):
    return [
        Case("sizes of different primes", (5, 7)),
        Case("two tokens", (2, 11)),
        Case("one position", (3, 1)),
        Case("more tokens than positions", (int(rng.integers(11, 20)), 3)),
    ]


def measure(weights, N, T):
    """Where the head looks and what it says, on random tokens."""
    if len(weights) != 4 or any(each.ndim != 2 for each in weights):
        raise Refused("return four matrices: of query, key, value and output")
    query_weight, key_weight, value_weight, output_weight = weights
    for name, each in zip(("query", "key", "value"), weights, strict=False):
        if len(each) != N + T:
            raise Refused(
                f"{name}_weight has {len(each)} rows, expected N + T = {N + T}"
            )
    rng, looks, says = np.random.default_rng(N * T), [], []
    for _ in range(5):
        x = np.concatenate([np.eye(N)[rng.integers(0, N, T)], np.eye(T)], axis=1)
        query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
        score = np.where(np.tri(T) > 0, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
        weight = softmax(score)
        looks.append(np.where(weight.max(axis=1) >= 0.99, weight.argmax(axis=1), -1))
        says.append((weight @ value @ output_weight).argmax(axis=1))
    return np.array(looks), np.array(says)


# %% solution
def head(N, T):
    ...  # two numbers; return (N + T, K), (N + T, K), (N + T, V), (V, N)
    shift = np.eye(T, k=-1)
    query_weight = np.concatenate([np.zeros((N, T)), shift])
    key_weight = np.concatenate([np.zeros((N, T)), 20 * np.sqrt(T) * np.eye(T)])
    value_weight = np.concatenate([np.eye(N), np.zeros((T, N))])
    return query_weight, key_weight, value_weight, np.eye(N)


# %% mistake: it looks at its own position: shift the queries by one
shift = np.eye(T)
# %% mistake: it looks at the next position, which is masked: the shift has the wrong
# sign
shift = np.eye(T, k=1)
# %% mistake: it looks the right way, but not sharply: the scores must be larger
key_weight = np.concatenate([np.zeros((N, T)), np.eye(T)])
# %% mistake: it forgets that scores are divided by the root of the keys' width
key_weight = np.concatenate([np.zeros((N, T)), 8 * np.eye(T)])
# %% mistake: the position is copied, not the token
value_weight = np.concatenate([np.zeros((N, N)), np.eye(T, N)])
