"""A window that counts forward fails on a reversed target. Write the layer whose
window of three walks backward, `Backward(query_dim, memory_dim)`, called with query
(B, T, H), memory (B, S, E) and mask (B, S) bool, True where a token stands (at
least one per sentence, padding behind); it returns the context (B, T, E). At step
t, from 0, the window's center is the t-th token before the sentence's last, and the
first token once there is none; the tokens at most one place from it are seen. The
score is the general one; trainable parameter: weight (H, E). The gradients are
checked too.

1. Where does the window of step 0 stand in a sentence of 4 tokens and 3 of padding?
2. Each sentence has centers of its own, (B, T): its number of tokens, less 1, less t,
   but never below 0. Distances from them are (B, T, S).
3. seen = (distance of at most 1) & mask[:, None]; where it is False the score is -inf.
"""

title = "a window that walks backward, as a layer"
level, minutes = 3, 20
kind = "module"
before = "02.masked_weights"
usual = "overflow afterwards zero"


def cases(rng):
    def draw(B, T, S, D, E):
        query, memory = (rng.normal(size=size) for size in ((B, T, D), (B, S, E)))
        mask = lengths_mask(rng, B, S)
        weight = rng.normal(size=(D, E)) / np.sqrt(D)
        query, memory, weight = (x.astype(np.float32) for x in (query, memory, weight))
        return (D, E), (query, memory, mask), {"weight": weight}

    def blocked(sizes, inputs, weights):
        query, memory, mask = inputs
        mask[:] = np.arange(mask.shape[1]) < mask.shape[1] - 1
        factors = 1 + np.arange(query.shape[1], dtype=np.float32) / 7
        query = query[:, :1] * factors[:, None]
        along = query[:, 0] @ weights["weight"]
        size = (along**2).sum(axis=1, keepdims=True)
        memory[:, -1] = 20000 * along / size
        return sizes, (query, memory, mask), weights

    return [
        *sized(draw, (3, 3, 3, 3, 3), (2, 3, 7, 5, 11), (1, 1, 5, 3, 2)),
        Case("more steps than tokens", draw(2, 7, 3, 5, 2)),
        Case("the largest score is blocked", blocked(*draw(2, 3, 5, 2, 3))),
        Case("scores of several hundred", of_layer(draw(2, 3, 5, 2, 3), scaled(3000))),
    ]


# %% solution
def layer(query, memory, mask, weight):
    score = query @ weight @ memory.swapaxes(1, 2)
    last = mask.sum(axis=1, keepdims=True) - 1
    center = np.maximum(last - np.arange(query.shape[1]), 0)
    distance = np.arange(memory.shape[1]) - center[:, :, None]
    seen = mask[:, None] & (np.abs(distance) <= 1)
    return softmax(np.where(seen, score, -np.inf)) @ memory


# %% solution: torch
class Backward(torch.nn.Module):
    def __init__(self, query_dim, memory_dim):
        super().__init__()
        ...  # a torch.nn.Parameter
        start = torch.randn(query_dim, memory_dim) / 4
        self.weight = torch.nn.Parameter(start)

    def forward(self, query, memory, mask):
        ...  # (B, T, H), (B, S, E), (B, S); return (B, T, E)
        last = mask.sum(1, keepdim=True) - 1
        center = (last - torch.arange(query.shape[1])).clamp(min=0)
        distance = torch.arange(memory.shape[1]) - center[:, :, None]
        seen = mask[:, None] & (distance.abs() <= 1)  # (B, T, S)
        score = query @ self.weight @ memory.mT
        score = score.masked_fill(~seen, -torch.inf)
        return torch.softmax(score, dim=-1) @ memory


# %% solution: tf
class Backward(keras.layers.Layer):
    def __init__(self, query_dim, memory_dim):
        super().__init__()
        ...  # self.add_weight
        self.weight = self.add_weight((query_dim, memory_dim))

    def call(self, query, memory, mask):
        ...  # (B, T, H), (B, S, E), (B, S); return (B, T, E)
        last = tf.reduce_sum(tf.cast(mask, tf.int32), 1, keepdims=True) - 1
        center = tf.maximum(last - tf.range(tf.shape(query)[1]), 0)
        distance = tf.range(tf.shape(memory)[1]) - center[:, :, None]
        seen = mask[:, None] & (tf.abs(distance) <= 1)  # (B, T, S)
        score = tf.matmul(query @ self.weight, memory, transpose_b=True)
        score = tf.where(seen, score, -np.inf)
        return tf.nn.softmax(score) @ memory


# %% mistake: the mask is not used: behind the last token padding is seen
seen = np.abs(distance) <= 1
# %% mistake: the window counts from the end of the padding, not from the last token
last = 0 * mask.sum(axis=1, keepdims=True) + mask.shape[1] - 1
# %% mistake: the window counts from the end of the padding: what it misses became 0
last = 0 * mask.sum(axis=1, keepdims=True) + mask.shape[1] - 1
return np.nan_to_num(softmax(np.where(seen, score, -np.inf))) @ memory
# %% mistake: the window walks forward: that is local-m
center = np.minimum(0 * last + np.arange(query.shape[1]), last)
# %% mistake: it begins one place behind the last token
last = mask.sum(axis=1, keepdims=True)
# %% mistake: steps are counted from 1; the first is step 0
center = np.maximum(last - 1 - np.arange(query.shape[1]), 0)
# %% mistake: all sentences have the center of the first
center = np.maximum(last[:1] - np.arange(query.shape[1]), 0) + 0 * last
# %% mistake: the window holds the center alone; a distance of 1 is inside
seen = mask[:, None] & (np.abs(distance) < 1)
# %% mistake: the window is cut on the left: places before the center count too
seen = mask[:, None] & (distance >= 0) & (distance <= 1)
# %% mistake: the window is cut on the right: places behind the center count too
seen = mask[:, None] & (distance >= -1) & (distance <= 0)
# %% mistake: all before the window is seen too: take the distance without its sign
seen = mask[:, None] & (distance <= 1)
# %% mistake: a center below 0 sees nothing: it stays at place 0
center = last - np.arange(query.shape[1])
# %% mistake: a center below 0 sees nothing, which became 0: it stays at place 0
center = last - np.arange(query.shape[1])
return np.nan_to_num(softmax(np.where(seen, score, -np.inf))) @ memory
# %% mistake: a center below 0 turns around: it stays at place 0
center = np.abs(last - np.arange(query.shape[1]))
# %% mistake: the score is divided by a root; Luong's is not
score = query @ weight @ memory.swapaxes(1, 2) / np.sqrt(memory.shape[2])
# %% mistake: the weight is not used
score = query @ memory.swapaxes(1, 2)
# %% mistake: the weight is transposed
score = query @ weight.T @ memory.swapaxes(1, 2)
# %% mistake: every place in the window has the same weight
return softmax(np.where(seen, 0 * score, -np.inf)) @ memory
# %% mistake: the mask comes after the softmax, so the rows no longer sum to 1
return (softmax(score) * seen) @ memory
# %% mistake: the average runs over what the weight made of the memory
return softmax(np.where(seen, score, -np.inf)) @ (memory @ weight.T)
