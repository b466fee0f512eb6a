"""Answers to the exercises of chapter 1."""

RIGHT = {
    "01.padding_mask": {
        "numpy": "lambda n, size: np.arange(size) < n[:, None]",
        "numpy 2": "lambda n, size: np.array([[j < each for j in range(size)] for each in n])",
        "torch": "lambda n, size: torch.arange(size) < n[:, None]",
        "tf": "lambda n, size: tf.sequence_mask(n, size)",
        "numpy 3": """
            def f(n, size):
                m = np.zeros((len(n), size), bool)
                for row, each in zip(m, n):
                    row[:each] = True
                return m
        """,
    },
    "01.last_state": {
        "numpy": "lambda h, m: h[np.arange(len(h)), m.sum(1) - 1]",
        "numpy 2": "lambda h, m: h[np.arange(len(h)), m.argmin(1) - 1]",
        "numpy 3": """
            def f(h, m):
                last = m.shape[1] - 1 - m[:, ::-1].argmax(axis=1)
                return h[np.arange(len(h)), last]
        """,
        "torch": "lambda h, m: h[torch.arange(len(h)), m.sum(1) - 1]",
        "torch 2": """
            def f(h, m):
                out = torch.zeros(h.shape[0], h.shape[2])
                for b in range(len(h)):
                    out[b] = h[b][m[b]][-1]
                return out
        """,
        "tf": """
            def f(h, m):
                last = tf.reduce_sum(tf.cast(m, tf.int32), 1) - 1
                return tf.cast(tf.gather(h, last, batch_dims=1), tf.float32)
        """,
    },
    "01.decoder_input": {
        "numpy": """
            def f(t, begin):
                first = np.full_like(t[:, :1], begin)
                return np.concatenate([first, t[:, :-1]], 1)
        """,
        "numpy 2": """
            def f(t, begin):
                out = np.roll(t, 1, axis=1)
                out[:, 0] = begin
                return out
        """,
        "torch": "lambda t, begin: torch.nn.functional.pad(t[:, :-1], (1, 0), value=begin)",
        "tf": "lambda t, begin: tf.pad(t[:, :-1], ((0, 0), (1, 0)), constant_values=begin)",
        "numpy 3": "lambda t, begin: np.insert(t, 0, begin, axis=1)[:, :-1].astype(np.int32)",
    },
    "01.run": {
        "numpy": """
            def f(x, W, U, m):
                h = np.zeros((len(x), len(U)))
                for t in range(x.shape[1]):
                    h = np.where(m[:, t, None], np.tanh(x[:, t] @ W + h @ U), h)
                return h
        """,
        "torch": """
            def f(x, W, U, m):
                h = x.new_zeros(len(x), len(U))
                for t in range(x.shape[1]):
                    h = torch.where(m[:, t, None], torch.tanh(x[:, t] @ W + h @ U), h)
                return h
        """,
        "tf": """
            def f(x, W, U, m):
                h = tf.zeros((x.shape[0], U.shape[0]), x.dtype)
                for t in range(x.shape[1]):
                    h = tf.where(m[:, t, None], tf.tanh(x[:, t] @ W + h @ U), h)
                return h
        """,
        "numpy 2": """
            def f(x, W, U, m):
                out = []
                for one, keep in zip(x, m):
                    h = np.zeros(len(U))
                    for word in one[keep]:
                        h = np.tanh(word @ W + h @ U)
                    out.append(h)
                return out
        """,
    },
    "01.influence": {
        "numpy": "lambda a, n: a ** (n - 1)",
        "torch": "lambda a, n: torch.tensor(a) ** (n - 1)",
        "tf": "lambda a, n: tf.reduce_prod(tf.fill((n - 1,), a))",
        "numpy 2": """
            def f(a, n):
                x = 1.0
                for _ in range(n - 1):
                    x = a * x
                return x
        """,
        "numpy 3": """
            def f(a, n):
                def end(x):
                    s = 0.0
                    for t in range(n):
                        s = a * s + (x if t == 0 else 1.0)
                    return s
                return (end(1.5) - end(-0.5)) / 2
        """,
    },
}

