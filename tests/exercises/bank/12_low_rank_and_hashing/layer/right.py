import torch


# %% torch
class Own(torch.nn.Module):
    def __init__(self, D, L, R):
        super().__init__()
        for name in ("query", "key", "value"):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, D)))
        for name in ("key", "value"):
            setattr(self, name + "_projection", torch.nn.Parameter(torch.empty(R, L)))

    def forward(self, x):
        T = x.shape[1]
        k = torch.einsum("rt,bti,ij->brj", self.key_projection[:, :T], x, self.key_weight)
        v = torch.einsum("rt,bti,ij->brj", self.value_projection[:, :T], x, self.value_weight)
        return torch.nn.functional.scaled_dot_product_attention(x @ self.query_weight, k, v)
