# %% embed, right: torch
lambda x, waves: torch.addcmul(waves, x, torch.tensor(x.shape[1] ** 0.5, dtype=x.dtype))
# %% smoothed_loss, right: numpy 2
lambda p, r, s: -(1 - s) * (p * r).sum(1) - s * p.mean(1)
# %% smoothed_loss, right: torch
lambda p, r, s: -((1 - s) * r + s / r.shape[1]).mul(p).sum(-1)


# %% look_across, right: torch
lambda x, m, a, b, c: torch.nn.functional.scaled_dot_product_attention(x @ a, m @ b, m @ c)


# %% decoder_parameters, right: torch
def f(D, F):
    layer = torch.nn.TransformerDecoderLayer(D, 1, F)
    return sum(each.numel() for each in layer.parameters())


# %% decoder_parameters, right: tf
lambda D, F: tf.constant(8 * D * D) + 2 * D * F + 15 * D + F
# %% decoder_parameters, right: numpy 2
lambda D, F: 8 * (D * D + D) + (D + 1) * F + (F + 1) * D + 3 * 2 * D


# %% across, right: torch
class Own(torch.nn.Module):
    def __init__(self, D):
        super().__init__()
        for name in ("query", "key", "value"):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, D)))

    def forward(self, x, memory):
        q, k, v = (x @ self.query_weight, memory @ self.key_weight, memory @ self.value_weight)
        return torch.nn.functional.scaled_dot_product_attention(q, k, v) + x


# %% across, wrong
return x.detach() + weights @ (memory @ self.value_weight)
# %% across, wrong
return x + weights @ (memory.detach() @ self.value_weight)
# %% across, wrong
return x + weights.detach() @ (memory @ self.value_weight)
# %% across, wrong
setattr(self, name + "_map", own)


# %% across, wrong
class Across(torch.nn.Module):
    def __init__(self, model_dim):
        super().__init__()
        for name in ("query", "key", "value"):
            start = torch.randn(model_dim, model_dim) / 4
            own = torch.nn.Parameter(start)
            setattr(self, name + "_weight", own)

    def forward(self, x, memory):
        query, key = x @ self.query_weight, memory @ self.key_weight
        score = query @ key.mT / query.shape[-1] ** 0.5
        weights = torch.softmax(score, dim=-1)
        y = x + weights @ (memory @ self.value_weight)
