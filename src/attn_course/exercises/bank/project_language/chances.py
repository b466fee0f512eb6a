"""Write `chances(logits, temperature, k)`: with which chance each token is sampled.
logits (B, N); temperature, a positive number that divides them; k, how many tokens of
the largest logits may be sampled, the others get exactly 0. Returns (B, N), each row
sums to 1. Logits may be as large as several hundred; no two of them are equal.

1. Divide, then drop what is not among the k largest, then a softmax of what is left.
2. Find the k-th largest logit of each row; what is below it gets -inf before the
   softmax.
3. least = the k-th largest of each row, kept as (B, 1); softmax(where(logits < least,
   -inf, logits) / temperature)
"""

title = "temperature and top-k"
level, minutes = 2, 15
kind = "part"
before = "softmax, lm.bits"


def cases(rng):
    def draw(B, N, k=None, temperature=None, spread=2.0):
        k = int(rng.integers(2, max(N, 3))) if k is None else k
        if temperature is None:
            temperature = float(rng.choice([0.4, 0.6, 1.7, 2.5]))
        return spread * rng.normal(size=(B, N)), temperature, min(k, N)

    def apart(logits, temperature, k):
        return logits + 2000 * (-1.0) ** np.arange(len(logits))[:, None], temperature, k

    return [
        *sized(draw, (5, 5), (3, 7), (1, 11)),
        Case("a single token", draw(3, 1)),
        Case("the best token alone", draw(2, 7, k=1)),
        Case("all tokens", draw(5, 7, k=7)),
        Case("temperature 1", draw(3, 11, temperature=1.0)),
        Case("a low temperature", draw(3, 11, temperature=0.1)),
        Case("large logits", apart(*draw(2, 7))),
        Case("100 tokens", draw(3, 100, k=40)),
    ]


# %% solution
def chances(logits, temperature, k):
    least = np.sort(logits, axis=1)[:, -k, None]
    found = softmax(logits / temperature) * (logits >= least)
    return found / found.sum(axis=1, keepdims=True)


# %% solution: torch
def chances_torch(logits, temperature, k):
    ...  # (B, N), two numbers; return (B, N)
    least = logits.topk(k).values[:, -1:]  # (B, 1)
    kept = logits.masked_fill(logits < least, -torch.inf)
    return torch.softmax(kept / temperature, 1)


# %% solution: tf
def chances_tf(logits, temperature, k):
    ...  # (B, N), two numbers; return (B, N)
    least = tf.math.top_k(logits, k).values[:, -1:]  # (B, 1)
    score = logits / temperature
    return tf.nn.softmax(tf.where(logits < least, -np.inf, score))


# %% mistake: it multiplies by the temperature; it divides
found = softmax(logits * temperature) * (logits >= least)
# %% mistake: the temperature is not used
found = softmax(logits) * (logits >= least)
# %% mistake: k is not used: every token may be sampled
found = softmax(logits / temperature)
# %% mistake: what is left does not sum to 1: divide by its sum
return found
# %% mistake: one token too many: k of them may be sampled
least = np.sort(logits, axis=1)[:, -min(k + 1, logits.shape[1]), None]
# %% mistake: one token too few: the k-th largest may be sampled too
found = softmax(logits / temperature) * (logits >= least)
least = np.sort(logits, axis=1)[:, -max(k - 1, 1), None]
# %% mistake: these are the k smallest; the largest may be sampled
found = softmax(logits / temperature) * (
    logits <= np.sort(logits, axis=1)[:, k - 1, None]
)
# %% mistake: the largest logit alone is left, whatever k is
least = logits.max(axis=1, keepdims=True)
# %% mistake: exp of a large logit overflows: subtract each row's largest one first
found = unsafe_softmax(logits / temperature) * (logits >= least)
# %% mistake: the softmax runs over the rows of the batch, not over the tokens
found = softmax(logits / temperature, axis=0) * (logits >= least)
# %% mistake: every row has the first row's limit
least = np.sort(logits, axis=1)[:1, -k, None]
# %% mistake: the dropped ones get a logit of 0, which is one like any other
found = softmax(np.where(logits >= least, logits / temperature, 0))
