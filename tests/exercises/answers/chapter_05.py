"""Answers to the exercises of chapter 5."""

RIGHT = {
    "05.self_attention": {
        "numpy": """
            def f(x, a, b, c):
                q, k, v = x @ a, x @ b, x @ c
                s = q @ k.T / np.sqrt(k.shape[1])
                return softmax(s) @ v
        """,
        "torch": """
            def f(x, a, b, c):
                q, k, v = x @ a, x @ b, x @ c
                return torch.nn.functional.scaled_dot_product_attention(q, k, v)
        """,
        "tf": """
            def f(x, a, b, c):
                s = tf.matmul(x @ a, x @ b, transpose_b=True)
                return tf.nn.softmax(s / b.shape[1] ** 0.5) @ (x @ c)
        """,
    },
    "05.over_image": {
        "numpy": """
            def f(i, a, b, c, gate):
                x = i.reshape(len(i), -1).T
                s = (x @ a) @ (x @ b).T / np.sqrt(b.shape[1])
                return i + gate * (softmax(s) @ (x @ c)).T.reshape(i.shape)
        """,
        "tf": """
            def f(i, a, b, c, gate):
                x = tf.transpose(tf.reshape(i, (i.shape[0], -1)))
                w = tf.nn.softmax(tf.matmul(x @ a, x @ b, transpose_b=True) / b.shape[1] ** 0.5)
                return i + gate * tf.reshape(tf.transpose(w @ (x @ c)), i.shape)
        """,
        "torch": """
            def f(i, a, b, c, gate):
                x = i.flatten(1).T
                w = torch.softmax((x @ a) @ (x @ b).T / b.shape[1] ** 0.5, 1)
                return i + gate * (w @ (x @ c)).T.reshape(i.shape)
        """,
        "numpy 2": """
            def f(i, a, b, c, gate):
                x = np.moveaxis(i, 0, -1).reshape(-1, len(i))
                w = softmax((x @ a) @ (x @ b).T / np.sqrt(a.shape[1]))
                y = (w @ (x @ c)).reshape(*i.shape[1:], len(i))
                return i + gate * np.moveaxis(y, -1, 0)
        """,
    },
    "05.patches": {
        "numpy": """
            def f(i, n):
                C, H, W = i.shape
                cut = i.reshape(C, H // n, n, W // n, n)
                return cut.transpose(1, 3, 0, 2, 4).reshape(-1, C * n * n)
        """,
        "tf": """
            def f(i, n):
                C, H, W = i.shape
                cut = tf.reshape(i, (C, H // n, n, W // n, n))
                return tf.reshape(tf.transpose(cut, (1, 3, 0, 2, 4)), (-1, C * n * n))
        """,
        "numpy 2": """
            def f(i, n):
                C, H, W = i.shape
                return np.array([i[:, r:r + n, c:c + n].ravel()
                                 for r in range(0, H, n) for c in range(0, W, n)])
        """,
        "torch": "lambda i, n: torch.nn.functional.unfold(i[None], n, stride=n)[0].T",
    },
    "05.weight_bytes": {
        "numpy": "lambda h, w, heads, item: (h * w) ** 2 * heads * item",
        "torch": "lambda h, w, heads, item: torch.tensor(h * w) ** 2 * heads * item",
        "tf": "lambda h, w, heads, item: tf.constant(h * w, tf.int64) ** 2 * heads * item",
        "numpy 2": "lambda h, w, heads, item: heads * item * h * w * h * w",
        "numpy 3": "lambda h, w, heads, item: np.int64(heads * item) * np.int64(h * w) ** 2",
    },
    "05.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, K, V):
                    super().__init__()
                    for name, n in (('query', K), ('key', K), ('value', V)):
                        setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, n)))
                def forward(self, x):
                    q, k, v = (x @ w for w in self.parameters())
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v)
        """,
        "tf": """
            class Own(keras.layers.Layer):
                def __init__(self, D, K, V):
                    super().__init__()
                    self.wide = K, K, V
                def build(self, shape):
                    new = [self.add_weight((shape[-1], n)) for n in self.wide]
                    self.query_weight, self.key_weight, self.value_weight = new
                def call(self, x):
                    q, k = x @ self.query_weight, x @ self.key_weight
                    s = tf.einsum('btk,bsk->bts', q, k) / k.shape[-1] ** 0.5
                    return tf.einsum('bts,bsv->btv', tf.nn.softmax(s), x @ self.value_weight)
        """,
    },
}

WRONG = {
    "05.self_attention": [
        (" / np.sqrt(k.shape[1])", ""),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("k.shape[1]", "x.shape[1]"),
        ("k.shape[1]", "v.shape[1]"),
        ("k.shape[1]", "len(x)"),
        ("np.sqrt(k.shape[1])", "np.sqrt(8)"),
        ("q @ k.T", "k @ q.T"),
        ("softmax(s)", "softmax(s, 0)"),
        ("softmax(s)", "softmax(s).T"),
        ("softmax(s)", "s"),
        ("@ v", "@ x"),
        ("@ v", "@ k"),
        ("q, k, v = x @ a,", "q, k, v = x,"),
        ("softmax(s) @ v", "x + softmax(s) @ v"),
        ("softmax(s) @ v", "np.squeeze(softmax(s) @ v)"),
        ("softmax(s)", "softmax(np.where(np.tri(len(x)) > 0, s, -np.inf))"),
        ("return softmax(s) @ v", "e = np.exp(s)\n    return e / e.sum(1, keepdims=True) @ v"),
    ],
    "05.over_image": [
        ("i.reshape(len(i), -1).T", "i.reshape(-1, len(i))"),
        (".T.reshape(i.shape)", ".reshape(i.shape)"),
        ("softmax(s)", "softmax(s).T"),
        ("softmax(s)", "softmax(s, 0)"),
        ("i + gate", "gate"),
        ("gate * ", ""),
        ("gate * ", "0.7 * "),
        ("i + gate", "gate * i + gate"),
        ("i + gate", "(1 - gate) * i + gate"),
        (" / np.sqrt(b.shape[1])", ""),
        ("b.shape[1]", "len(i)"),
        ("np.sqrt(b.shape[1])", "b.shape[1]"),
        ("i.reshape(len(i), -1).T", "i.transpose(0, 2, 1).reshape(len(i), -1).T"),
        ("(x @ a) @ (x @ b)", "(x @ b) @ (x @ a)"),
        (" @ (x @ c)", " @ x"),
        ("return i + gate * (", "i += gate * ("),
        ("return i", "return np.squeeze(i)"),
        ("softmax(s)", "(np.exp(s) / np.exp(s).sum(1, keepdims=True))"),
    ],
    "05.patches": [
        ("1, 3, 0, 2, 4", "1, 3, 2, 4, 0"),
        ("1, 3, 0, 2, 4", "3, 1, 0, 2, 4"),
        ("1, 3, 0, 2, 4", "1, 3, 0, 4, 2"),
        ("1, 3, 0, 2, 4", "0, 1, 3, 2, 4"),
        ("1, 3, 0, 2, 4", "2, 4, 0, 1, 3"),
        ("1, 3, 0, 2, 4", "1, 3, 2, 0, 4"),
        ("1, 3, 0, 2, 4", "0, 1, 2, 3, 4"),
        ("C, H // n, n, W // n, n", "C, n, H // n, n, W // n"),
        (".reshape(-1, C * n * n)", ".reshape(C * n * n, -1)"),
        (".reshape(-1, C * n * n)", ""),
        (".reshape(-1, C * n * n)", ".reshape(-1, C * n * n).T"),
        (".reshape(-1, C * n * n)", ".reshape(-1, C * n * n).squeeze()"),
        (".reshape(-1, C * n * n)", ".reshape(-1, n * n)"),
        ("    cut", "    n = 2\n    cut"),
        "lambda i, n: i.reshape(-1, len(i) * n * n)",
        "lambda i, n: i.reshape(len(i), -1).T",
    ],
    "05.weight_bytes": [
        (" ** 2", ""),
        ("(h * w) ** 2", "h**2 * w"),
        ("(h * w) ** 2", "h * w**2"),
        ("(h * w) ** 2", "(h + w) ** 2"),
        (" * heads", ""),
        (" * item", ""),
        ("* item", "* 4"),
        ("* item", "* 8 * item"),
        ("* heads", "// heads"),
        ("* heads", "* heads**2"),
        ("(h * w) ** 2", "h**4"),
        ("* item", "* item / 2**20"),
        ("(h * w) ** 2", "4096**2"),
        ("(h * w) ** 2", "(h * w) * (h * w - 1)"),
        ("(h * w) ** 2", "(h * w) * (h * w + 1) // 2"),
    ],
    "05.layer": [
        (" / key.shape[-1] ** 0.5", ""),
        ("0.5", "1"),
        ("dim=-1", "dim=1"),
        ("key.mT", "key.detach().mT"),
        ("self.key_weight", "self.key"),
        ("(x @ self.value_weight)", "x"),
        ("key.shape", "x.shape"),
        ("@ key.mT", "@ query.mT"),
        ("x @ self.query_weight, x", "x @ self.key_weight, x"),
        ("query @ key.mT", "key @ query.mT"),
    ],
}
