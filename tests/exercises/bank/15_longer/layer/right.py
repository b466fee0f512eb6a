import torch


# %% torch
class Own(torch.nn.Module):
    def __init__(self, H):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.zeros(H))
        self.bias = torch.nn.Parameter(torch.zeros(H))

    def forward(self, query, positions):
        grown = torch.log1p(positions.to(query.dtype))
        return torch.einsum("bhtk,ht->bhtk", query, torch.outer(self.scale, grown) + self.bias[:, None])
