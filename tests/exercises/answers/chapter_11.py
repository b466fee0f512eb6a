"""Answers to the exercises of chapter 11."""

RIGHT = {
    "11.recurrent": {
        "numpy": """
            def f(q, k, v):
                q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
                state, total, out = 0, 0, []
                for t in range(len(q)):
                    state = state + np.outer(k[t], v[t])
                    total = total + k[t]
                    out.append(q[t] @ state / (q[t] @ total))
                return np.array(out)
        """,
        "numpy 2": """
            def f(q, k, v):
                from attn_course.reference import linear_attention
                return linear_attention(q, k, v, causal=True, epsilon=0.0)[0]
        """,
        "torch": """
            def f(q, k, v):
                q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))
                pairs = (q @ k.T).tril()
                return pairs @ v / pairs.sum(1, keepdim=True)
        """,
        "tf": """
            def f(q, k, v):
                q, k = tf.nn.elu(q) + 1, tf.nn.elu(k) + 1
                s = tf.cumsum(k[:, :, None] * v[:, None], axis=0)
                z = tf.cumsum(k, axis=0)
                return tf.einsum('tk,tkv->tv', q, s) / tf.reduce_sum(q * z, 1)[:, None]
        """,
    },
    "11.chunks": {
        "numpy": """
            def f(q, k, v, size):
                state, total, out = 0 * k.T @ v, 0 * k[0], []
                for i in range(0, len(q), size):
                    a, b, c = q[i : i + size], k[i : i + size], v[i : i + size]
                    pairs = np.tril(a @ b.T)
                    norm = pairs.sum(1) + a @ total
                    out.append((pairs @ c + a @ state) / norm[:, None])
                    state = state + b.T @ c
                    total = total + b.sum(0)
                return np.concatenate(out)
        """,
        "torch": """
            def f(q, k, v, size):
                pairs = (q @ k.T).tril()
                return pairs @ v / pairs.sum(1, keepdim=True)
        """,
        "tf": """
            def f(q, k, v, size):
                pairs = tf.linalg.band_part(tf.matmul(q, k, transpose_b=True), -1, 0)
                return pairs @ v / tf.reduce_sum(pairs, 1, keepdims=True)
        """,
        "numpy 2": """
            def f(q, k, v, size):
                pairs = np.tril(q @ k.T)
                return pairs @ v / pairs.sum(1)[:, None]
        """,
    },
    "11.delta": {
        "numpy": """
            def f(q, k, v, b, a):
                S, out = np.zeros((k.shape[1], v.shape[1])), []
                for t in range(len(q)):
                    S = a[t] * S
                    S = S + b[t] * np.outer(k[t], v[t] - k[t] @ S)
                    out.append(q[t] @ S)
                return np.array(out)
        """,
        "tf": """
            def f(q, k, v, b, a):
                S, out = tf.zeros((k.shape[1], v.shape[1]), k.dtype), []
                for t in range(q.shape[0]):
                    S = a[t] * S
                    missing = v[t] - tf.linalg.matvec(S, k[t], transpose_a=True)
                    S = S + b[t] * k[t][:, None] * missing
                    out.append(tf.linalg.matvec(S, q[t], transpose_a=True))
                return tf.stack(out)
        """,
        "numpy 2": """
            def f(q, k, v, b, a):
                from attn_course.reference import delta_rule_attention
                return delta_rule_attention(q, k, v, b, decay=a)[0]
        """,
        "torch": """
            def f(q, k, v, b, a):
                S = torch.zeros(k.shape[1], v.shape[1], dtype=k.dtype)
                out = []
                for t in range(len(q)):
                    erase = torch.eye(k.shape[1], dtype=k.dtype)
                    erase = erase - b[t] * torch.outer(k[t], k[t])
                    S = a[t] * erase @ S + b[t] * torch.outer(k[t], v[t])
                    out.append(q[t] @ S)
                return torch.stack(out)
        """,
    },
    "11.features": {
        "numpy": """
            def f(x, rows):
                y = x / x.shape[1] ** 0.25
                half = (y**2).sum(1, keepdims=True) / 2
                return np.exp(y @ rows.T - half) / np.sqrt(len(rows))
        """,
        "torch": """
            def f(x, rows):
                y = x / x.shape[1] ** 0.25
                return torch.exp(y @ rows.T - y.square().sum(1, keepdim=True) / 2) / len(rows) ** 0.5
        """,
        "numpy 2": """
            def f(x, rows):
                from attn_course.reference import softmax_features
                return softmax_features(x, rows)
        """,
        "tf": """
            def f(x, rows):
                y = x / x.shape[1] ** 0.25
                e = tf.matmul(y, rows, transpose_b=True) - tf.reduce_sum(y * y, 1)[:, None] / 2
                return tf.exp(e) * len(rows) ** -0.5
        """,
    },
    "11.overwrite": {
        "numpy": "lambda a, b, c: a + c * (b - c * a)",
        "torch": """
            def f(a, b, c):
                one, two = torch.tensor([1.0, 0.0]), torch.tensor([c, (1 - c * c) ** 0.5])
                state = one * a
                return one @ (state + two * (b - two @ state))
        """,
        "tf": "lambda a, b, c: tf.constant(a) + c * (b - c * a)",
        "numpy 2": "lambda a, b, c: (1 - c * c) * a + c * b",
    },
    "11.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, K, V):
                    super().__init__()
                    for name, shape in (('query', (D, K)), ('key', (D, K)), ('value', (D, V)), ('gate', (D,))):
                        setattr(self, name + '_weight', torch.nn.Parameter(torch.zeros(shape)))
                def forward(self, x):
                    q, k, v = x @ self.query_weight, x @ self.key_weight, x @ self.value_weight
                    g = torch.nn.functional.logsigmoid(x @ self.gate_weight).cumsum(1)
                    left = (g[:, :, None] - g[:, None]).exp().tril()
                    return (q @ k.mT * left) @ v
        """,
    },
}

WRONG = {
    "11.recurrent": [
        (" / (q[t] @ total)", ""),
        ("out.append(q[t] @ state / (q[t] @ total))\n", "pass\n"),
        ("np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))", "x"),
        ("np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))", "np.exp(x)"),
        ("x + 1", "x"),
        ("np.exp(np.minimum(x, 0))", "0"),
        ("np.exp(np.minimum(x, 0))", "np.exp(np.minimum(x, 0)) + 1"),
        ("state = state + ", "state = "),
        ("total = total + ", "total = "),
        ("(q[t] @ total)", "(t + 1)"),
        ("(q[t] @ total)", "np.sqrt(k.shape[1])"),
        ("np.outer(k[t], v[t])", "np.outer(v[t], k[t])"),
        ("range(len(q))", "range(11)"),
        ("    return np.array(out)", "    return np.array(out).squeeze()"),
        """
            def f(q, k, v):
                q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
                state, total, out = 0 * k.T @ v, 0 * k[0], []
                for t in range(len(q)):
                    out.append(q[t] @ state / (q[t] @ total + 1e-9))
                    state = state + np.outer(k[t], v[t])
                    total = total + k[t]
                return np.array(out)
        """,
        "lambda q, k, v: softmax(np.where(np.tri(len(q)) > 0, q @ k.T, -np.inf)) @ v",
        """
            def f(q, k, v):
                q, k = (np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))) for x in (q, k))
                return q @ (k.T @ v) / (q @ k.sum(0))[:, None]
        """,
    ],
    "11.chunks": [
        ("np.tril(a @ b.T)", "a @ b.T"),
        ("total + b.sum(0)", "b.sum(0)"),
        ("state + b.T @ c", "b.T @ c"),
        (" + a @ total", ""),
        (" + a @ state", ""),
        ("np.tril(a @ b.T)", "np.tril(a @ b.T, -1)"),
        (" / norm[:, None]", ""),
        ("pairs.sum(1) + ", ""),
        ("pairs @ c + ", ""),
        ("pairs.sum(1)", "pairs.sum(0)"),
        ("b.sum(0)", "b[-1]"),
        ("b.T @ c", "a.T @ c"),
        ("range(0, len(q), size)", "range(0, len(q) // size * size, size)"),
        ("np.tril(a @ b.T)", "np.triu(a @ b.T)"),
        ("pairs.sum(1) + a @ total", "np.sqrt(k.shape[1]) + 0 * pairs.sum(1)"),
        ("np.concatenate(out)", "np.array(out)"),
        ("np.concatenate(out)", "np.concatenate(out).squeeze()"),
        ("range(0, len(q), size)", "range(0, len(q), 3)"),
        """
            def f(q, k, v, size):
                pairs = np.tril(q @ k.T)
                same = np.arange(len(q)) // size
                pairs = pairs * (same[:, None] != same)
                return pairs @ v / np.maximum(pairs.sum(1), 1e-9)[:, None]
        """,
    ],
    "11.delta": [
        ("v[t] - k[t] @ S", "v[t]"),
        (
            "        S = a[t] * S\n        S = S + b[t] * np.outer(k[t], v[t] - k[t] @ S)",
            "        S = a[t] * S + b[t] * np.outer(k[t], v[t] - k[t] @ S)",
        ),
        ("b[t] * ", ""),
        ("a[t] * S\n", "S\n"),
        ("a[t] * S\n", "(1 - a[t]) * S\n"),
        ("b[t] * np.outer(k[t], v[t] - k[t] @ S)", "np.outer(k[t], b[t] * v[t] - k[t] @ S)"),
        ("v[t] - k[t] @ S", "v[t] + k[t] @ S"),
        ("v[t] - k[t] @ S", "v[t] - q[t] @ S"),
        ("out.append(q[t] @ S)", "out.append(q[t] @ S / np.sqrt(k.shape[1]))"),
        ("out.append(q[t] @ S)", "out.append(k[t] @ S)"),
        ("v[t] - k[t] @ S", "k[t] @ S - v[t]"),
        ("b[t] *", "a[t] *"),
        ("range(len(q))", "range(7)"),
        ("S + b[t]", "b[t]"),
        """
            def f(q, k, v, b, a):
                S, out = np.zeros((k.shape[1], v.shape[1])), []
                for t in range(len(q)):
                    out.append(q[t] @ S)
                    S = a[t] * S
                    S = S + b[t] * np.outer(k[t], v[t] - k[t] @ S)
                return np.array(out)
        """,
        ("np.array(out)", "np.squeeze(out)"),
        ("b[t]", "b[0]"),
        ("a[t]", "a[0]"),
    ],
    "11.features": [
        (" / np.sqrt(len(rows))", ""),
        ("np.sqrt(len(rows))", "len(rows)"),
        ("0.25", "0.5"),
        (" / x.shape[1] ** 0.25", ""),
        (" - half", ""),
        (" / 2", ""),
        ("y**2", "x**2"),
        ("- half", "+ half"),
        ("len(rows)", "x.shape[1]"),
        ("np.exp(y @ rows.T - half)", "(y @ rows.T - half)"),
        ("np.exp(y @ rows.T - half)", "np.cos(y @ rows.T)"),
        ("sum(1, keepdims=True)", "sum(0)"),
        ("sum(1, keepdims=True)", "sum()"),
        ("y @ rows.T", "x @ rows.T"),
        ("(y**2).sum(1, keepdims=True)", "(rows**2).sum(1)"),
        ("len(rows)", "16"),
        (
            "np.exp(y @ rows.T - half) / np.sqrt(len(rows))",
            "np.squeeze(np.exp(y @ rows.T - half) / np.sqrt(len(rows)))",
        ),
        ("np.exp(y @ rows.T - half)", "np.exp(y @ rows.T - half - (y @ rows.T - half).max())"),
    ],
    "11.overwrite": [
        ("a + c * (b - c * a)", "a + c * b"),
        ("a + c * (b - c * a)", "a"),
        ("c * (b - c * a)", "c * (b - a)"),
        ("a + c * (b - c * a)", "b"),
        ("a + c * (b - c * a)", "c * (b - c * a)"),
        ("b - c", "b + c"),
        ("c * (b - c * a)", "(b - c * a)"),
        ("a + c * (b - c * a)", "b + c * (a - c * b)"),
        ("a + c * (b - c * a)", "(a + b) / 2"),
        ("a + c * (b - c * a)", "(1 - c) * a + c * b"),
        ("c * (", "c * c * ("),
        ("c * (b - c * a)", "0.6 * (b - 0.6 * a)"),
        ("a + c * (b - c * a)", "c * b"),
        ("a + c * (b - c * a)", "c * a + b - c * c * b"),
        ("a + c * (b - c * a)", "(1 - c**2) * a + b"),
    ],
    "11.layer": [
        ("* state + write", "+ state + write"),
        ("torch.sigmoid(x @ self.gate_weight)", "x @ self.gate_weight"),
        ("state = decay[:, t, None, None] * state + write", "state = write"),
        ("decay[:, t,", "decay[:, 0,"),
        ("query[:, t : t + 1] @ state", "key[:, t : t + 1] @ state"),
        ("* value[:, t, None]", "* value[:, 0, None]"),
        ("key[:, t, :, None]", "key[:, t - 1, :, None]"),
        ("self.key_weight", "self.own_weight"),
        ("x @ self.value_weight", "x.detach() @ self.value_weight"),
        ("torch.cat(outputs, dim=1)", "torch.cat(outputs[::-1], dim=1)"),
        ("outputs.append(query[:, t : t + 1] @ state)", "outputs.append(query[:, t : t + 1] @ write)"),
    ],
}
