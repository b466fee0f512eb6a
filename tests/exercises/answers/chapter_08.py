"""Answers to the exercises of chapter 8."""

RIGHT = {
    "08.layer_norm": {
        "numpy": """
            def f(x, s, b):
                x = x - x.mean(-1, keepdims=True)
                return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * s + b
        """,
        "torch": "lambda x, s, b: torch.nn.functional.layer_norm(x, (x.shape[-1],), s, b, 1e-5)",
        "tf": """
            def f(x, s, b):
                m, v = tf.nn.moments(x, axes=[-1], keepdims=True)
                return (x - m) / tf.sqrt(v + 1e-5) * s + b
        """,
        "numpy 2": "lambda x, s, b: (x - x.mean(-1)[..., None]) / np.sqrt(x.var(-1)[..., None] + 1e-5) * s + b",
    },
    "08.post_norm": {
        "numpy": """
            def norm(z):
                z = z - z.mean(-1, keepdims=True)
                return z / np.sqrt((z**2).mean(-1, keepdims=True) + 1e-5)
            def f(x, w, v, i, o):
                y = norm(x + w @ x @ v)
                return norm(y + np.maximum(y @ i, 0) @ o)
        """,
        "tf": """
            def norm(z):
                m, v = tf.nn.moments(z, axes=[-1], keepdims=True)
                return (z - m) / tf.sqrt(v + 1e-5)
            def f(x, w, v, i, o):
                y = norm(w @ x @ v + x)
                return norm(tf.nn.relu(y @ i) @ o + y)
        """,
        "torch": """
            def f(x, w, v, i, o):
                n = lambda z: torch.nn.functional.layer_norm(z, z.shape[-1:])
                y = n(w @ x @ v + x)
                return n(torch.relu(y @ i) @ o + y)
        """,
    },
    "08.pre_norm": {
        "numpy": """
            def norm(z):
                z = z - z.mean(-1, keepdims=True)
                return z / np.sqrt((z**2).mean(-1, keepdims=True) + 1e-5)
            def f(x, weights):
                for weight in weights:
                    x = x + norm(x) @ weight
                return norm(x)
        """,
        "tf": """
            def norm(z):
                m, v = tf.nn.moments(z, axes=[-1], keepdims=True)
                return (z - m) / tf.sqrt(v + 1e-5)
            def f(x, weights):
                for weight in tf.unstack(weights):
                    x = x + norm(x) @ weight
                return norm(x)
        """,
        "torch": """
            def f(x, w):
                n = lambda z: torch.nn.functional.layer_norm(z, z.shape[-1:])
                for i in range(len(w)):
                    x = x + n(x) @ w[i]
                return n(x)
        """,
        "numpy 2": """
            def f(x, w):
                n = lambda z: (z - z.mean(-1)[:, None]) / np.sqrt(z.var(-1)[:, None] + 1e-5)
                y = x.copy()
                for m in w:
                    y += n(y) @ m
                return n(y)
        """,
    },
    "08.parameters": {
        "numpy": """
            def f(D, F):
                attention = 4 * D * (D + 1)
                network = (D + 1) * F + (F + 1) * D
                return attention + network + 4 * D
        """,
        "torch": """
            def f(D, F):
                layer = torch.nn.TransformerEncoderLayer(D, 1, F)
                return sum(each.numel() for each in layer.parameters())
        """,
        "tf": "lambda D, F: tf.constant(4 * D * D) + 2 * D * F + 9 * D + F",
        "numpy 2": "lambda D, F: 4 * D**2 + 2 * D * F + 9 * D + F",
    },
    "08.block": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, F):
                    super().__init__()
                    for name, size in (('scale', (D,)), ('bias', (D,)), ('inner', (D, F)), ('outer', (F, D))):
                        setattr(self, name, torch.nn.Parameter(torch.zeros(size)))
                def forward(self, x):
                    y = torch.nn.functional.layer_norm(x, x.shape[-1:], self.scale, self.bias)
                    return (y @ self.inner).relu() @ self.outer + x
        """,
    },
}

WRONG = {
    "08.layer_norm": [
        ("np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)", "(np.sqrt((x**2).mean(-1, keepdims=True)) + 1e-5)"),
        (" + 1e-5", ""),
        ("1e-5", "1e-3"),
        ("    x = x - x.mean(-1, keepdims=True)\n", ""),
        ("np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)", "((x**2).mean(-1, keepdims=True) + 1e-5)"),
        ("(x**2).mean(-1, keepdims=True)", "x.var(-1, ddof=1, keepdims=True)"),
        ("(-1, keepdims", "(1, keepdims"),
        ("(-1, keepdims", "(0, keepdims"),
        ("(-1, keepdims=True)", "()"),
        ("x = x - x.mean(-1, keepdims=True)", "x = x - x.mean()"),
        (" * s", ""),
        (" + b", ""),
        ("* s + b", "* (s + b)"),
        ("* s + b", "* (1 + s) + b"),
        (
            "return x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * s + b",
            "return np.squeeze(x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * s + b)",
        ),
        ("x = x - x.mean", "x -= x.mean"),
        ("np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)", "abs(x).mean(-1, keepdims=True)"),
    ],
    "08.post_norm": [
        ("norm(x + w @ x @ v)", "x + norm(w @ x @ v)"),
        ("norm(y + np.maximum(y @ i, 0) @ o)", "norm(np.maximum(y @ i, 0) @ o)"),
        ("norm(x + w @ x @ v)", "norm(w @ x @ v)"),
        ("norm(x + w @ x @ v)", "x + w @ norm(x) @ v"),
        ("norm(y + np.maximum(y @ i, 0) @ o)", "y + norm(np.maximum(y @ i, 0) @ o)"),
        ("norm(y + np.maximum(y @ i, 0) @ o)", "y + np.maximum(y @ i, 0) @ o"),
        ("norm(x + w @ x @ v)", "x + w @ x @ v"),
        ("norm(y + np", "norm(x + np"),
        ("np.maximum(y @ i, 0) @ o", "y @ i @ o"),
        ("np.maximum(y @ i, 0) @ o", "np.maximum(y @ i @ o, 0)"),
        ("(-1, keepdims", "(0, keepdims"),
        (" + 1e-5", ""),
        ("1e-5", "1e-2"),
        ("    z = z - z.mean(-1, keepdims=True)\n", ""),
        ("(z**2).mean(-1, keepdims=True)", "z.var(-1, ddof=1, keepdims=True)"),
        ("w @ x", "w.T @ x"),
        ("np.maximum(y", "np.maximum(x"),
        ("    y = norm(x + w @ x @ v)", "    x += w @ x @ v\n    y = norm(x)"),
    ],
    "08.pre_norm": [
        ("return norm(x)", "return x"),
        ("x = x + norm(x) @ weight", "x = norm(x) @ weight"),
        ("x = x + norm(x) @ weight", "x = norm(x + x @ weight)"),
        ("x = x + norm(x) @ weight", "x = norm(x) + norm(x) @ weight"),
        ("x = x + norm(x) @ weight", "x = x + norm(x @ weight)"),
        ("x + norm(x) @", "x + x @"),
        ("in weights", "in weights[::-1]"),
        ("@ weight", "@ weight.T"),
        ("(-1, keepdims", "(0, keepdims"),
        (" + 1e-5", ""),
        ("1e-5", "1e-2"),
        ("    z = z - z.mean(-1, keepdims=True)\n", ""),
        ("(z**2).mean(-1, keepdims=True)", "z.var(-1, ddof=1, keepdims=True)"),
        ("return norm(x)", "return np.squeeze(norm(x))"),
        ("x = x + norm", "x += norm"),
        ("in weights", "in weights[:6]"),
        ("in weights", "in weights[1:]"),
        ("@ weight\n", "@ weight\n        x = norm(x)\n"),
    ],
    "08.parameters": [
        ("4 * D * (D + 1)", "4 * D * D"),
        ("4 * D * (D + 1)", "3 * D * (D + 1)"),
        ("4 * D * (D + 1)", "4 * D * D + 1"),
        (" + 4 * D", ""),
        (" + 4 * D", " + 2 * D"),
        (" + 4 * D", " + 4"),
        (" + 4 * D", " + 2 * F"),
        ("(D + 1) * F + (F + 1) * D", "2 * D * F"),
        ("(F + 1) * D", "F * D"),
        ("(D + 1) * F", "D * F"),
        (" + (F + 1) * D", ""),
        ("attention + network + 4 * D", "8 * (attention + network + 4 * D)"),
        ("D * (D + 1)", "512 * (D + 1)"),
        ("attention + network + 4 * D", "float(attention + network + 4 * D)"),
        ("(D + 1) * F", "(D + 1) * 4 * D"),
    ],
    "08.block": [
        ("return x + ", "return "),
        ("return x + ", "return y + "),
        ("return x + ", "return x.detach() + "),
        ("torch.relu(y @ self.inner)", "(y @ self.inner)"),
        ("torch.relu(y @ self.inner) @ self.outer", "torch.relu(y @ self.inner @ self.outer)"),
        ("torch.relu(", "torch.nn.functional.gelu("),
        (" * self.scale", ""),
        (" + self.bias", ""),
        ("variance + 1e-5", "variance + 1e-1"),
        ("x - x.mean(dim=-1, keepdim=True)", "x"),
        ("dim=-1", "dim=1"),
        ("torch.sqrt(variance + 1e-5)", "(variance + 1e-5)"),
        ("centered / torch", "centered.detach() / torch"),
        ("torch.relu(y @", "torch.relu(x @"),
        ("new(torch.ones(model_dim))", "torch.ones(model_dim)"),
    ],
}
