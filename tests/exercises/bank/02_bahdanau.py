# %% additive_score, right: torch
lambda q, m, W, U, v: torch.tanh((q @ W)[:, :, None] + (m @ U)[:, None]) @ v


# %% additive_score, right: numpy 2
def f(q, m, W, U, v):
    h = np.tanh(np.expand_dims(q @ W, 2) + np.expand_dims(m @ U, 1))
    return np.einsum("btsa,a->bts", h, v)


# %% masked_weights, right: numpy 2
def f(s, m):
    s = np.where(m, s, -1e9)
    e = np.exp(s - s.max(-1, keepdims=True)) * m
    n = e.sum(-1, keepdims=True)
    return e / np.where(n == 0, 1, n)


# %% masked_weights, right: torch
lambda s, m: torch.softmax(s.masked_fill(~m, -torch.inf), -1).nan_to_num()


# %% masked_weights, right: torch 2
def f(s, m):
    out = torch.zeros(s.shape)
    some = m.any(-1)
    out[some] = torch.softmax(s.masked_fill(~m, -torch.inf), -1)[some].float()
    return out


# %% masked_weights, right: tf
def f(s, m):
    w = tf.nn.softmax(tf.where(m, s, -np.inf))
    return tf.where(tf.reduce_any(m, -1, keepdims=True), w, tf.zeros_like(w))


# %% masked_weights, right: numpy 3
lambda s, m: np.nan_to_num(softmax(np.where(m, s, -np.inf)))


# %% step, right: torch
def f(s, m, W, C):
    w = torch.softmax(torch.einsum("bsd,bd->bs", m, s), 1)
    return torch.tanh(s @ W + torch.einsum("bs,bsd->bd", w, m) @ C)


# %% largest_ratio, right: torch
lambda v: torch.exp(2 * v.abs().sum())


# %% largest_ratio, right: numpy 2
def f(v):
    top = np.tanh(100 * np.sign(v)) @ v
    return float(np.exp(top) / np.exp(-top))


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, E, A):
        super().__init__()
        self.query_weight = torch.nn.Parameter(torch.zeros(D, A))
        self.memory_weight = torch.nn.Parameter(torch.zeros(E, A))
        self.score_weight = torch.nn.Parameter(torch.zeros(A))

    def forward(self, q, m, mask):
        h = (q @ self.query_weight).unsqueeze(2) + (m @ self.memory_weight).unsqueeze(1)
        s = torch.einsum("btsa,a->bts", h.tanh(), self.score_weight)
        s = s + torch.where(mask, 0.0, -torch.inf)[:, None]
        return torch.einsum("bts,bse->bte", s.softmax(-1), m)


# %% layer, wrong
return torch.softmax(score, dim=-1) @ memory.detach()
# %% layer, wrong
new = lambda *size: torch.nn.Parameter(torch.randn(*size, 1))
# %% layer, wrong
self.score = new(hidden_dim)
score = torch.tanh(asked + held) @ self.score
# %% layer, wrong
score = torch.tanh(asked + held).detach() @ self.score_weight
# %% layer, wrong
asked = (query @ self.query_weight.detach())[:, :, None]
# %% wrong_date, right: numpy
lambda: ("10 October 2150", 1, 12)
# %% wrong_date, right: numpy 2
lambda: ("12 January 1850", 2, 12)
# %% wrong_date, wrong: a text alone
lambda: "6 September 1066"
# %% wrong_date, wrong: no place
lambda: ("6 September 1066", 1)
# %% wrong_date, wrong: a date that it gets right
lambda: ("1 May 1999", 1, 0)
# %% wrong_date, wrong: no date
lambda: ("never", 1, 0)
# %% wrong_date, wrong: empty
lambda: ("", 1, 0)
# %% wrong_date, wrong: no year
lambda: ("5 May", 1, 0)
# %% wrong_date, wrong: two years
lambda: ("5 May 1066 2066", 1, 8)
# %% wrong_date, wrong: another language
lambda: ("6 septembre 1066", 1, 14)
# %% wrong_date, wrong: the wrong step
lambda: ("6 September 1066", 3, 14)
# %% wrong_date, wrong: a place outside
lambda: ("6 September 1066", 1, 99)
# %% wrong_date, wrong: places counted from 1
lambda: ("6 September 1066", 1, 15)
# %% wrong_date, wrong: the character itself
lambda: ("6 September 1066", 1, "6")
# %% wrong_date, wrong: words that confuse it
lambda: ("99 xxxxx 6 September 1999", 1, 0)
# %% wrong_date, wrong: a number as text
lambda: (19990501, 1, 0)
# %% wrong_date, wrong: a step that is no whole number
lambda: ("6 September 1066", 1.0, 14)
# %% next_part, right: numpy
lambda: np.array([[0, 0, 0], [1.3, 0, 0], [0, 1.5, 0]])


# %% next_part, right: numpy 2
def next_part():
    """The day asks for everything alike."""
    W = np.eye(3, k=-1)
    W[0] = 9
    return W


# %% next_part, wrong: ones
lambda: np.ones((3, 3))
# %% next_part, wrong: identity
lambda: np.eye(3)
# %% next_part, wrong: a vector
lambda: np.array([0, 1, 0])
# %% next_part, wrong: two matrices
lambda: (np.eye(3, k=-1), np.eye(3))
# %% next_part, wrong: four rows
lambda: np.eye(4, k=-1)
# %% next_part, wrong: reversed
lambda: np.eye(3)[::-1]
# %% next_part, wrong: the other way round, and larger
lambda: 9 * np.eye(3, k=1)
# %% next_part, wrong: the year alone
lambda: np.array([[0, 0, 0], [0, 0, 0], [0, 1, 0]])
