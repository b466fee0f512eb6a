"""Answers to the exercises of chapter 3."""

RIGHT = {
    "03.local_weights": {
        "numpy": """
            def f(s, c, D):
                d = np.arange(s.shape[1]) - c[:, None]
                inside = np.abs(d) <= D
                w = softmax(np.where(inside, s, -np.inf))
                return w * np.exp(-2 * d**2 / D**2)
        """,
        "numpy 2": """
            def f(s, c, D):
                d = np.arange(s.shape[1]) - c[:, None]
                i = np.abs(d) <= D
                s = np.where(i, s, -np.inf)
                w = np.exp(s - s.max(1, keepdims=True))
                return w / w.sum(1, keepdims=True) * np.exp(-2 * d**2 / D**2)
        """,
        "torch": """
            def f(s, c, D):
                d = torch.arange(s.shape[1]) - c[:, None]
                w = torch.softmax(s.masked_fill(d.abs() > D, -torch.inf), 1)
                return w * torch.exp(-2 * (d / D) ** 2)
        """,
        "tf": """
            def f(s, c, D):
                d = tf.cast(tf.range(s.shape[1]), s.dtype) - c[:, None]
                w = tf.nn.softmax(tf.where(tf.abs(d) <= D, s, -np.inf))
                return w * tf.exp(-2 * (d / D) ** 2)
        """,
    },
    "03.general_score": {
        "numpy": "lambda q, m, W: q @ W @ m.swapaxes(1, 2)",
        "torch": "lambda q, m, W: torch.einsum('btd,de,bse->bts', q, W, m)",
        "tf": "lambda q, m, W: tf.matmul(q @ W, m, transpose_b=True)",
    },
    "03.step": {
        "numpy": """
            def f(x, s, a, m, W, U, C):
                h = np.tanh(np.concatenate([x, a], 1) @ W + s @ U)
                w = softmax((m @ h[:, :, None])[:, :, 0])
                c = (w[:, None] @ m)[:, 0]
                return np.tanh(np.concatenate([c, h], 1) @ C)
        """,
        "torch": """
            def f(x, s, a, m, W, U, C):
                h = torch.tanh(torch.cat([x, a], 1) @ W + s @ U)
                w = torch.softmax(torch.einsum('bsd,bd->bs', m, h), 1)
                return torch.tanh(torch.cat([torch.einsum('bs,bsd->bd', w, m), h], 1) @ C)
        """,
        "tf": """
            def f(x, s, a, m, W, U, C):
                h = tf.tanh(tf.concat([x, a], 1) @ W + s @ U)
                w = tf.nn.softmax(tf.linalg.matvec(m, h))
                c = tf.linalg.matvec(m, w, transpose_a=True)
                return tf.tanh(tf.concat([c, h], 1) @ C)
        """,
    },
    "03.window_sum": {
        "numpy": """
            def f(c, D, n):
                d = np.arange(n) - c
                d = d[np.abs(d) <= D]
                return np.exp(-2 * d**2 / D**2).mean()
        """,
        "torch": """
            def f(c, D, n):
                d = torch.arange(n) - c
                w = torch.softmax(torch.zeros(n).masked_fill(d.abs() > D, -torch.inf), 0)
                return (w * torch.exp(-2 * d**2 / D**2)).sum()
        """,
        "tf": """
            def f(c, D, n):
                d = tf.range(n, dtype=tf.float64) - c
                inside = tf.cast(tf.abs(d) <= D, tf.float64)
                return tf.reduce_sum(inside * tf.exp(-2 * d**2 / D**2)) / tf.reduce_sum(inside)
        """,
        "numpy 2": """
            def f(c, D, n):
                d = np.arange(n) - c
                i = np.abs(d) <= D
                return float((i / i.sum() * np.exp(-2 * d**2 / D**2)).sum())
        """,
    },
    "03.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, E):
                    super().__init__()
                    self.weight = torch.nn.Parameter(torch.empty(D, E))
                def forward(self, q, m, mask):
                    q = q @ self.weight
                    return torch.nn.functional.scaled_dot_product_attention(q, m, m, mask[:, None], scale=1.0)
        """,
        "tf": """
            class Own(keras.layers.Layer):
                def __init__(self, D, E):
                    super().__init__()
                    self.shape = D, E
                def build(self, *shapes):
                    self.weight = self.add_weight(self.shape)
                def call(self, q, m, mask):
                    s = tf.einsum('btd,de,bse->bts', q, self.weight, m)
                    return tf.nn.softmax(tf.where(mask[:, None], s, -np.inf)) @ m
        """,
    },
}

WRONG = {
    "03.local_weights": [
        ("<=", "<"),
        ("-2 * d", "-d"),
        ("-2 * d**2", "-2 * np.abs(d)"),
        ("D**2", "(2 * D) ** 2"),
        ("w * np.exp(-2 * d**2 / D**2)", "w"),
        ("-np.inf", "-50"),
        ("-np.inf", "-1e4"),
        ("-np.inf", "0"),
        ("c[:, None]", "c[:, None].round()"),
        ("c[:, None]", "c[:, None].astype(int)"),
        ("s.shape[1]", "11"),
        ("<= D", "<= 2"),
        ("np.abs(d)", "d"),
        ("np.where(inside, s, -np.inf)", "s"),
        ("softmax(np.where(inside, s, -np.inf))", "softmax(s) * inside"),
        ("np.arange(s.shape[1])", "np.arange(1, s.shape[1] + 1)"),
        ("c[:, None]", "c[0]"),
        (
            "return w * np.exp(-2 * d**2 / D**2)",
            "w = w * np.exp(-2 * d**2 / D**2)\n    return w / w.sum(1, keepdims=True)",
        ),
        ("softmax(np.where(inside, s, -np.inf))", "np.exp(s) * inside\n    w = w / w.sum(1, keepdims=True)"),
        (
            "softmax(np.where(inside, s, -np.inf))",
            "np.exp(s - s.max(1, keepdims=True)) * inside\n    w = w / w.sum(1, keepdims=True)",
        ),
    ],
    "03.general_score": [
        ("q @ W", "q @ W.T"),
        ("q @ W", "q"),
        ("m.swapaxes(1, 2)", "m.T"),
        ("m.swapaxes(1, 2)", "m.reshape(len(m), m.shape[2], -1)"),
        ("@ m.", "@ m[:1]."),
        ("q @ W", "q[:1] @ W"),
        ("q @ W", "q @ np.abs(W)"),
        ("q @ W @ m.swapaxes(1, 2)", "softmax(q @ W @ m.swapaxes(1, 2))"),
        ("q @ W @ m.swapaxes(1, 2)", "np.tanh(q @ W @ m.swapaxes(1, 2))"),
        ("q @ W @ m.swapaxes(1, 2)", "np.squeeze(q @ W @ m.swapaxes(1, 2))"),
        ("q @ W @ m.swapaxes(1, 2)", "(q @ W @ m.swapaxes(1, 2)).swapaxes(1, 2)"),
        ("q @ W @ m.swapaxes(1, 2)", "q @ W @ m.swapaxes(1, 2) / np.sqrt(W.shape[0])"),
        ("q @ W @ m.swapaxes(1, 2)", "q @ W @ m.swapaxes(1, 2) / np.sqrt(W.shape[1])"),
        "lambda q, m, W: np.einsum('btd,de,bse->ts', q, W, m)",
        "lambda q, m, W: np.einsum('btd,de,bse->bst', q, W, m)",
    ],
    "03.step": [
        ("[x, a]", "[x, s]"),
        ("[x, a]", "[a, x]"),
        ("[c, h]", "[h, c]"),
        ("[c, h]", "[c, s]"),
        ("[c, h]", "[c, a]"),
        ("m @ h[", "m @ s["),
        ("m @ h[", "m @ a["),
        (" + s @ U", ""),
        ("s @ U", "a @ U"),
        ("@ U", "@ U.T"),
        ("h = np.tanh", "h = "),
        ("return np.tanh", "return "),
        ("[:, :, 0])", "[:, :, 0], 0)"),
        ("(w[:, None] @ m)[:, 0]", "m.mean(1)"),
        ("softmax((m @ h[:, :, None])[:, :, 0])", "(m @ h[:, :, None])[:, :, 0]"),
        ("[:, :, 0])", "[:, :, 0] / np.sqrt(s.shape[1]))"),
        ("return np.tanh(np.concatenate([c, h], 1) @ C)", "return h"),
        (
            "    w = softmax((m @ h[:, :, None])[:, :, 0])",
            "    e = np.exp((m @ h[:, :, None])[:, :, 0])\n    w = e / e.sum(1, keepdims=True)",
        ),
    ],
    "03.window_sum": [
        ("<=", "<"),
        ("-2 * d", "-d"),
        ("-2 * d**2 / D**2", "-2 * np.abs(d) / D"),
        ("-2 * d**2 / D**2", "-(d**2) / (2 * D**2)"),
        (".mean()", ".sum()"),
        (".mean()", ".max()"),
        (".mean()", ".sum() / n"),
        (".mean()", ".sum() / (2 * D + 1)"),
        (".mean()", ""),
        ("    d = d[np.abs(d) <= D]\n", ""),
        ("np.arange(n)", "np.arange(10)"),
        (" - c", ""),
        (" - c", " - round(c)"),
        ("np.arange(n)", "np.arange(1, n + 1)"),
        ("D**2", "9"),
        ("<= D", "<= 3"),
        ("np.exp(-2 * d**2 / D**2).mean()", "1.0"),
    ],
    "03.layer": [
        ("~mask", "mask"),
        ("-torch.inf", "-5.0"),
        ("dim=-1", "dim=1"),
        ("query @ self.weight", "query"),
        ("memory.mT", "memory.mT / 2"),
        ("@ self.weight", "@ self.weight.detach()"),
        ("self.weight", "self.own"),
        ("(query_dim, memory_dim)", "(memory_dim, query_dim)"),
        (" @ memory\n", " @ memory, score\n"),
        ("torch.softmax(score, dim=-1)", "score.exp() / score.exp().sum(-1, keepdim=True)"),
    ],
}
