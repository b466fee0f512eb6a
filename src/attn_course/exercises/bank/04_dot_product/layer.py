"""Write attention pooling as a layer, `Pooling(model_dim)`: one learned query sums up a
sentence. Called with memory (B, S, D) and mask (B, S) bool, True where a token stands
(at least one per sentence), it returns (B, D): the memory averaged with the weights of
scores divided by the root of D. Trainable parameter: query (D). The gradients are
checked too.

1. 04.attention with one query for all sentences.
2. memory times query, summed over D, gives scores (B, S).
3. weights = softmax(masked score); then (weights[:, None] @ memory)[:, 0].
"""

title = "attention pooling as a layer"
level, minutes = 3, 20
kind = "module"
before = "04.attention"
usual = "overflow afterwards zero inverted unscaled rootless"


def cases(rng):
    def draw(B, S, D):
        memory = rng.normal(size=(B, S, D)).astype(np.float32)
        mask = lengths_mask(rng, B, S)
        return (D,), (memory, mask), {"query": rng.normal(size=D).astype(np.float32)}

    large = {"query": lambda query: 3000 * query}
    return [
        *sized(draw, (3, 3, 3), (2, 7, 5), (1, 5, 3), (3, 5, 1)),
        Case("everything allowed", of_layer(draw(2, 11, 3), {1: np.ones_like})),
        Case("the largest score is blocked", pooled_behind(*draw(3, 5, 7))),
        Case("scores of several hundred", of_layer(draw(3, 5, 7), large)),
    ]


# %% solution
def pool(memory, mask, query):
    score = memory @ query / np.sqrt(query.shape[0])
    weights = softmax(np.where(mask, score, -np.inf))
    return (weights[:, None] @ memory)[:, 0]


# %% solution: torch
class Pooling(torch.nn.Module):
    def __init__(self, model_dim):
        super().__init__()
        ...  # a torch.nn.Parameter
        self.query = torch.nn.Parameter(torch.randn(model_dim))

    def forward(self, memory, mask):
        ...  # (B, S, D), (B, S); return (B, D)
        score = memory @ self.query / memory.shape[-1] ** 0.5
        score = score.masked_fill(~mask, -torch.inf)
        weights = torch.softmax(score, dim=-1)
        return (weights[:, None] @ memory)[:, 0]


# %% solution: tf
class Pooling(keras.layers.Layer):
    def __init__(self, model_dim):
        super().__init__()
        ...  # self.add_weight
        self.query = self.add_weight((model_dim,), initializer="normal")

    def call(self, memory, mask):
        ...  # (B, S, D), (B, S); return (B, D)
        score = tf.einsum("bsd,d->bs", memory, self.query)
        score = score / memory.shape[-1] ** 0.5
        score = tf.where(mask, score, -np.inf)
        weights = tf.nn.softmax(score)
        return (weights[:, None] @ memory)[:, 0]


# %% mistake: the mask is not used
weights = softmax(score)
# %% mistake: the softmax runs over the sentences
weights = softmax(np.where(mask, score, -np.inf), axis=0)
# %% mistake: every position has the same weight
weights = softmax(np.where(mask, 0.0, -np.inf))
# %% mistake: the mask comes after the softmax, so the weights no longer sum to 1
weights = softmax(score) * mask
# %% mistake: it is a sum; the weights have to sum to 1
weights = np.where(mask, 1.0, 0.0)
# %% mistake: it is the sum of the weighted tokens, not their mean
return (weights[:, None] @ memory)[:, 0] / memory.shape[1]
