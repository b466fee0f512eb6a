"""Write attention pooling with a sink, `Pooling(model_dim)`: the total of the softmax
begins at exp(sink) in place of 0, so a sentence may be given less than its whole
weight. Called with memory (B, S, D) and mask (B, S) bool, True where a token stands (at
least one per sentence), it returns (B, D): the sum of exp(score) * memory, divided by
exp(sink) + the sum of exp(score); scores divided by the root of D. Trainable: query
(D), sink (1). The gradients are checked too.

1. A sink is one more key with the score `sink` and a value of zeros.
2. The maximum is over the scores and the sink.
3. Concatenate the sink to the scores, take the softmax, drop the last weight.
"""

title = "attention pooling with a sink, as a layer"
level, minutes = 3, 20
kind = "module"
before = "04.layer"
usual = "zero inverted unscaled rootless"


def cases(rng):
    def draw(B, S, D):
        memory = rng.normal(size=(B, S, D)).astype(np.float32)
        mask = lengths_mask(rng, B, S)
        query, sink = (rng.normal(size=n).astype(np.float32) for n in (D, 1))
        return (D,), (memory, mask), {"query": query, "sink": sink}

    large = {"query": lambda query: 3000 * query}
    high = {"sink": lambda sink: np.full_like(sink, 300)}
    return [
        *sized(draw, (3, 3, 3), (2, 7, 5), (1, 5, 3), (3, 5, 1)),
        Case("the largest score is blocked", pooled_behind(*draw(3, 5, 7))),
        Case("scores of several hundred", of_layer(draw(3, 5, 7), large)),
        Case("a sink far above all scores", of_layer(draw(3, 5, 7), high)),
    ]


# %% solution
def sink_pool(memory, mask, query, sink):
    score = memory @ query / np.sqrt(query.shape[0])
    score = np.where(mask, score, -np.inf)
    highest = np.maximum(score.max(axis=1, keepdims=True), sink)
    part = np.exp(score - highest)
    total = part.sum(axis=1, keepdims=True) + np.exp(sink - highest)
    return ((part / total)[:, None] @ memory)[:, 0]


# %% solution: torch
class Pooling(torch.nn.Module):
    def __init__(self, model_dim):
        super().__init__()
        ...  # two of torch.nn.Parameter
        self.query = torch.nn.Parameter(torch.randn(model_dim))
        self.sink = torch.nn.Parameter(torch.zeros(1))

    def forward(self, memory, mask):
        ...  # (B, S, D), (B, S); return (B, D)
        score = memory @ self.query / memory.shape[-1] ** 0.5
        score = score.masked_fill(~mask, -torch.inf)
        sink = self.sink.expand(len(score), 1)
        weights = torch.softmax(torch.cat([score, sink], 1), 1)
        return (weights[:, None, :-1] @ memory)[:, 0]


# %% solution: tf
class Pooling(keras.layers.Layer):
    def __init__(self, model_dim):
        super().__init__()
        ...  # self.add_weight, twice
        self.query = self.add_weight((model_dim,), initializer="normal")
        self.sink = self.add_weight((1,))

    def call(self, memory, mask):
        ...  # (B, S, D), (B, S); return (B, D)
        score = tf.einsum("bsd,d->bs", memory, self.query)
        score = score / memory.shape[-1] ** 0.5
        score = tf.where(mask, score, -np.inf)
        sink = tf.repeat(self.sink[None], tf.shape(score)[0], 0)
        weights = tf.nn.softmax(tf.concat([score, sink], 1))
        return (weights[:, None, :-1] @ memory)[:, 0]


# %% mistake: the mask is not used
score = score
# %% mistake: the sink is missing from the total
total = part.sum(axis=1, keepdims=True)
# %% mistake: the sink is added as it is; the total takes its exp
total = part.sum(axis=1, keepdims=True) + sink
# %% mistake: the total takes exp(sink), not the sink
part = np.exp(score)
total = part.sum(axis=1, keepdims=True) + sink
# %% mistake: the maximum is subtracted from the scores, and not from the sink
highest = score.max(axis=1, keepdims=True)
total = part.sum(axis=1, keepdims=True) + np.exp(sink)
# %% mistake: the sink needs the maximum subtracted as well
total = part.sum(axis=1, keepdims=True) + np.exp(sink)
# %% mistake: the sink is taken away from the total
total = part.sum(axis=1, keepdims=True) - np.exp(sink - highest)
# %% mistake: every allowed position has the same weight
score = np.where(mask, 0.0, -np.inf)


# %% mistake: the mask comes after the softmax, and the rest is brought to 1 again:
# block the scores before
def instead(memory, mask, query, sink):
    score = memory @ query / np.sqrt(query.shape[0])
    column = np.broadcast_to(sink, (len(score), 1))
    score = np.concatenate([score, column], axis=1)
    seen = np.concatenate([mask, np.ones((len(mask), 1), bool)], axis=1)
    return (afterwards(score, seen)[:, None, :-1] @ memory)[:, 0]
