# %% deal, right: torch
lambda unread, budget: (
    (budget - (torch.as_tensor(unread).cumsum(0) - unread)).clamp(min=0).minimum(torch.as_tensor(unread))
)
# %% deal, right: tf
lambda unread, budget: tf.minimum(tf.nn.relu(budget - tf.cumsum(unread, exclusive=True)), unread)
# %% deal, right: numpy 2
lambda unread, budget: np.diff(np.minimum(np.cumsum([0, *unread]), budget))


# %% deal, right: numpy
def f(unread, budget):
    given = []
    for count in unread:
        given.append(min(count, budget - sum(given)))
    return given


# %% reused, right: torch
def f(prompt, kept, size):
    prompt, kept = torch.as_tensor(prompt), torch.as_tensor(kept)
    n = min(len(prompt) - 1, len(kept)) // size * size
    same = (prompt[:n] == kept[:n]).int().cumprod(0).sum()
    return same // size * size


# %% reused, right: numpy
def f(prompt, kept, size):
    read = 0
    while read + size < len(prompt) and read + size <= len(kept):
        if list(prompt[read : read + size]) != list(kept[read : read + size]):
            break
        read += size
    return read


# %% reused, right: numpy 2
def f(prompt, kept, size):
    names = lambda text: [tuple(text[: n + size]) for n in range(0, len(text) - size + 1, size)]
    return size * len(set(names(prompt[:-1])) & set(names(kept)))


# %% verify, right: torch
def f(draft, p, q, u):
    draft, p, q, u = (torch.as_tensor(x) for x in (draft, p, q, u))
    k = len(draft)
    row = torch.arange(k)
    kept = int((u[:k] < p[row, draft] / q[row, draft]).int().cumprod(0).sum())
    left = p[k] if kept == k else torch.relu(p[kept] - q[kept])
    drawn = torch.searchsorted(left.cumsum(0) / left.sum(), u[-1:])
    return torch.cat([draft[:kept], drawn])


# %% verify, right: numpy
def f(draft, p, q, u):
    out = []
    for t, x in enumerate(draft):
        if u[t] * q[t][x] < p[t][x]:
            out.append(x)
            continue
        left = np.clip(p[t] - q[t], 0, None)
        return [*out, int((np.cumsum(left) / left.sum() < u[-1]).sum())]
    return [*out, int((np.cumsum(p[-1]) / p[-1].sum() < u[-1]).sum())]


# %% pairs, right: torch
def f(n, R):
    keys = torch.arange(1, n + 1)
    pieces = keys.view(2 * R, -1).sum(1)
    return keys[-(n // R) :].sum() / (pieces + pieces.flip(0)).max()


# %% pairs, right: numpy 2
lambda n, R: (n * (n + 1) / 2 - (n - n // R) * (n - n // R + 1) / 2) * R / (n * (n + 1) / 2)


# %% slow, right: torch
def f(states, tokens, budget):
    states = torch.as_tensor(states)
    wrote = torch.cummax((states == 2).int(), 1).values.bool()
    if (torch.as_tensor(tokens) > budget).any():
        return "no budget"
    if (wrote & (states == 1)).any():
        return "too few blocks"
    ended = any(row[row > 0][-1] == 3 for row in states)
    return "in batches" if ended else "healthy"


# %% slow, right: numpy
def f(states, tokens, budget):
    if max(tokens) > budget:
        return "no budget"
    rows = ["".join(str(state) for state in row).rstrip("0") for row in states]
    if any("1" in row[row.find("2") :] for row in rows if "2" in row):
        return "too few blocks"
    return "in batches" if any(row.endswith("3") for row in rows) else "healthy"


# %% slow, wrong: always the same
lambda *given: "no budget"
# %% slow, wrong: no name
lambda *given: "overload"
# %% slow, wrong: a number
lambda *given: 0
# %% slow, wrong: all of them
lambda *given: np.array(["healthy", "no budget"])
# %% slow, wrong: who waits in a place is in a batch
lambda s, t, b: "no budget" if t.max() > b else "in batches" if (s == 3).any() else "healthy"
# %% slow, wrong: nobody reads anew
lambda s, t, b: "no budget" if t.max() > b else "in batches" if (s[:, -1] == 3).any() else "healthy"
# %% slow, wrong: the order in which servers come
lambda s, t, b, seen=[]: seen.append(0) or ("healthy", "in batches", "no budget", "too few blocks")[len(seen) % 4]


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.H = H
        for name in ("query", "key", "value", "output"):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, D)))

    def forward(self, x, text):
        split = lambda w: (x @ w).unflatten(-1, (self.H, -1)).transpose(0, 1)[None]
        heads = [split(w) for w in (self.query_weight, self.key_weight, self.value_weight)]
        mask = torch.ones(len(x), len(x), dtype=torch.bool).tril() & (text == text[:, None])
        y = torch.nn.functional.scaled_dot_product_attention(*heads, mask)
        return y[0].transpose(0, 1).flatten(1) @ self.output_weight


# %% layer, wrong
query, key = split(x @ self.query_weight).detach(), split(x @ self.key_weight)
# %% layer, wrong
mask = text[:, None] == text
# %% layer, wrong
mask = torch.ones(T, T, dtype=torch.bool).tril()
