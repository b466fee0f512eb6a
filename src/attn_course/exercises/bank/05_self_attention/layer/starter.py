# %% torch
class SelfAttention(torch.nn.Module):
    def __init__(self, model_dim, key_dim, value_dim):
        super().__init__()
        new = lambda *size: torch.nn.Parameter(torch.randn(*size) / 4)
        self.query_weight = new(model_dim, key_dim)
        self.key_weight = new(model_dim, key_dim)
        self.value_weight = new(model_dim, value_dim)

    def forward(self, x):
        query, key = x @ self.query_weight, x @ self.key_weight
        score = query @ key.mT / x.shape[1] ** 0.5
        return torch.softmax(score, dim=0) @ (x @ self.value_weight)

# %% tf
class SelfAttention(keras.layers.Layer):
    def __init__(self, model_dim, key_dim, value_dim):
        super().__init__()
        self.query_weight = self.add_weight((model_dim, key_dim))
        self.key_weight = self.add_weight((model_dim, key_dim))
        self.value_weight = self.add_weight((model_dim, value_dim))

    def call(self, x):
        query, key = x @ self.query_weight, x @ self.key_weight
        score = tf.matmul(query, key, transpose_b=True)
        weights = tf.nn.softmax(score / x.shape[1] ** 0.5, axis=0)
        return weights @ (x @ self.value_weight)
