"""Write learned positions as a layer, `Learned(length, model_dim)`, called with x (B,
T, D) and positions (T), whole numbers below length, with gaps and repetitions; it
returns x plus the table's row of each position. Trainable parameter: table (length, D).
The gradients are checked too.

1. A table with a row per position, looked up and added.
2. Indexing with an array of positions gives (T, D), which fits (B, T, D).
3. x + self.table[positions], or tf.gather(self.table, positions)
"""

title = "learned positions as a layer"
level, minutes = 2, 15
kind = "module"
before = "indexing with arrays"


def cases(rng):
    def draw(B, T, L, D):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        positions = rng.permutation(L)[:T] if L >= T else rng.integers(0, L, T)
        table = rng.normal(size=(L, D)).astype(np.float32)
        return (L, D), (x, positions), {"table": table}

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("positions with gaps", draw(2, 5, 13, 7)),
        *sized(draw, (3, 2, 7, 5), (1, 1, 5, 3), (2, 3, 5, 1)),
        Case(
            "a position that comes more than once",
            of_layer(draw(2, 3, 5, 7), {1: np.zeros_like}),
        ),
    ]


# %% solution
def layer(x, positions, table):
    return x + table[positions]


# %% solution: torch
class Learned(torch.nn.Module):
    def __init__(self, length, model_dim):
        super().__init__()
        ...  # a torch.nn.Parameter
        start = torch.randn(length, model_dim) / 4
        self.table = torch.nn.Parameter(start)

    def forward(self, x, positions):
        ...  # (B, T, D), (T); return (B, T, D)
        return x + self.table[positions]


# %% solution: tf
class Learned(keras.layers.Layer):
    def __init__(self, length, model_dim):
        super().__init__()
        ...  # self.add_weight
        self.table = self.add_weight((length, model_dim))

    def call(self, x, positions):
        ...  # (B, T, D), (T); return (B, T, D)
        return x + tf.gather(self.table, positions)


# %% mistake: the positions are counted from 0 on; they are given
return x + table[np.arange(len(positions))]
# %% mistake: positions may have gaps: use them, not the first one and a count
return x + table[(positions[0] + np.arange(len(positions))) % len(table)]
# %% mistake: x is missing: the table is added to it
return 0 * x + table[positions]
# %% mistake: every position gets the same row
return x + table[positions[0]]
# %% mistake: x is multiplied; the table is added
return x * table[positions]
# %% mistake: the table is scaled
return x + table[positions] * np.sqrt(x.shape[2])
# %% mistake: x is scaled
return x * np.sqrt(x.shape[2]) + table[positions]
# %% mistake: the positions are counted from 1 on; they start at 0
return x + table[positions - 1]
# %% mistake: the rows are averaged; each position has one of its own
return x + table[positions].mean(axis=0)
# %% mistake: each word gets the row of its place among the positions, sorted
return x + table[np.sort(positions)]
