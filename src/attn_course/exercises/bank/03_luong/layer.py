"""Write attention with the general score as a layer, `General(query_dim, memory_dim)`,
called with query (B, T, H), memory (B, S, E) and mask (B, S) bool, True where a token
stands (at least one per sentence); it returns the context (B, T, E). Trainable
parameter: weight (H, E). The gradients are checked too.

1. The general score, then a masked softmax, then a product with memory.
2. The mask is (B, S): give it an axis for the queries.
3. score = query @ self.weight @ (memory with its last two axes exchanged)
"""

title = "general attention as a layer"
level, minutes = 3, 20
kind = "module"
before = "02.masked_weights"
usual = "overflow afterwards zero inverted"


def cases(rng):
    def draw(B, T, S, D, E):
        query, memory = (rng.normal(size=size) for size in ((B, T, D), (B, S, E)))
        mask = lengths_mask(rng, B, S)
        weight = rng.normal(size=(D, E)) / np.sqrt(D)
        query, memory, weight = (x.astype(np.float32) for x in (query, memory, weight))
        return (D, E), (query, memory, mask), {"weight": weight}

    def large(sizes, inputs, weights):
        return sizes, (3000 * inputs[0], *inputs[1:]), {"weight": weights["weight"]}

    def blocked(sizes, inputs, weights):
        query, memory, mask = inputs
        mask[:, 0], mask[:, -1] = True, False
        factors = 1 + np.arange(query.shape[1], dtype=np.float32) / 7
        query = query[:, :1] * factors[:, None]
        along = query[:, 0] @ weights["weight"]
        size = (along**2).sum(axis=1, keepdims=True)
        memory[:, -1] = 20000 * along / size
        return sizes, (query, memory, mask), weights

    def full(sizes, inputs, weights):
        return sizes, (*inputs[:2], np.ones_like(inputs[2])), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 3, 7, 5, 11)),
        Case("an axis of size 1", draw(1, 1, 5, 3, 2)),
        Case("everything allowed", full(*draw(2, 5, 3, 3, 7))),
        Case("the largest score is blocked", blocked(*draw(2, 3, 5, 2, 3))),
        Case("scores of several hundred", large(*draw(2, 3, 5, 2, 3))),
    ]


# %% solution
def layer(query, memory, mask, weight):
    score = query @ weight @ memory.swapaxes(1, 2)
    return softmax(np.where(mask[:, None], score, -np.inf)) @ memory


# %% solution: torch
class General(torch.nn.Module):
    def __init__(self, query_dim, memory_dim):
        super().__init__()
        ...  # a torch.nn.Parameter
        start = torch.randn(query_dim, memory_dim) / 4
        self.weight = torch.nn.Parameter(start)

    def forward(self, query, memory, mask):
        ...  # (B, T, H), (B, S, E), (B, S); return (B, T, E)
        score = query @ self.weight @ memory.mT
        score = score.masked_fill(~mask[:, None], -torch.inf)
        return torch.softmax(score, dim=-1) @ memory


# %% solution: tf
class General(keras.layers.Layer):
    def __init__(self, query_dim, memory_dim):
        super().__init__()
        ...  # self.add_weight
        self.weight = self.add_weight((query_dim, memory_dim))

    def call(self, query, memory, mask):
        ...  # (B, T, H), (B, S, E), (B, S); return (B, T, E)
        score = tf.matmul(query @ self.weight, memory, transpose_b=True)
        score = tf.where(mask[:, None], score, -np.inf)
        return tf.nn.softmax(score) @ memory


# %% mistake: the mask is not used
return softmax(score) @ memory
# %% mistake: the score is divided by a root; Luong's is not
score = query @ weight @ memory.swapaxes(1, 2) / np.sqrt(memory.shape[2])
# %% mistake: the weight is not used
score = query @ memory.swapaxes(1, 2)
# %% mistake: the weight is transposed
score = query @ weight.T @ memory.swapaxes(1, 2)
# %% mistake: every allowed position has the same weight
return softmax(np.where(mask[:, None], 0 * score, -np.inf)) @ memory
# %% mistake: the mask comes after the softmax, so the rows no longer sum to 1
return (softmax(score) * mask[:, None]) @ memory
# %% mistake: the average runs over what the weight made of the memory
return softmax(np.where(mask[:, None], score, -np.inf)) @ (memory @ weight.T)
