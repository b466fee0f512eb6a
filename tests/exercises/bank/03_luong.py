# %% local_weights, right: torch
def f(s, c, D):
    d = torch.arange(s.shape[1]) - c[:, None]
    w = torch.softmax(s.masked_fill(d.abs() > D, -torch.inf), 1)
    return w * torch.exp(-2 * (d / D) ** 2)


# %% stumble, right: numpy
lambda: (["one"] * 12, 5)


# %% stumble, right: numpy 2
def stumble():
    """The word written last follows an equal one itself."""
    return ["zero", "two", "two", "four", "five", "six", "seven", "eight", "nine", "one", "three", "zero"], 2


# %% stumble, wrong: words alone
lambda: ["one"] * 12
# %% stumble, wrong: a place alone
lambda: 5
# %% stumble, wrong: eleven words
lambda: (["one"] * 11, 5)
# %% stumble, wrong: the digits of pi
lambda: (["three", "one", "four", "one", "five", "nine", "two", "six", "five", "three", "five", "eight"], 9)
# %% stumble, wrong: no word repeats
lambda: (["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero", "one"], 5)
# %% stumble, wrong: digits as numbers
lambda: ([5] * 12, 5)
# %% stumble, wrong: the first place
lambda: (["one"] * 12, 0)
# %% stumble, wrong: a negative place
lambda: (["one"] * 12, -3)
# %% stumble, wrong: a place between two
lambda: (["one"] * 12, 5.5)
# %% stumble, wrong: a repeat two words further on
lambda: (["zero", "one", "five", "three", "five", "four", "six", "seven", "eight", "nine", "zero", "one"], 3)
# %% stumble, wrong: a repeat with one word between
lambda: (["zero", "five", "one", "five", "two", "three", "four", "six", "seven", "eight", "nine", "zero"], 4)
# %% stumble, wrong: a place as text
lambda: (["one"] * 12, "five")


# %% step, right: torch
def f(x, s, a, m, W, U, C):
    h = torch.tanh(torch.cat([x, a], 1) @ W + s @ U)
    w = torch.softmax(torch.einsum("bsd,bd->bs", m, h), 1)
    return torch.tanh(torch.cat([torch.einsum("bs,bsd->bd", w, m), h], 1) @ C)


# %% window_sum, right: torch
def f(c, D, n):
    d = torch.arange(n) - c
    w = torch.softmax(torch.zeros(n).masked_fill(d.abs() > D, -torch.inf), 0)
    return (w * torch.exp(-2 * d**2 / D**2)).sum()


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, E):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(D, E))

    def forward(self, q, m, mask):
        q = q @ self.weight
        return torch.nn.functional.scaled_dot_product_attention(q, m, m, mask[:, None], scale=1.0)


# %% layer, wrong
score = query @ self.weight.detach() @ memory.mT
# %% layer, wrong
self.own = torch.nn.Parameter(start)
score = query @ self.own @ memory.mT
# %% layer, wrong
return torch.softmax(score, dim=-1) @ memory, score
# %% layer, wrong
return score.exp() / score.exp().sum(-1, keepdim=True) @ memory
