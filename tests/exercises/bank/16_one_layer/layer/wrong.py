import torch

# %%
gate = torch.sigmoid(x @ self.weight)
# %%
gate = x @ self.weight + self.bias
# %%
gate = torch.softmax(x @ self.weight + self.bias, dim=-1)
# %%
gate = torch.tanh(x @ self.weight + self.bias)
# %%
gate = torch.sigmoid(x @ self.weight.detach() + self.bias)
# %%
gate = torch.sigmoid(x @ self.weight + self.bias.detach())
# %%
gate = torch.sigmoid(x.detach() @ self.weight + self.bias)
# %%
return context.detach() * gate.mT[..., None]
# %%
return context + gate.mT[..., None]
# %%
return context * (1 - gate.mT[..., None])
# %%
return context * gate[:, None, :, :1]
# %%
self.bias = torch.zeros(num_heads)
# %%
return context * gate.mean(dim=1)[:, :, None, None]
# %%
gate = torch.nn.functional.softplus(x @ self.weight + self.bias)
