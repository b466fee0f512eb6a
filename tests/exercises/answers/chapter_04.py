"""Answers to the exercises of chapter 4."""

RIGHT = {
    "04.attention": {
        "numpy": """
            def f(q, k, v, m):
                s = np.where(m, q @ k.T / np.sqrt(k.shape[1]), -np.inf)
                top = s.max(1, keepdims=True)
                e = np.exp(s - np.where(np.isinf(top), 0, top))
                n = e.sum(1, keepdims=True)
                return e / np.where(n == 0, 1, n) @ v
        """,
        "torch": """
            def f(q, k, v, m):
                s = (q @ k.T / k.shape[1] ** 0.5).masked_fill(~m, -torch.inf)
                return torch.softmax(s, 1).nan_to_num() @ v
        """,
        "torch 2": """
            def f(q, k, v, m):
                out = torch.zeros(len(q), v.shape[1])
                for i in range(len(q)):
                    if m[i].any():
                        s = k[m[i]] @ q[i] / k.shape[1] ** 0.5
                        out[i] = torch.softmax(s, 0) @ v[m[i]]
                return out
        """,
        "tf": """
            def f(q, k, v, m):
                s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5
                w = tf.nn.softmax(tf.where(m, s, -np.inf))
                w = tf.where(tf.reduce_any(m, 1, keepdims=True), w, tf.zeros_like(w))
                return w @ v
        """,
        "numpy 2": """
            def f(q, k, v, m):
                s = q @ k.T / np.sqrt(k.shape[1])
                s = np.where(m, s, -1e300)
                e = np.exp(s - s.max(1, keepdims=True)) * m
                n = e.sum(1, keepdims=True)
                return np.divide(e, n, out=np.zeros_like(e), where=n > 0) @ v
        """,
    },
    "04.with_cache": {
        "numpy": """
            def f(q, k, v):
                s = q @ k.T / np.sqrt(k.shape[1])
                T, S = s.shape
                seen = np.tri(T, S, S - T, dtype=bool)
                return softmax(np.where(seen, s, -np.inf)) @ v
        """,
        "torch": """
            def f(q, k, v):
                m = torch.ones(len(q), len(k), dtype=torch.bool).tril(len(k) - len(q))
                return torch.softmax((q @ k.T / k.shape[1] ** 0.5).masked_fill(~m, -torch.inf), 1) @ v
        """,
        "tf": """
            def f(q, k, v):
                T, S = q.shape[0], k.shape[0]
                m = tf.range(S) <= tf.range(T)[:, None] + S - T
                s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5
                return tf.nn.softmax(tf.where(m, s, -np.inf)) @ v
        """,
        "numpy 2": """
            def f(q, k, v):
                out = []
                for i, one in enumerate(q):
                    n = len(k) - len(q) + i + 1
                    s = k[:n] @ one / np.sqrt(k.shape[1])
                    e = np.exp(s - s.max())
                    out.append(e / e.sum() @ v[:n])
                return np.array(out)
        """,
    },
    "04.allowed": {
        "numpy": """
            def f(p, T):
                S = p.shape[1]
                return p[:, None] & (np.arange(S) <= np.arange(T)[:, None] + S - T)
        """,
        "numpy 2": """
            def f(p, T):
                S = p.shape[1]
                return np.logical_and(p[:, None], np.tri(T, S, S - T, dtype=bool))
        """,
        "torch": """
            def f(p, T):
                S = p.shape[1]
                return p[:, None] & torch.ones(T, S).tril(S - T).bool()
        """,
        "tf": """
            def f(p, T):
                S = p.shape[1]
                return p[:, None] & (tf.range(S) <= tf.range(T)[:, None] + S - T)
        """,
    },
    "04.entropy": {
        "numpy": """
            def f(w):
                safe = np.where(w > 0, w, 1)
                return -(w * np.log(safe)).sum(1).mean()
        """,
        "torch": "lambda w: torch.special.entr(w).sum(1).mean()",
        "tf": "lambda w: -tf.reduce_mean(tf.reduce_sum(tf.math.xlogy(w, w), 1))",
        "numpy 2": "lambda w: np.mean([-sum(x * np.log(x) for x in row if x > 0) for row in w])",
    },
    "04.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D):
                    super().__init__()
                    self.query = torch.nn.Parameter(torch.zeros(D))
                def forward(self, m, mask):
                    q = self.query.expand(len(m), 1, -1)
                    return torch.nn.functional.scaled_dot_product_attention(q, m, m, mask[:, None])[:, 0]
        """,
        "tf": """
            class Own(keras.layers.Layer):
                def __init__(self, D):
                    super().__init__()
                    self.query = self.add_weight((D,))
                def call(self, m, mask):
                    s = tf.linalg.matvec(m, self.query) / m.shape[-1] ** 0.5
                    w = tf.nn.softmax(tf.where(mask, s, -np.inf))
                    return tf.linalg.matvec(m, w, transpose_a=True)
        """,
    },
}

WRONG = {
    "04.attention": [
        ("-np.inf", "-50"),
        ("-np.inf", "-1e4"),
        ("-np.inf", "-1e9"),
        ("-np.inf", "0"),
        (" / np.sqrt(k.shape[1])", ""),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("k.shape[1]", "len(k)"),
        ("k.shape[1]", "len(q)"),
        ("k.shape[1]", "v.shape[1]"),
        ("np.sqrt(k.shape[1])", "8"),
        ("m, q", "~m, q"),
        ("(1, keepdims", "(0, keepdims"),
        ("s - np.where(np.isinf(top), 0, top)", "s"),
        ("np.where(np.isinf(top), 0, top)", "top"),
        ("np.where(n == 0, 1, n)", "n"),
        ("np.where(n == 0, 1, n) @ v", "np.where(n == 0, 1, n) @ k"),
        ("s.max(1, keepdims=True)", "s.max()"),
        ("e / np.where(n == 0, 1, n) @ v", "np.squeeze(e / np.where(n == 0, 1, n) @ v)"),
        "lambda q, k, v, m: softmax(q @ k.T / np.sqrt(k.shape[1])) * m @ v",
        "lambda q, k, v, m: softmax(q @ k.T / np.sqrt(k.shape[1]) * m) @ v",
        "lambda q, k, v, m: softmax(q @ k.T / np.sqrt(k.shape[1]) + m) @ v",
    ],
    "04.with_cache": [
        ("S - T", "0"),
        ("S - T", "T - S"),
        ("S - T", "S - T + 1"),
        ("S - T", "S - T - 1"),
        ("S - T", "T"),
        ("S - T", "2"),
        ("S - T", "S"),
        ("-np.inf", "-50"),
        ("-np.inf", "-1e4"),
        ("-np.inf", "0"),
        (" / np.sqrt(k.shape[1])", ""),
        ("k.shape[1]", "v.shape[1]"),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("np.where(seen, s", "np.where(~seen, s"),
        ("softmax(np.where(seen, s, -np.inf))", "softmax(s)"),
        ("softmax(np.where(seen, s, -np.inf))", "softmax(s) * seen"),
        ("-np.inf))", "-np.inf), 0)"),
        ("softmax(np.where(seen, s, -np.inf)) @ v", "np.squeeze(softmax(np.where(seen, s, -np.inf)) @ v)"),
        ("return softmax(np.where(seen, s, -np.inf))", "e = np.exp(s) * seen\n    return e / e.sum(1, keepdims=True)"),
    ],
    "04.allowed": [
        (" + S - T", ""),
        ("+ S - T", "- S + T"),
        ("+ S - T", "+ T - 1"),
        ("p[:, None] &", "p[:, None] |"),
        ("<=", "<"),
        ("<=", ">="),
        ("S - T", "S - T + 1"),
        ("p[:, None] & ", ""),
        ("p[:, None]", "~p[:, None]"),
        ("p[:, None]", "p[:1, None]"),
        ("p[:, None]", "p[:, :, None]"),
        (
            "return p[:, None] & (np.arange(S) <= np.arange(T)[:, None] + S - T)",
            "return np.squeeze(p[:, None] & (np.arange(S) <= np.arange(T)[:, None] + S - T))",
        ),
        ("p[:, None] & ", "p[:, None] * 1.0 * "),
        ("np.arange(T)", "np.arange(5)"),
        "lambda p, T: np.repeat(p[:, None], T, 1)",
        "lambda p, T: p[:, None] & np.tri(T, p.shape[1], dtype=bool)",
        ("return p[:, None] & (", "return ~p[:, None] | ~("),
    ],
    "04.entropy": [
        ("np.where(w > 0, w, 1)", "w"),
        ("np.where(w > 0, w, 1)", "w + 0.001"),
        ("np.log(", "np.log2("),
        ("np.log(", "np.log10("),
        ("-(w", "(w"),
        (".sum(1).mean()", ".sum()"),
        (".sum(1).mean()", ".mean()"),
        (".sum(1)", ".sum(0)"),
        (".mean()", ""),
        (".mean()", ".max()"),
        ("w * np.log", "np.log"),
        (".mean()", ".mean() / np.log(w.shape[1])"),
        ("-(w * np.log(safe)).sum(1).mean()", "np.log(w.shape[1])"),
        ("-(w * np.log(safe)).sum(1).mean()", "np.exp(-(w * np.log(safe)).sum(1).mean())"),
        ("w * np.log(safe)", "np.log(safe) / 256"),
        """
            def f(w):
                w[w == 0] = 1
                return -(w * np.log(w)).sum(1).mean()
        """,
    ],
    "04.layer": [
        ("~mask", "mask"),
        ("-torch.inf", "-5.0"),
        ("dim=-1", "dim=0"),
        (" / memory.shape[-1] ** 0.5", ""),
        ("0.5", "1"),
        ("@ self.query", "@ self.query.detach()"),
        ("self.query", "self.asked"),
        ("[:, 0]", ""),
        ("torch.randn(model_dim)", "torch.randn(model_dim, 1)"),
        ("@ memory)", "@ memory.detach())"),
        ("torch.softmax(score, dim=-1)", "score.exp() / score.exp().sum(-1, keepdim=True)"),
    ],
}
