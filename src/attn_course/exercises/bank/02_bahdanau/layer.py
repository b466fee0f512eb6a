"""Find the bugs; there are two. Somebody's layer of additive attention reads nothing
but padding, and in training one of its parameters never moves. `Additive(query_dim,
memory_dim, hidden_dim)` takes query (B, T, D), memory (B, S, E) and mask (B, S) bool,
True where a token stands (at least one per sentence), and should return the context (B,
T, E). Its parameters keep their names and shapes. The gradients are checked too.

1. Two lines are wrong: one decides what is read, the other what is learned.
2. Where its condition is True, masked_fill fills and tf.where takes what comes first.
   And which parameter has no gradient after a step?
3. masked_fill(~mask[:, None], -torch.inf) or tf.where(mask[:, None], score, -np.inf);
   and no detach, no stop_gradient.
"""

title = "find the bugs in a layer that reads padding"
level, minutes = 2, 20
kind = "module"
before = "02.additive_score, 02.masked_weights"
usual = "overflow zero inverted queries"


def cases(rng):
    def draw(B, T, S, D, E, A):
        sizes = (B, T, D), (B, S, E)
        query, memory = (rng.normal(size=size).astype(np.float32) for size in sizes)
        mask = lengths_mask(rng, B, S)
        weights = layer_weights(rng, query_weight=(D, A), memory_weight=(E, A))
        weights["score_weight"] = rng.normal(size=A).astype(np.float32)
        return (D, E, A), (query, memory, mask), weights

    def blocked(sizes, inputs, weights):
        query, memory, mask = inputs
        memory, weights = additive_behind(memory, mask, weights)
        return sizes, (query, memory, mask), weights

    large = {"score_weight": lambda weight: np.full_like(weight, 200)}

    return [
        *sized(draw, (3, 3, 3, 3, 3, 3), (2, 3, 7, 5, 11, 13), (1, 1, 5, 3, 2, 7)),
        Case("everything allowed", of_layer(draw(2, 5, 3, 3, 7, 2), {2: np.ones_like})),
        Case("the largest score is blocked", blocked(*draw(2, 3, 5, 2, 3, 7))),
        Case("scores of several hundred", of_layer(draw(2, 3, 5, 2, 3, 7), large)),
    ]


# %% solution
def layer(query, memory, mask, query_weight, memory_weight, score_weight):
    hidden = (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]
    score = np.where(mask[:, None], np.tanh(hidden) @ score_weight, -np.inf)
    return softmax(score) @ memory


# %% solution: torch
class Additive(torch.nn.Module):
    def __init__(self, query_dim, memory_dim, hidden_dim):
        super().__init__()
        ...  # three torch.nn.Parameter
        new = lambda *size: torch.nn.Parameter(torch.randn(*size) / 4)
        self.query_weight = new(query_dim, hidden_dim)
        self.memory_weight = new(memory_dim, hidden_dim)
        self.score_weight = new(hidden_dim)

    def forward(self, query, memory, mask):
        ...  # (B, T, D), (B, S, E), (B, S); return (B, T, E)
        asked = (query @ self.query_weight)[:, :, None]
        held = (memory @ self.memory_weight)[:, None]
        score = torch.tanh(asked + held) @ self.score_weight
        score = score.masked_fill(~mask[:, None], -torch.inf)
        return torch.softmax(score, dim=-1) @ memory


# %% solution: tf
class Additive(keras.layers.Layer):
    def __init__(self, query_dim, memory_dim, hidden_dim):
        super().__init__()
        ...  # three times self.add_weight
        self.query_weight = self.add_weight((query_dim, hidden_dim))
        self.memory_weight = self.add_weight((memory_dim, hidden_dim))
        self.score_weight = self.add_weight((hidden_dim,), initializer="normal")

    def call(self, query, memory, mask):
        ...  # (B, T, D), (B, S, E), (B, S); return (B, T, E)
        asked = (query @ self.query_weight)[:, :, None]
        held = (memory @ self.memory_weight)[:, None]
        hidden = tf.tanh(asked + held)
        score = tf.einsum("btsa,a->bts", hidden, self.score_weight)
        score = tf.where(mask[:, None], score, -np.inf)
        return tf.nn.softmax(score) @ memory


# %% starter: torch
asked = (query @ self.query_weight.detach())[:, :, None]
score = score.masked_fill(mask[:, None], -torch.inf)


# %% starter: tf
class Additive(keras.layers.Layer):
    def __init__(self, query_dim, memory_dim, hidden_dim):
        super().__init__()
        self.query_weight = self.add_weight((query_dim, hidden_dim))
        self.memory_weight = self.add_weight((memory_dim, hidden_dim))
        self.score_weight = self.add_weight((hidden_dim,), initializer="normal")

    def call(self, query, memory, mask):
        fixed = tf.stop_gradient(self.query_weight)
        asked = (query @ fixed)[:, :, None]
        held = (memory @ self.memory_weight)[:, None]
        hidden = tf.tanh(asked + held)
        score = tf.einsum("btsa,a->bts", hidden, self.score_weight)
        score = tf.where(mask[:, None], -np.inf, score)
        return tf.nn.softmax(score) @ memory


# %% mistakes
def additive_score(query, memory, query_weight, memory_weight, score_weight):
    asked = (query @ query_weight)[:, :, None]  # (B, T, 1, A)
    hidden = asked + (memory @ memory_weight)[:, None]
    return np.tanh(hidden) @ score_weight


# %% mistake: the mask is not used
score = np.tanh(hidden) @ score_weight


# %% mistake: the mask comes after the softmax, so the rows no longer sum to 1
def instead(q, m, mask, W, U, v):
    return (softmax(additive_score(q, m, W, U, v)) * mask[:, None]) @ m


# %% mistake: there is no tanh
score = np.where(mask[:, None], hidden @ score_weight, -np.inf)
# %% mistake: every allowed position has the same weight
score = np.where(mask[:, None], 0 * hidden[..., 0], -np.inf)
# %% mistake: the queries are not used
hidden = 0 * (query @ query_weight)[:, :, None] + (memory @ memory_weight)[:, None]
# %% mistake: the scores are divided by a root; additive ones are not
return softmax(score / np.sqrt(hidden.shape[-1])) @ memory
# %% mistake: the mask comes after the softmax, and the rest is brought to 1 again:
# block the scores before
score = np.tanh(hidden) @ score_weight
return afterwards(score, mask[:, None]) @ memory
