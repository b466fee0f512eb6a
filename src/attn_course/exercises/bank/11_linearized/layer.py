"""Write gated linear attention as a layer, `Gated(model_dim, key_dim, value_dim)`,
called with x (B, T, D). Per token the state is multiplied with sigmoid(x @
gate_weight), the key's outer product with the value is added, and the query reads; no
normalizer, no features. It returns (B, T, V). Trainable parameters: query_weight (D,
K), key_weight (D, K), value_weight (D, V), gate_weight (D). The gradients are checked
too.

1. A state (B, K, V) goes from token to token; a loop over T is fine.
2. state = decay * state + key * value, with axes so that it is (B, K, V).
3. The output at t is the query (B, 1, K) times the state.
"""

title = "gated linear attention as a layer"
level, minutes = 2, 20
kind = "module"
before = "11.recurrent"


def cases(rng):
    def draw(B, T, D, K, V):
        shapes = {"query_weight": (D, K), "key_weight": (D, K)}
        shapes |= {"value_weight": (D, V), "gate_weight": (D,)}
        weights = layer_weights(rng, **shapes)
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, K, V), (x,), weights

    sizes = (3, 3, 3, 3, 3), (2, 7, 5, 3, 11), (1, 5, 3, 2, 7)
    return sized(draw, *sizes, (2, 1, 3, 5, 7), (2, 3, 5, 1, 1))


# %% solution
def layer(x, query_weight, key_weight, value_weight, gate_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    decay = 1 / (1 + np.exp(-(x @ gate_weight)))
    state = np.zeros((len(x), key.shape[2], value.shape[2]))
    output = np.zeros(value.shape)
    for t in range(x.shape[1]):
        write = key[:, t, :, None] * value[:, t, None, :]
        state = decay[:, t, None, None] * state + write
        output[:, t] = np.einsum("bk,bkv->bv", query[:, t], state)
    return output


# %% solution: torch
class Gated(torch.nn.Module):
    def __init__(self, model_dim, key_dim, value_dim):
        super().__init__()
        ...  # torch.nn.Parameter: four of them
        D, K, V = model_dim, key_dim, value_dim
        new = lambda *shape: torch.nn.Parameter(torch.randn(shape))
        self.query_weight, self.key_weight = new(D, K), new(D, K)
        self.value_weight, self.gate_weight = new(D, V), new(D)

    def forward(self, x):
        ...  # (B, T, D); return (B, T, V)
        query, key = x @ self.query_weight, x @ self.key_weight
        value = x @ self.value_weight
        decay = torch.sigmoid(x @ self.gate_weight)
        state, outputs = 0, []
        for t in range(x.shape[1]):
            write = key[:, t, :, None] * value[:, t, None]
            state = decay[:, t, None, None] * state + write
            outputs.append(query[:, t : t + 1] @ state)
        return torch.cat(outputs, dim=1)


# %% solution: tf
class Gated(keras.layers.Layer):
    def __init__(self, model_dim, key_dim, value_dim):
        super().__init__()
        ...  # self.add_weight: four of them
        D, K, V = model_dim, key_dim, value_dim
        self.query_weight = self.add_weight((D, K))
        self.key_weight = self.add_weight((D, K))
        self.value_weight = self.add_weight((D, V))
        self.gate_weight = self.add_weight((D,))

    def call(self, x):
        ...  # (B, T, D); return (B, T, V)
        query, key = x @ self.query_weight, x @ self.key_weight
        value = x @ self.value_weight
        decay = tf.sigmoid(tf.linalg.matvec(x, self.gate_weight))
        write = key[..., None] * value[:, :, None]  # (B, T, K, V)
        write = tf.transpose(write, (1, 0, 2, 3))  # T first
        decay = tf.transpose(decay)[..., None, None]
        step = lambda state, now: now[0] * state + now[1]
        state = tf.scan(step, [decay, write], tf.zeros_like(write[0]))
        return tf.einsum("btk,tbkv->btv", query, state)


# %% mistake: there is no decay
state = state + write
# %% mistake: the gate is not between 0 and 1: its sigmoid is missing
decay = x @ gate_weight
# %% mistake: the state is not kept
state = write
# %% mistake: what is new fades at once: the decay is for what was there
state = decay[:, t, None, None] * (state + write)
# %% mistake: the output is read before the write
output[:, t] = np.einsum(
    "bk,bkv->bv", query[:, t], (state - write) / decay[:, t, None, None]
)
# %% mistake: the gate is that of the token before
state = decay[:, t - 1, None, None] * state + write
# %% mistake: the query is the key
output[:, t] = np.einsum("bk,bkv->bv", key[:, t], state)
# %% mistake: 1 - gate is kept; the gate is the share that stays
state = (1 - decay[:, t, None, None]) * state + write
# %% mistake: the query is divided by the root of K; here it is not
output[:, t] = np.einsum("bk,bkv->bv", query[:, t], state) / np.sqrt(key.shape[2])
# %% mistake: new writes are weighed by 1 - gate; here they are written whole
state = decay[:, t, None, None] * state + (1 - decay[:, t, None, None]) * write
