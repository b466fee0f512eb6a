# %% torch
class Additive(torch.nn.Module):
    def __init__(self, query_dim, memory_dim, hidden_dim):
        super().__init__()
        new = lambda *size: torch.nn.Parameter(torch.randn(*size) / 4)
        self.query_weight = new(query_dim, hidden_dim)
        self.memory_weight = new(memory_dim, hidden_dim)
        self.score_weight = new(hidden_dim)

    def forward(self, query, memory, mask):
        asked = (query @ self.query_weight.detach())[:, :, None]
        held = (memory @ self.memory_weight)[:, None]
        score = torch.tanh(asked + held) @ self.score_weight
        score = score.masked_fill(mask[:, None], -torch.inf)
        return torch.softmax(score, dim=-1) @ memory

# %% tf
class Additive(keras.layers.Layer):
    def __init__(self, query_dim, memory_dim, hidden_dim):
        super().__init__()
        self.query_weight = self.add_weight((query_dim, hidden_dim))
        self.memory_weight = self.add_weight((memory_dim, hidden_dim))
        self.score_weight = self.add_weight(
            (hidden_dim,), initializer="normal")

    def call(self, query, memory, mask):
        fixed = tf.stop_gradient(self.query_weight)
        asked = (query @ fixed)[:, :, None]
        held = (memory @ self.memory_weight)[:, None]
        hidden = tf.tanh(asked + held)
        score = tf.einsum("btsa,a->bts", hidden, self.score_weight)
        score = tf.where(mask[:, None], -np.inf, score)
        return tf.nn.softmax(score) @ memory
