"""Answers to the exercises of chapter 14."""

RIGHT = {
    "14.merge": {
        "numpy": """
            def f(m1, l1, c1, m2, l2, c2):
                m = np.maximum(m1, m2)
                a, b = np.exp(m1 - m), np.exp(m2 - m)
                c = a[:, None] * c1 + b[:, None] * c2
                return c / (a * l1 + b * l2)[:, None]
        """,
        "tf": """
            def f(m1, l1, c1, m2, l2, c2):
                m = tf.maximum(m1, m2)
                a, b = tf.exp(m1 - m), tf.exp(m2 - m)
                return (a[:, None] * c1 + b[:, None] * c2) / (a * l1 + b * l2)[:, None]
        """,
        "numpy 2": """
            def f(m1, l1, c1, m2, l2, c2):
                m = np.maximum(m1, m2)
                e = np.exp(np.stack([m1, m2]) - m)
                c = e[0, :, None] * c1 + e[1, :, None] * c2
                return c / (e * [l1, l2]).sum(0)[:, None]
        """,
        "torch": """
            def f(m1, l1, c1, m2, l2, c2):
                a = m1 + l1.log()
                b = m2 + l2.log()
                s = torch.sigmoid(a - b)
                one = torch.where(l1 > 0, 1 / l1, 0.0) * s
                two = torch.where(l2 > 0, 1 / l2, 0.0) * (1 - s)
                return one[:, None] * c1 + two[:, None] * c2
        """,
    },
    "14.tiled": {
        "numpy": """
            def f(q, k, v, size):
                s = q @ k.T / np.sqrt(k.shape[1])
                top, total, c = np.full((len(q), 1), -np.inf), 0, 0
                for i in range(0, len(k), size):
                    b = s[:, i : i + size]
                    new = np.maximum(top, b.max(1, keepdims=True))
                    keep, e = np.exp(top - new), np.exp(b - new)
                    total = keep * total + e.sum(1, keepdims=True)
                    c = keep * c + e @ v[i : i + size]
                    top = new
                return c / total
        """,
        "tf": """
            def f(q, k, v, size):
                s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5
                return tf.nn.softmax(s) @ v
        """,
        "torch": "lambda q, k, v, size: torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        "numpy 2": "lambda q, k, v, size: softmax(q @ k.T / k.shape[1] ** 0.5) @ v",
    },
    "14.visited": {
        "numpy": """
            def f(n, c):
                b = -(-n // c)
                return b * (b + 1) // 2
        """,
        "torch": "lambda n, c: torch.arange(1, -(-n // c) + 1).sum()",
        "tf": "lambda n, c: tf.reduce_sum(tf.range(1, -(-n // c) + 1))",
        "numpy 2": "lambda n, c: sum(i // c + 1 for i in range(0, n, c))",
        "numpy 3": """
            def f(n, c):
                b = int(np.ceil(n / c))
                return int(np.tri(b).sum())
        """,
    },
    "14.backward": {
        "numpy": """
            def f(q, k, v, o, l, g):
                scale = 1 / np.sqrt(k.shape[1])
                w = np.exp(scale * q @ k.T - l[:, None])
                dot = (g * o).sum(1, keepdims=True)
                return scale * (w * (g @ v.T - dot)) @ k
        """,
        "torch": """
            def f(q, k, v, o, l, g):
                q = q.clone().requires_grad_()
                out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
                return torch.autograd.grad(out, q, g)[0]
        """,
        "tf": """
            def f(q, k, v, o, l, g):
                with tf.GradientTape() as tape:
                    tape.watch(q)
                    w = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5)
                    loss = tf.reduce_sum(w @ v * g)
                return tape.gradient(loss, q)
        """,
        "numpy 2": """
            def f(q, k, v, o, l, g):
                w = softmax(q @ k.T / k.shape[1] ** 0.5)
                d = g @ v.T
                d = w * (d - (w * d).sum(1, keepdims=True))
                return d @ k / k.shape[1] ** 0.5
        """,
    },
    "14.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D):
                    super().__init__()
                    self.query = torch.nn.Parameter(torch.zeros(D))
                    self.sink = torch.nn.Parameter(torch.zeros(1))
                def forward(self, m, mask):
                    s = (m @ self.query / m.shape[-1] ** 0.5).masked_fill(~mask, -torch.inf)
                    total = torch.logaddexp(s.logsumexp(1), self.sink)
                    return torch.einsum('bs,bsd->bd', (s - total[:, None]).exp(), m)
        """,
    },
}

WRONG = {
    "14.merge": [
        ("a[:, None] * c1 + b[:, None] * c2", "c1 + c2"),
        ("a * l1 + b * l2", "l1 + l2"),
        (" / (a * l1 + b * l2)[:, None]", ""),
        ("m1 - m), np.exp(m2 - m)", "m1), np.exp(m2)"),
        ("m1 - m), np.exp(m2 - m)", "m - m1), np.exp(m - m2)"),
        ("np.maximum(m1, m2)", "max(m1.max(), m2.max())"),
        ("np.maximum(m1, m2)", "np.minimum(m1, m2)"),
        ("np.maximum(m1, m2)", "m1"),
        ("np.maximum(m1, m2)", "(m1 + m2) / 2"),
        ("a * l1 + b * l2", "b * l1 + a * l2"),
        ("return c / (a * l1 + b * l2)[:, None]", "return (c1 / l1[:, None] + c2 / l2[:, None]) / 2"),
        ("return c / (a * l1 + b * l2)[:, None]", "return c1 / l1[:, None] + c2 / l2[:, None]"),
        ("a * l1 + b * l2)[:, None]", "a * l1 + b * l2 + 1)[:, None]"),
        ("return c", "return np.squeeze(c)"),
        ("    c = a", "    c1 *= a[:, None]\n    c = a"),
        ("return c / (a * l1 + b * l2)[:, None]", "return np.where(m1 > m2, c1.T / l1, c2.T / l2).T"),
        ("    return c / (a * l1 + b * l2)[:, None]", "    return (c1 + c2) / (l1 + l2)[:, None]"),
    ],
    "14.tiled": [
        ("keep * c", "c"),
        ("keep * total", "total"),
        (" / np.sqrt(k.shape[1])", ""),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("k.shape[1]", "size"),
        ("v[i : i + size]", "v[: b.shape[1]]"),
        ("        top = new\n", ""),
        ("np.exp(top - new)", "np.exp(new - top)"),
        ("np.maximum(top, b.max(1, keepdims=True))", "b.max(1, keepdims=True)"),
        ("b.max(1, keepdims=True)", "b.max()"),
        ("range(0, len(k), size)", "range(0, len(k) - size + 1, size)"),
        ("range(0, len(k), size)", "range(0, len(k), 4)"),
        (" / total", ""),
        ("c / total", "np.squeeze(c / total)"),
        ("e.sum(1, keepdims=True)", "e.sum()"),
        ("np.exp(b - new)", "np.exp(b)"),
        ("keep * c + e", "e"),
        """
            def f(q, k, v, size):
                k, v = k[:size], v[:size]
                return softmax(q @ k.T / k.shape[1] ** 0.5) @ v
        """,
        """
            def f(q, k, v, size):
                e = np.exp(q @ k.T / k.shape[1] ** 0.5)
                return e @ v / e.sum(1, keepdims=True)
        """,
    ],
    "14.visited": [
        ("-(-n // c)", "n // c"),
        ("b * (b + 1) // 2", "b * b"),
        ("b * (b + 1) // 2", "b * (b - 1) // 2"),
        ("b * (b + 1) // 2", "b * b // 2"),
        ("b * (b + 1) // 2", "n * (n + 1) // 2"),
        ("b * (b + 1) // 2", "b"),
        ("b * (b + 1) // 2", "b * (b + 1)"),
        ("b * (b + 1) // 2", "b * (b + 1) / 2"),
        ("-(-n // c)", "n // c + 1"),
        ("-(-n // c)", "round(n / c)"),
        ("-(-n // c)", "-(-n // 128)"),
        ("-(-n // c)", "32"),
        ("b * (b + 1) // 2", "2 * b - 1"),
        ("b * (b + 1) // 2", "(b + 1) * (b + 2) // 2"),
        ("b * (b + 1) // 2", "n * (n + 1) // 2 // c**2"),
    ],
    "14.backward": [
        ("return scale * (", "return ("),
        ("scale * q", "q"),
        (" - dot", ""),
        ("- dot", "+ dot"),
        ("g * o", "g * o / o.shape[1]"),
        ("w * (g", "(g"),
        ("(g * o).sum(1, keepdims=True)", "(g @ v.T).mean(1, keepdims=True)"),
        ("(g * o).sum(1, keepdims=True)", "(g * o).sum()"),
        ("(g * o).sum(1, keepdims=True)", "(g * o).sum(0, keepdims=True)"),
        (" @ k\n", " @ q\n"),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("k.shape[1]", "v.shape[1]"),
        (" - l[:, None]", ""),
        ("- l[:, None]", "+ l[:, None]"),
        ("l[:, None]", "l"),
        ("np.exp(scale * q @ k.T - l[:, None])", "np.exp(scale * q @ k.T) / np.exp(l)[:, None]"),
        ("g @ v.T", "o @ v.T"),
        ("return scale * (w * (g @ v.T - dot)) @ k", "return np.squeeze(scale * (w * (g @ v.T - dot)) @ k)"),
    ],
    "14.layer": [
        ("~mask", "mask"),
        ("-torch.inf", "-5.0"),
        ("[score, sink], 1), 1)", "[score, sink], 1), 0)"),
        (" / memory.shape[-1] ** 0.5", ""),
        ("0.5", "1"),
        ("@ self.query", "@ self.query.detach()"),
        ("self.query", "self.asked"),
        ("[:, 0]", ""),
        ("self.sink.expand", "self.sink.detach().expand"),
        ("@ memory)", "@ memory.detach())"),
        ("torch.cat([score, sink], 1)", "torch.cat([score, 0 * sink], 1)"),
        ("torch.cat([score, sink], 1)", "torch.cat([sink, score], 1)"),
    ],
}
