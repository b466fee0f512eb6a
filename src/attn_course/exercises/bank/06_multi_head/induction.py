"""No training: write `head(N)`, which returns query_weight, key_weight, value_weight
and output_weight of one head that continues what it has seen. Its input has the width 2
N: row t is a one for its token, among the first N, and a one for the token before, at N
and above, which a head like the last one wrote there. The head is causal; scores are
divided by the root of the keys' width. Where the token of t has come once before, t
must get the token that followed it then as the largest of N logits, with a weight of at
least 0.99.

1. The place to look at is the one after the earlier copy. What does its row hold?
2. The query is the token; the key is the token before; the value is the token.
3. query_weight[:N] and key_weight[N:] are identities, one of them times a large number.
"""

title = "set the weights by hand: an induction head"
level, minutes = 3, 20
kind = "open"
before = "06.previous_token"


def cases(rng):
    return [
        Case("some tokens", (7,)),
        Case("two tokens", (2,)),
        Case("many tokens", (int(rng.integers(20, 40)),)),
        Case("100 tokens", (100,)),
    ]


def measure(weights, N):
    """Where it looks and what it says in the second half of tokens said twice."""
    if len(weights) != 4 or any(each.ndim != 2 for each in weights):
        raise Refused("return four matrices: of query, key, value and output")
    query_weight, key_weight, value_weight, output_weight = weights
    for name, each in zip(("query", "key", "value"), weights, strict=False):
        if len(each) != 2 * N:
            words = f"{name}_weight has {len(each)} rows, expected 2 N = {2 * N}"
            raise Refused(words)
    rng, looks, says = np.random.default_rng(N), [], []
    T = min(N, 9)
    for _ in range(5):
        tokens = np.tile(rng.permutation(N)[:T], 2)
        x = np.zeros((2 * T, 2 * N))
        x[np.arange(2 * T), tokens] = 1
        x[np.arange(1, 2 * T), N + tokens[:-1]] = 1
        query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
        score = np.where(
            np.tri(2 * T) > 0, query @ key.T / np.sqrt(key.shape[1]), -np.inf
        )
        weight = softmax(score)[T:]
        looks.append(np.where(weight.max(axis=1) >= 0.99, weight.argmax(axis=1), -1))
        says.append((weight @ value @ output_weight).argmax(axis=1))
    return np.array(looks), np.array(says)


# %% solution
def head(N):
    ...  # a number; return (2 N, K), (2 N, K), (2 N, V), (V, N)
    one, none = np.eye(N), np.zeros((N, N))
    query_weight = np.concatenate([one, none])
    key_weight = np.concatenate([none, 20 * np.sqrt(N) * one])
    value_weight = np.concatenate([one, none])
    return query_weight, key_weight, value_weight, one


# %% mistake: it looks at the earlier copy itself, not at what came after it
key_weight = np.concatenate([20 * np.sqrt(N) * one, none])
# %% mistake: it looks for what came before, not after: query and key are exchanged
query_weight = np.concatenate([none, one])
key_weight = np.concatenate([20 * np.sqrt(N) * one, none])
# %% mistake: it copies the token before: the value is the place's own token
value_weight = np.concatenate([none, one])
# %% mistake: it looks the right way, but not sharply: the scores must be larger
key_weight = np.concatenate([none, one])
# %% mistake: it forgets that scores are divided by the root of the keys' width
key_weight = np.concatenate([none, 8 * one])
# %% mistake: it looks away from the place: the sign of the scores is wrong
key_weight = np.concatenate([none, -20 * np.sqrt(N) * one])
# %% mistake: it looks nowhere: all scores are equal
key_weight = np.concatenate([none, none])
