# %% self_attention, right: torch
def f(x, a, b, c):
    q, k, v = x @ a, x @ b, x @ c
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


# %% self_attention, right: tf
def f(x, a, b, c):
    s = tf.matmul(x @ a, x @ b, transpose_b=True)
    return tf.nn.softmax(s / b.shape[1] ** 0.5) @ (x @ c)


# %% fool, right: numpy
def fool(animals, numbers):
    """In two rounds, each in the order in which the animals were dealt."""
    seen, order = {}, []
    for place, animal in enumerate(animals):
        seen.setdefault(int(animal), []).append(place)
    for turn in (1, 0):
        order += [places[turn] for places in seen.values()]
    return np.array(order)


# %% fool, right: numpy 2
def fool(animals, numbers):
    """Side by side at first, then the even places before the odd ones."""
    order = np.argsort(animals)
    return np.concatenate([order[::2], order[1::2]])


# %% fool, wrong: the animals
lambda animals, numbers: animals
# %% fool, wrong: backwards
lambda animals, numbers: np.arange(16)[::-1]
# %% fool, wrong: by animal
lambda animals, numbers: np.argsort(animals)
# %% fool, wrong: by number
lambda animals, numbers: np.argsort(numbers)
# %% fool, wrong: one card again and again
lambda animals, numbers: np.zeros(16, int)
# %% fool, wrong: fifteen cards
lambda animals, numbers: np.arange(15)
# %% fool, wrong: counted from 1
lambda animals, numbers: np.arange(1, 17)
# %% fool, wrong: places between
lambda animals, numbers: np.arange(16) + 0.5
# %% fool, wrong: the cards turned by one
lambda animals, numbers: np.roll(np.arange(16), 1)
# %% fool, wrong: the animals, laid out
lambda animals, numbers: np.sort(animals)
# %% fool, wrong: a table
lambda animals, numbers: np.arange(16).reshape(4, 4)
# %% fool, wrong: a number
lambda animals, numbers: 8


# %% patches, right: numpy 2
def f(i, n):
    C, H, W = i.shape
    return np.array([i[:, r : r + n, c : c + n].ravel() for r in range(0, H, n) for c in range(0, W, n)])


# %% patches, right: torch
lambda i, n: torch.nn.functional.unfold(i[None], n, stride=n)[0].T
# %% weight_bytes, right: torch
lambda h, w, heads, item: torch.tensor(h * w) ** 2 * heads * item
# %% weight_bytes, right: numpy 2
lambda h, w, heads, item: heads * item * h * w * h * w
# %% weight_bytes, right: numpy 3
lambda h, w, heads, item: np.int64(heads * item) * np.int64(h * w) ** 2


# %% layer, right: torch
class Own(torch.nn.Module):
    def __init__(self, D, K, V):
        super().__init__()
        for name, n in (("query", K), ("key", K), ("value", V)):
            setattr(self, name + "_weight", torch.nn.Parameter(torch.empty(D, n)))

    def forward(self, x):
        q, k, v = (x @ w for w in self.parameters())
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


# %% layer, right: tf
class Own(keras.layers.Layer):
    def __init__(self, D, K, V):
        super().__init__()
        self.wide = K, K, V

    def build(self, shape):
        new = [self.add_weight((shape[-1], n)) for n in self.wide]
        self.query_weight, self.key_weight, self.value_weight = new

    def call(self, x):
        q, k = x @ self.query_weight, x @ self.key_weight
        s = tf.einsum("btk,bsk->bts", q, k) / k.shape[-1] ** 0.5
        return tf.einsum("bts,bsv->btv", tf.nn.softmax(s), x @ self.value_weight)


# %% layer, wrong
score = query @ key.detach().mT / key.shape[-1] ** 0.5
# %% layer, wrong
self.key = new(model_dim, key_dim)
query, key = x @ self.query_weight, x @ self.key
# %% object, right: numpy
lambda: np.array([[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]])


# %% object, right: numpy 2
def places():
    """A little of both."""
    return np.array([[-0.1, 0, 0, 0], [0, 0.5, 0, 0], [0.9, 0, 0.3, 0.3]])


# %% object, wrong: ones
lambda: np.ones((3, 4))
# %% object, wrong: too large
lambda: 5 * np.eye(3, 4, k=-2)
# %% object, wrong: the table of the figure
lambda: np.array([[0.5, 0, 0, 0], [0, 0, 0, 0], [-0.5, 0, 0, 0]])
# %% object, wrong: the same, turned round
lambda: np.array([[-0.5, 0, 0, 0], [0, 0, 0, 0], [0.5, 0, 0, 0]])
# %% object, wrong: four rows
lambda: np.zeros((4, 4))
# %% object, wrong: one row
lambda: np.array([0, 0, 1, 0])
# %% object, wrong: all that the last place can give
lambda: np.array([[0, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]]) * -1
# %% object, wrong: one-hot
lambda: np.eye(3, 4)
# %% object, wrong: two tables
lambda: (np.zeros((3, 4)), np.zeros((3, 4)))
