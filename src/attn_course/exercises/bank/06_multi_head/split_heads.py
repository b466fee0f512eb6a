"""Write `split_heads(x, num_heads)`: x (B, T, H * K), num_heads a number; output (B, H,
T, K). Head h gets the h-th block of K columns. NumPy, or PyTorch or TensorFlow with
framework="torch" or "tf".

1. Cut the last axis in two, heads and columns; then move the heads forward.
2. A reshape never moves numbers past each other: (B, T, H * K) becomes (B, T, H, K)
   first.
3. x.reshape(B, T, num_heads, -1).swapaxes(1, 2)
"""

title = "split the heads"
level, minutes = 1, 10
before = "reshape, swapaxes"


def cases(rng):
    def draw(B, T, H, K):
        return rng.normal(size=(B, T, H * K)), H

    def heads(x, H):
        return draw(3, 5, H + 1, 7)

    return fixed_cases(rng, draw, 4, long=(1,), heads=heads)


# %% solution
def split_heads(x, num_heads):
    ...  # (B, T, H * K), a number; return (B, H, T, K)
    B, T, width = x.shape
    return x.reshape(B, T, num_heads, width // num_heads).swapaxes(1, 2)


# %% mistakes
def _cut(x, num_heads, order, axes):
    """x in pieces of (B, T, *order), the axes then in that order."""
    B, T, width = x.shape
    sizes = {"H": num_heads, "K": width // num_heads}
    return x.reshape(B, T, *(sizes[letter] for letter in order)).transpose(axes)


# %% mistake: the heads are interleaved: head h should get the h-th block of columns
instead = lambda x, heads: _cut(x, heads, "KH", (0, 3, 1, 2))
# %% mistake: positions and heads are mixed: reshape first, then move the axes
instead = lambda x, heads: x.reshape(len(x), heads, x.shape[1], x.shape[2] // heads)
# %% mistake: the heads stand behind the positions; they should come before
return x.reshape(B, T, num_heads, width // num_heads)
# %% mistake: each head is transposed: positions come before its columns
instead = lambda x, heads: _cut(x, heads, "HK", (0, 2, 3, 1))
# %% mistake: the heads come before the batch
instead = lambda x, heads: _cut(x, heads, "HK", (2, 0, 1, 3))
# %% mistake: H and K are exchanged: there are num_heads blocks
return x.reshape(B, T, width // num_heads, num_heads).swapaxes(1, 2)
# %% mistake: the heads are joined with the batch; they have an axis of their own
return (
    x.reshape(B, T, num_heads, width // num_heads)
    .swapaxes(1, 2)
    .reshape(B * num_heads, T, -1)
)
# %% mistake: every head gets the same block
instead = lambda x, heads: np.repeat(split_heads(x, heads)[:, :1], heads, axis=1)
# %% mistake: the heads come in reverse order
return x.reshape(B, T, num_heads, width // num_heads).swapaxes(1, 2)[:, ::-1]
# %% mistake: every head gets all columns
instead = lambda x, heads: np.repeat(x[:, None], heads, axis=1)
# %% mistake: positions and columns are exchanged
return x.reshape(B, T, num_heads, width // num_heads).swapaxes(1, 3)
