import torch


# %% torch
class Own(torch.nn.Module):
    def __init__(self, D, H):
        super().__init__()
        for name in ("query", "key", "value", "output"):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, D)))
        self.H = H

    def forward(self, x):
        B, T, D = x.shape
        maps = self.query_weight, self.key_weight, self.value_weight
        q, k, v = ((x @ w).view(B, T, self.H, -1) for w in maps)
        w = torch.softmax(torch.einsum("bthk,bshk->bhts", q, k) / (D // self.H) ** 0.5, -1)
        return torch.einsum("bhts,bshk->bthk", w, v).reshape(B, T, D) @ self.output_weight
