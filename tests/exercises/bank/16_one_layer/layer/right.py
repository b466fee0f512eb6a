import torch


# %% torch
class Own(torch.nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(D, H))
        self.bias = torch.nn.Parameter(torch.zeros(H))

    def forward(self, context, x):
        gate = torch.einsum("btd,dh->bht", x, self.weight) + self.bias[:, None]
        return context / (1 + torch.exp(-gate))[..., None]
