# %% interpolate, right: torch
def f(x, t, most):
    n = x.shape[1] // 2
    t = t / max(1.0, float(t.max() + 1) / most)
    a = t[:, None] * 10000.0 ** (-torch.arange(n) / n)
    c, s = torch.cos(a), torch.sin(a)
    return torch.cat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)


# %% interpolate, right: numpy 2
def f(x, t, most):
    from attn_course.reference import rotary_frequencies, rotate

    factor = max(1.0, (t.max() + 1) / most)
    steps, _ = rotary_frequencies(x.shape[1], method="linear", factor=factor)
    return rotate(x, t, frequencies=steps)


# %% yarn, right: torch
def f(K, base, s, most):
    pairs = torch.arange(K // 2, dtype=torch.float64)
    theta = base ** (-2 * pairs / K)
    low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
    low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
    return torch.lerp(theta, theta / s, ((pairs - low) / (high - low)).clamp(0, 1))


# %% yarn, right: numpy 2
def f(K, base, s, most):
    from attn_course.reference import rotary_frequencies

    return rotary_frequencies(K, base=base, method="yarn", factor=s, trained_length=most)[0]


# %% base, right: torch
lambda K, base, s: torch.tensor(base, dtype=torch.float64) * s ** (K / (K - 2))
# %% base, right: numpy 2
lambda K, base, s: (base ** ((K - 2) / K) * s) ** (K / (K - 2))


# %% turns, right: torch
def f(K, base, most):
    theta = base ** (-2 * torch.arange(K // 2, dtype=torch.float64) / K)
    return (most * theta < 2 * torch.pi).sum()


# %% turns, right: numpy 2
lambda K, base, most: sum(2 * np.pi * base ** (2 * p / K) > most for p in range(K // 2))


# %% layer, wrong
factor = self.scale.detach()[:, None] * grown + self.bias[:, None]
# %% layer, wrong
factor = self.scale[:, None] * grown + self.bias.detach()[:, None]
# %% layer, wrong
return query.detach() * factor[:, :, None]
# %% layer, wrong
self.own = torch.nn.Parameter(torch.zeros(num_heads))
factor = self.own[:, None] * grown + self.bias[:, None]
# %% layer, wrong
self.bias = torch.ones(num_heads)
# %% layer, wrong
self.scale = torch.nn.Parameter(torch.zeros(1))
