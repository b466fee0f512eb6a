"""Answers to the exercises of chapter 10."""

RIGHT = {
    "10.strided": {
        "numpy": """
            def f(n, l):
                b = np.arange(n)[:, None] - np.arange(n)
                return (b >= 0) & ((b < l) | (b % l == 0))
        """,
        "tf": """
            def f(n, l):
                b = tf.range(n)[:, None] - tf.range(n)
                return (b >= 0) & ((b < l) | (b % l == 0))
        """,
        "numpy 2": """
            def f(n, l):
                return sliding(n, l) | column(n, l)
            def sliding(n, l):
                return np.tri(n, dtype=bool) & ~np.tri(n, k=-l - 1, dtype=bool)
            def column(n, l):
                i = np.arange(n)
                return (i[:, None] % l == i % l) & np.tri(n, dtype=bool)
        """,
        "torch": """
            def f(n, l):
                b = torch.arange(n)[:, None] - torch.arange(n)
                return ((b <= l) | (b % l == 0)).tril()
        """,
    },
    "10.window": {
        "numpy": """
            def f(q, k, v, w):
                n = len(q)
                b = np.arange(n)[:, None] - np.arange(n)
                seen = (b >= 0) & (b < w)
                s = q @ k.T / np.sqrt(q.shape[1])
                return softmax(np.where(seen, s, -np.inf)) @ v
        """,
        "tf": """
            def f(q, k, v, w):
                n = q.shape[0]
                b = tf.range(n)[:, None] - tf.range(n)
                s = tf.matmul(q, k, transpose_b=True) / q.shape[1] ** 0.5
                return tf.nn.softmax(tf.where((b >= 0) & (b < w), s, -np.inf)) @ v
        """,
        "numpy 2": """
            def f(q, k, v, w):
                rows = []
                for i in range(len(q)):
                    j = max(0, i - w + 1)
                    s = k[j : i + 1] @ q[i] / np.sqrt(q.shape[1])
                    e = np.exp(s - s.max())
                    rows.append(e / e.sum() @ v[j : i + 1])
                return np.array(rows)
        """,
        "torch": """
            def f(q, k, v, w):
                s = q @ k.T / q.shape[1] ** 0.5
                seen = torch.ones_like(s).bool().tril().triu(1 - w)
                return s.masked_fill(~seen, -torch.inf).softmax(-1) @ v
        """,
    },
    "10.fixed": {
        "numpy": """
            def f(q, k, v, l, c):
                n = len(q)
                i, j = np.arange(n)[:, None], np.arange(n)
                seen = (i // l == j // l) | (j % l >= l - c)
                s = q @ k.T / np.sqrt(q.shape[1])
                return softmax(np.where(seen & (j <= i), s, -np.inf)) @ v
        """,
        "torch": """
            def f(q, k, v, l, c):
                i = torch.arange(len(q))
                seen = ((i[:, None] // l == i // l) | (i % l >= l - c)).tril()
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        """,
        "tf": """
            def f(q, k, v, l, c):
                i = tf.range(q.shape[0])
                seen = ((i[:, None] // l == i // l) | (i % l >= l - c)) & (i <= i[:, None])
                s = tf.matmul(q, k, transpose_b=True) / q.shape[1] ** 0.5
                return tf.nn.softmax(tf.where(seen, s, -np.inf)) @ v
        """,
        "numpy 2": """
            def f(q, k, v, l, c):
                from attn_course.masks import fixed_mask
                s = q @ k.T / np.sqrt(q.shape[1])
                return softmax(np.where(fixed_mask(len(q), len(q), l, c), s, -np.inf)) @ v
        """,
    },
    "10.reach": {
        "numpy": "lambda n, w: int(np.ceil((n - 1) / (w - 1)))",
        "torch": "lambda n, w: torch.tensor((n - 1) / (w - 1)).ceil().long()",
        "tf": "lambda n, w: -(tf.constant(1 - n) // (w - 1))",
        "numpy 2": """
            def f(n, w):
                steps, far = 0, 0
                while far < n - 1:
                    steps, far = steps + 1, far + w - 1
                return steps
        """,
    },
    "10.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, window):
                    super().__init__()
                    self.query_weight, self.key_weight, self.value_weight = (
                        torch.nn.Parameter(torch.empty(D, D)) for _ in range(3))
                    self.window = window
                def forward(self, x):
                    T = x.shape[1]
                    seen = torch.ones(T, T, dtype=torch.bool).tril().triu(1 - self.window)
                    q, k, v = x @ self.query_weight, x @ self.key_weight, x @ self.value_weight
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v, seen)
        """,
    },
}

WRONG = {
    "10.strided": [
        ("(b >= 0) & ", ""),
        (" | (b % l == 0)", ""),
        ("(b < l) | ", ""),
        ("(b < l) |", "(b < l) &"),
        ("b % l == 0", "np.arange(n) % l == 0"),
        ("b % l == 0", "np.arange(n) % l == l - 1"),
        ("np.arange(n)[:, None] - np.arange(n)", "np.arange(n) - np.arange(n)[:, None]"),
        ("b >= 0", "b > 0"),
        ("b < l", "b < 3"),
        ("b % l == 0", "b % l == 1"),
        ("b < l", "b < l - 1"),
        ("b >= 0", "b >= -1"),
        ("(b >= 0) & ((b < l) | (b % l == 0))", "((b >= 0) & ((b < l) | (b % l == 0))).astype(int)"),
        ("(b >= 0) & ((b < l) | (b % l == 0))", "np.where((b >= 0) & ((b < l) | (b % l == 0)), 0.0, -np.inf)"),
        ("(b < l)", "(b // l == 0) & (b % 2 == 0)"),
        ("b % l", "b % 4"),
        ("return (b >= 0) & (", "return (b < 0) | ~("),
    ],
    "10.window": [
        ("b < w", "b <= w"),
        ("b < w", "b < w - 1"),
        ("(b >= 0) & ", ""),
        (" & (b < w)", ""),
        ("b < w", "b < 3"),
        ("b >= 0", "b > 0"),
        ("np.arange(n)[:, None] - np.arange(n)", "np.arange(n) - np.arange(n)[:, None]"),
        ("(b >= 0) & (b < w)", "abs(b) < w"),
        (" / np.sqrt(q.shape[1])", ""),
        ("q.shape[1]", "v.shape[1]"),
        ("q.shape[1]", "w"),
        ("-np.inf", "0"),
        ("-np.inf", "-50"),
        ("-np.inf)", "-np.inf), 0"),
        ("softmax(np.where(seen, s, -np.inf))", "softmax(s) * seen"),
        ("softmax(np.where(seen, s, -np.inf))", "softmax(s * seen)"),
        ("(b >= 0) & (b < w)", "(b >= 0) & (np.arange(n)[:, None] // w == np.arange(n) // w)"),
        ("return softmax(np.where(seen, s, -np.inf))", "e = np.exp(s) * seen\n    return e / e.sum(1, keepdims=True)"),
        (
            "return softmax(np.where(seen, s, -np.inf)) @ v",
            "return np.squeeze(softmax(np.where(seen, s, -np.inf)) @ v)",
        ),
    ],
    "10.fixed": [
        (" & (j <= i)", ""),
        ("(j <= i)", "((j <= i) | (i // l == j // l))"),
        ("(j <= i)", "(j < i)"),
        ("j % l >= l - c", "j % l < c"),
        (" | (j % l >= l - c)", ""),
        ("(i // l == j // l) | ", ""),
        ("j % l >= l - c", "j % l > l - c"),
        ("j % l >= l - c", "j % l >= l - 1"),
        ("j % l >= l - c", "i % l >= l - c"),
        (" / np.sqrt(q.shape[1])", ""),
        ("q.shape[1]", "v.shape[1]"),
        ("-np.inf", "0"),
        ("-np.inf", "-50"),
        ("i // l == j // l", "i - j < l"),
        ("-np.inf)", "-np.inf), 0"),
        ("(i // l == j // l) |", "(i // l == j // l) &"),
        ("n = len(q)", "n = len(q) // l * l\n    q, k = q[:n], k[:n]"),
        (
            "softmax(np.where(seen & (j <= i), s, -np.inf)) @ v",
            "np.squeeze(softmax(np.where(seen & (j <= i), s, -np.inf)) @ v)",
        ),
    ],
    "10.reach": [
        ("w - 1", "w"),
        ("n - 1", "n"),
        ("int(np.ceil((n - 1) / (w - 1)))", "(n - 1) // (w - 1)"),
        ("int(np.ceil((n - 1) / (w - 1)))", "int(np.ceil(n / w))"),
        ("int(np.ceil((n - 1) / (w - 1)))", "33"),
        ("int(np.ceil((n - 1) / (w - 1)))", "n // w + 1"),
        ("int(np.ceil((n - 1) / (w - 1)))", "int(np.ceil(np.log2(n / w)))"),
        ("int(np.ceil((n - 1) / (w - 1)))", "round((n - 1) / (w - 1))"),
        ("int(np.ceil((n - 1) / (w - 1)))", "(n - 1) // (w - 1) + 1"),
        ("int(np.ceil((n - 1) / (w - 1)))", "(n - 1) / (w - 1)"),
        ("n - 1", "n - 2"),
        ("w - 1", "w // 2"),
        ("(w - 1)", "(2 * w - 1)"),
        ("np.ceil((n - 1) / (w - 1))", "np.ceil((n - 1) / (w - 1)) + 1"),
        ("w - 1", "w + 1"),
    ],
    "10.layer": [
        ("back < self.window", "back <= self.window"),
        ("(back >= 0) & ", ""),
        (" & (back < self.window)", ""),
        (" / x.shape[2] ** 0.5", ""),
        ("-torch.inf", "-5.0"),
        ("torch.softmax(score, -1)", "torch.softmax(score, 1)"),
        ("i[:, None] - i", "i - i[:, None]"),
        ("key.mT", "key.detach().mT"),
        ("_weight", "_map"),
        ("@ (x @ self.value_weight)", "@ x"),
    ],
}
