"""Answers to the exercises of chapter 2."""

RIGHT = {
    "02.additive_score": {
        "numpy": """
            def f(q, m, W, U, v):
                h = np.tanh((q @ W)[:, :, None] + (m @ U)[:, None])
                return h @ v
        """,
        "torch": "lambda q, m, W, U, v: torch.tanh((q @ W)[:, :, None] + (m @ U)[:, None]) @ v",
        "tf": "lambda q, m, W, U, v: tf.linalg.matvec(tf.tanh((q @ W)[:, :, None] + (m @ U)[:, None]), v)",
        "numpy 2": """
            def f(q, m, W, U, v):
                h = np.tanh(np.expand_dims(q @ W, 2) + np.expand_dims(m @ U, 1))
                return np.einsum('btsa,a->bts', h, v)
        """,
    },
    "02.masked_weights": {
        "numpy": """
            def f(s, m):
                s = np.where(m, s, -np.inf)
                top = s.max(-1, keepdims=True)
                e = np.exp(s - np.where(np.isinf(top), 0, top))
                n = e.sum(-1, keepdims=True)
                return e / np.where(n == 0, 1, n)
        """,
        "numpy 2": """
            def f(s, m):
                s = np.where(m, s, -1e9)
                e = np.exp(s - s.max(-1, keepdims=True)) * m
                n = e.sum(-1, keepdims=True)
                return e / np.where(n == 0, 1, n)
        """,
        "torch": "lambda s, m: torch.softmax(s.masked_fill(~m, -torch.inf), -1).nan_to_num()",
        "torch 2": """
            def f(s, m):
                out = torch.zeros(s.shape)
                some = m.any(-1)
                out[some] = torch.softmax(s.masked_fill(~m, -torch.inf), -1)[some].float()
                return out
        """,
        "tf": """
            def f(s, m):
                w = tf.nn.softmax(tf.where(m, s, -np.inf))
                return tf.where(tf.reduce_any(m, -1, keepdims=True), w, tf.zeros_like(w))
        """,
        "numpy 3": "lambda s, m: np.nan_to_num(softmax(np.where(m, s, -np.inf)))",
    },
    "02.step": {
        "numpy": """
            def f(s, m, W, C):
                w = softmax((m @ s[:, :, None])[:, :, 0])
                c = (w[:, None] @ m)[:, 0]
                return np.tanh(s @ W + c @ C)
        """,
        "torch": """
            def f(s, m, W, C):
                w = torch.softmax(torch.einsum('bsd,bd->bs', m, s), 1)
                return torch.tanh(s @ W + torch.einsum('bs,bsd->bd', w, m) @ C)
        """,
        "tf": """
            def f(s, m, W, C):
                w = tf.nn.softmax(tf.linalg.matvec(m, s))
                return tf.tanh(s @ W + tf.linalg.matvec(m, w, transpose_a=True) @ C)
        """,
    },
    "02.largest_ratio": {
        "numpy": "lambda v: np.exp(2 * np.abs(v).sum())",
        "torch": "lambda v: torch.exp(2 * v.abs().sum())",
        "tf": "lambda v: tf.exp(2 * tf.reduce_sum(tf.abs(v)))",
        "numpy 2": """
            def f(v):
                top = np.tanh(100 * np.sign(v)) @ v
                return float(np.exp(top) / np.exp(-top))
        """,
    },
    "02.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, E, A):
                    super().__init__()
                    self.query_weight = torch.nn.Parameter(torch.zeros(D, A))
                    self.memory_weight = torch.nn.Parameter(torch.zeros(E, A))
                    self.score_weight = torch.nn.Parameter(torch.zeros(A))
                def forward(self, q, m, mask):
                    h = (q @ self.query_weight).unsqueeze(2) + (m @ self.memory_weight).unsqueeze(1)
                    s = torch.einsum('btsa,a->bts', h.tanh(), self.score_weight)
                    s = s + torch.where(mask, 0.0, -torch.inf)[:, None]
                    return torch.einsum('bts,bse->bte', s.softmax(-1), m)
        """,
    },
}

WRONG = {
    "02.additive_score": [
        ("np.tanh", ""),
        ("h @ v", "h.sum(-1)"),
        ("h @ v", "np.tanh(h @ v)"),
        ("h @ v", "softmax(h @ v)"),
        ("h @ v", "h @ v / np.sqrt(len(v))"),
        ("h @ v", "np.squeeze(h @ v)"),
        ("h @ v", "(h @ v).swapaxes(1, 2)"),
        ("h @ v", "h @ np.abs(v)"),
        ("np.tanh(", "np.maximum(0, "),
        (" + (m", " * (m"),
        (" + (m", " - (m"),
        ("np.tanh((q @ W)[:, :, None] + (m @ U)[:, None])", "np.tanh(q @ W)[:, :, None] + np.tanh(m @ U)[:, None]"),
        ("np.tanh((q @ W)[:, :, None] + (m @ U)[:, None])", "np.tanh((q @ W)[:, None] + (m @ U)[:, :, None])"),
        ("q @ W", "q @ U"),
        ("m @ U", "m @ W"),
        ("(m @ U)[:, None]", "(m @ U)[:1, None]"),
        ("(q @ W)[:, :, None]", "(q @ W)[:, :1, None]"),
    ],
    "02.masked_weights": [
        ("-np.inf", "-1"),
        ("-np.inf", "-50"),
        ("-np.inf", "-1e2"),
        ("-np.inf", "-1e4"),
        ("-np.inf", "-1e9"),
        ("-np.inf", "0"),
        ("s - np.where(np.isinf(top), 0, top)", "s"),
        ("np.where(np.isinf(top), 0, top)", "top"),
        ("np.where(n == 0, 1, n)", "n"),
        ("np.where(n == 0, 1, n)", "(n + 1)"),
        ("(-1, keepdims", "(1, keepdims"),
        ("m, s, -np.inf", "m, -np.inf, s"),
        ("np.where(m, s, -np.inf)", "s * m"),
        ("np.where(m, s, -np.inf)", "s"),
        ("e / np.where(n == 0, 1, n)", "np.squeeze(e / np.where(n == 0, 1, n))"),
        ("s.max(-1, keepdims=True)", "s.max()"),
        "lambda s, m: softmax(s) * m",
        "lambda s, m: softmax(np.where(m, s, -np.inf))",
        """
            def f(s, m):
                e = np.exp(s - s.max(-1, keepdims=True)) * m
                return e / (e.sum(-1, keepdims=True) + 1e-9)
        """,
        """
            def f(s, m):
                s[~m] = -np.inf
                return np.nan_to_num(softmax(s))
        """,
    ],
    "02.step": [
        ("softmax((m @ s[:, :, None])[:, :, 0])", "(m @ s[:, :, None])[:, :, 0]"),
        ("[:, :, 0])", "[:, :, 0], 0)"),
        ("[:, :, 0])", "[:, :, 0] / np.sqrt(s.shape[1]))"),
        ("s[:, :, None]", "np.tanh(s @ W)[:, :, None]"),
        ("s[:, :, None]", "(s @ W)[:, :, None]"),
        ("s @ W + c @ C", "s @ C + c @ W"),
        ("s @ W + ", ""),
        (" + c @ C", ""),
        ("np.tanh", ""),
        ("@ W", "@ W.T"),
        ("@ C", "@ C.T"),
        ("(w[:, None] @ m)[:, 0]", "m.mean(1)"),
        ("(w[:, None] @ m)[:, 0]", "m[:, -1]"),
        ("(m @ s[:, :, None])[:, :, 0]", "np.squeeze(m @ s[:, :, None])"),
        ("np.tanh(s @ W + c @ C)", "np.tanh(s @ W) + np.tanh(c @ C)"),
        (
            "    w = softmax((m @ s[:, :, None])[:, :, 0])",
            "    e = np.exp((m @ s[:, :, None])[:, :, 0])\n    w = e / e.sum(1, keepdims=True)",
        ),
    ],
    "02.largest_ratio": [
        ("2 * ", ""),
        ("np.abs(v).sum()", "v.sum()"),
        ("np.abs(v).sum()", "abs(v.sum())"),
        (".sum()", ".max()"),
        (".sum()", ".mean()"),
        (".sum()", ""),
        ("np.abs(v).sum()", "np.linalg.norm(v)"),
        ("np.abs(v).sum()", "(v**2).sum()"),
        ("np.abs(v).sum()", "len(v)"),
        ("np.abs(v).sum()", "2"),
        ("np.abs(v).sum()", "np.tanh(np.abs(v)).sum()"),
        ("np.exp(2 * np.abs(v).sum())", "2 * np.abs(v).sum()"),
        ("np.exp(2 * np.abs(v).sum())", "np.exp(2) * np.abs(v).sum()"),
        ("np.exp(2 * np.abs(v).sum())", "np.exp(v.max() - v.min())"),
    ],
    "02.layer": [
        ("torch.tanh(asked + held)", "(asked + held)"),
        ("~mask", "mask"),
        ("dim=-1", "dim=1"),
        ("-torch.inf", "-5.0"),
        (" @ memory", " @ memory.detach()"),
        ("torch.randn(*size) / 4", "torch.randn(*size, 1)"),
        ("self.score_weight", "self.score"),
        ("[:, None]\n        score", "[:, :1]\n        score"),
        ("asked + held", "asked - held"),
        ("torch.softmax", "torch.log_softmax"),
        ("torch.tanh(asked + held)", "torch.tanh(asked + held).detach()"),
    ],
}