WRONG = {
    "01.padding_mask": [
        (" < ", " <= "),
        (" < ", " >= "),
        (" < ", " > "),
        (" < ", " == "),
        ("np.arange(size)", "np.arange(1, size + 1)"),
        ("np.arange(size)", "np.arange(n.max())"),
        ("np.arange(size)", "np.arange(11)"),
        ("np.arange(size)", "np.arange(size)[::-1]"),
        ("n[:, None]", "n[0]"),
        ("n[:, None]", "np.maximum(n, 1)[:, None]"),
        ("n[:, None]", "n.max() + 0 * n[:, None]"),
        ("np.arange(size) < n[:, None]", "np.squeeze(np.arange(size) < n[:, None])"),
        ("np.arange(size) < n[:, None]", "(np.arange(size) < n[:, None]).astype(int)"),
        "lambda n, size: np.arange(size)[:, None] < n",
        "lambda n, size: np.tri(len(n), size, dtype=bool)",
        "lambda n, size: np.ones((len(n), size), bool)",
    ],
    "01.last_state": [
        ("m.sum(1) - 1", "-1"),
        ("m.sum(1) - 1", "m.sum(1)"),
        ("m.sum(1) - 1", "m.sum(1) - 2"),
        ("m.sum(1) - 1", "0"),
        ("m.sum(1) - 1", "m.sum(0) - 1"),
        ("m.sum(1) - 1", "m.sum(1).max() - 1"),
        ("m.sum(1) - 1", "m.argmax(1)"),
        ("m.sum(1) - 1", "m.argmin(1)"),
        ("m.sum(1) - 1", "6"),
        ("np.arange(len(h))", ":"),
        ("np.arange(len(h))", "0"),
        "lambda h, m: np.squeeze(h[np.arange(len(h)), m.sum(1) - 1])",
        "lambda h, m: (h * m[..., None]).sum(1)",
        "lambda h, m: (h * m[..., None]).sum(1) / m.sum(1)[:, None]",
        "lambda h, m: (h * m[..., None])[:, -1]",
        "lambda h, m: np.where(m[..., None], h, -np.inf).max(1)",
        "lambda h, m: h.mean(1)",
        "lambda h, m: h[m]",
    ],
    "01.decoder_input": [
        ("np.full_like(t[:, :1], begin)", "np.ones_like(t[:, :1])"),
        ("np.full_like(t[:, :1], begin)", "np.zeros_like(t[:, :1])"),
        ("np.full_like(t[:, :1], begin)", "t[:, :1]"),
        ("t[:, :-1]", "t"),
        ("t[:, :-1]", "t[:, 1:]"),
        ("t[:, :-1]", "t[:, :-2]"),
        ("[first, t[:, :-1]]", "[t[:, 1:], first]"),
        ("[first, t[:, :-1]]", "[t[:, :-1], first]"),
        ("], 1)", "], 1).astype(float)"),
        ("], 1)", "], 1).squeeze()"),
        ("], 1)", "], 1).clip(0, 200)"),
        "lambda t, begin: t",
        "lambda t, begin: np.roll(t, -1, axis=1)",
        "lambda t, begin: np.roll(t, 1, axis=1)",
        "lambda t, begin: np.roll(t, 1, axis=0)",
        """
            def f(t, begin):
                t[:, 0] = begin
                return t
        """,
        """
            def f(t, begin):
                t[:, 1:] = t[:, :-1].copy()
                t[:, 0] = begin
                return t
        """,
    ],
    "01.run": [
        ("range(x.shape[1])", "range(11)"),
        ("range(x.shape[1])", "range(1, x.shape[1])"),
        ("range(x.shape[1])", "range(x.shape[1] - 1)"),
        ("range(x.shape[1])", "reversed(range(x.shape[1]))"),
        ("range(x.shape[1])", "range(m.sum(1).min())"),
        ("np.where(m[:, t, None], np.tanh(x[:, t] @ W + h @ U), h)", "np.tanh(x[:, t] @ W + h @ U)"),
        ("h @ U), h)", "h @ U), 0)"),
        ("np.tanh", ""),
        (" + h @ U", ""),
        ("h @ U", "h @ U.T"),
        ("np.zeros", "np.ones"),
        ("m[:, t, None]", "~m[:, t, None]"),
        ("m[:, t, None]", "m[:1, t, None]"),
        ("return h", "return np.squeeze(h)"),
        ("np.tanh(", "np.maximum(0, "),
        ("h = np.where", "h = h + np.where"),
        ("np.tanh(x[:, t] @ W + h @ U)", "np.tanh(x[:, t] @ W) + np.tanh(h @ U)"),
    ],
    "01.influence": [
        ("n - 1", "n"),
        ("n - 1", "n - 2"),
        ("n - 1", "29"),
        ("a **", "0.9 **"),
        ("a **", "abs(a) **"),
        ("a **", "a *"),
        ("a ** (n - 1)", "1 - a ** (n - 1)"),
        ("a ** (n - 1)", "(1 - a**n) / (1 - a)"),
        ("a ** (n - 1)", "np.exp(-a * (n - 1))"),
        ("a ** (n - 1)", "np.exp((n - 1) * np.log(a))"),
        ("a ** (n - 1)", "a"),
        ("a ** (n - 1)", "(n - 1) ** a"),
        ("a ** (n - 1)", "round(a ** (n - 1), 2)"),
        ("a ** (n - 1)", "(1 - a) * a ** (n - 1)"),
        ("a ** (n - 1)", "max(a ** (n - 1), 0)"),
    ],
}
