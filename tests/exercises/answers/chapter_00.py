"""Answers to the exercises of chapter 0."""

RIGHT = {
    "00.weights": {
        "numpy": """
            def f(s):
                e = np.exp(s - s.max(1, keepdims=True))
                return e / e.sum(1, keepdims=True)
        """,
        "numpy 2": """
            def f(score):
                e = np.exp(score - score.max(1)[:, None])
                return (e.T / e.sum(1)).T
        """,
        "torch": "lambda score: torch.softmax(score, 1)",
        "tf": "lambda score: tf.nn.softmax(tf.cast(score, tf.float32))",
        "numpy 3": "lambda score: [[float(x) for x in softmax(row)] for row in score]",
    },
    "00.average": {
        "numpy": "lambda w, v: w @ v",
        "tf": "lambda w, v: tf.einsum('ts,sv->tv', w, v)",
        "numpy 2": "lambda w, v: np.einsum('ts,sv->tv', w, v)",
        "torch": """
            def f(w, v):
                out = torch.zeros(len(w), v.shape[1])
                out[:] = w @ v
                return out
        """,
    },
    "00.soft_lookup": {
        "numpy": """
            def f(q, k, v):
                s = q @ k.T / np.sqrt(k.shape[1])
                e = np.exp(s - s.max(1, keepdims=True))
                return e / e.sum(1, keepdims=True) @ v
        """,
        "torch": "lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        "tf": """
            def f(q, k, v):
                s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5
                return tf.nn.softmax(s) @ v
        """,
        "numpy 2": """
            def f(q, k, v):
                out = np.zeros((len(q), v.shape[1]), np.float32)
                for i, one in enumerate(q):
                    s = k @ one / k.shape[1] ** 0.5
                    e = np.exp(s - s.max())
                    out[i] = e / e.sum() @ v
                return out
        """,
    },
    "00.multiplications": {
        "numpy": "lambda T, S, K, V: T * S * K + T * S * V",
        "torch": "lambda T, S, K, V: torch.tensor(T * S) * (K + V)",
        "tf": "lambda T, S, K, V: tf.constant(T * S) * (K + V)",
        "numpy 2": "lambda T, S, K, V: T * S * (K + V)",
        "numpy 3": "lambda T, S, K, V: sum(K + V for _ in range(T * S))",
        "numpy 4": "lambda T, S, K, V: np.array(T * S * (K + V))",
    },
    "00.largest_weight": {
        "numpy": """
            def f(gap, n):
                s = np.zeros(n)
                s[0] = gap
                e = np.exp(s - s.max())
                return (e / e.sum()).max()
        """,
        "torch": """
            def f(gap, n):
                s = torch.zeros(n)
                s[0] = gap
                return torch.softmax(s, 0).max()
        """,
        "tf": "lambda gap, n: tf.reduce_max(tf.nn.softmax(tf.concat([[gap], tf.zeros(n - 1)], 0)))",
        "numpy 2": """
            def f(gap, n):
                m = max(gap, 0.0) if n > 1 else gap
                a, b = np.exp(gap - m), np.exp(-m)
                if n == 1:
                    return 1.0
                return max(a, b) / (a + (n - 1) * b)
        """,
    },
}

WRONG = {
    "00.weights": [
        ("s - s.max(1, keepdims=True)", "s"),
        ("s.max(1, keepdims=True)", "s.max()"),
        ("s.max(1, keepdims=True)", "s.max(0)"),
        ("s.max(1, keepdims=True)", "700"),
        ("s - s.max(1, keepdims=True)", "np.clip(s, -50, 50)"),
        ("(s - s.max(1, keepdims=True))", "((s - s.max(1, keepdims=True)) / np.sqrt(s.shape[1]))"),
        ("e.sum(1, keepdims=True)", "e.sum(0)"),
        ("e.sum(1, keepdims=True)", "e.sum()"),
        ("e.sum(1, keepdims=True)", "s.shape[1]"),
        (" / e.sum(1, keepdims=True)", ""),
        ("e / e.sum(1, keepdims=True)", "np.squeeze(e / e.sum(1, keepdims=True))"),
        ("    e = np", "    s -= s.max(1, keepdims=True)\n    e = np"),
        "lambda s: softmax(s.T).T",
        "lambda s: s / s.sum(1, keepdims=True)",
        "lambda s: np.eye(s.shape[1])[s.argmax(1)]",
        "lambda s: np.log(softmax(s))",
    ],
    "00.average": [
        ("w @ v", "np.squeeze(w @ v)"),
        ("w @ v", "w.T @ v"),
        ("w @ v", "(w @ v).T"),
        ("w @ v", "w @ v / len(v)"),
        ("w @ v", "w @ v / w.sum(1, keepdims=True)"),
        ("w @ v", "softmax(w) @ v"),
        ("w @ v", "(w @ v).round(2)"),
        ("w @ v", "v[w.argmax(1)]"),
        "lambda w, v: (w[:, :, None] * v).mean(axis=1)",
        "lambda w, v: (w[:, :, None] * v).sum(axis=0)",
        "lambda w, v: (w[:, :, None] * v).sum(axis=2)",
        "lambda w, v: np.repeat([v.mean(0)], len(w), 0)",
        "lambda w, v: np.repeat([w[0] @ v], len(w), 0)",
        """
            def f(w, v):
                w /= np.maximum(w.sum(1, keepdims=True), 1e-9)
                return w @ v
        """,
        """
            def f(w, v):
                out = np.zeros_like(v)
                for i, row in enumerate(w):
                    out[i] = row @ v
                return out
        """,
    ],
    "00.soft_lookup": [
        ("s - s.max(1, keepdims=True)", "s"),
        ("s.max(1, keepdims=True)", "s.max()"),
        ("s.max(1, keepdims=True)", "s.max(0)"),
        (" / np.sqrt(k.shape[1])", ""),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("np.sqrt(k.shape[1])", "2"),
        ("k.shape[1]", "len(k)"),
        ("k.shape[1]", "v.shape[1]"),
        ("k.T / np", "k.T * np"),
        ("q @ k.T", "k @ q.T"),
        ("(1, keepdims", "(0, keepdims"),
        ("e.sum(1, keepdims=True)", "e.sum()"),
        (" / e.sum(1, keepdims=True)", ""),
        (" @ v", " @ k"),
        (" @ v", ""),
        ("e / e.sum(1, keepdims=True) @ v", "np.squeeze(e / e.sum(1, keepdims=True) @ v)"),
        ("e / e.sum(1, keepdims=True) @ v", "v[s.argmax(1)]"),
        ("    s = q", "    q /= np.sqrt(k.shape[1])\n    s = q"),
    ],
    "00.multiplications": [
        (" + T * S * V", ""),
        ("T * S * K + ", ""),
        ("T * S * K + T * S * V", "T * S * K * V"),
        ("T * S * K + T * S * V", "2 * T * S * (K + V)"),
        ("T * S * K + T * S * V", "T * S * (K + V) / 1"),
        ("T * S * K + T * S * V", "T * S * (K - 1 + V)"),
        ("T * S * K + T * S * V", "T * S * (K + 1 + V)"),
        ("T * S * V", "T * S * K"),
        ("T * S * V", "T * K * V"),
        ("T * S * V", "S * K * V"),
        ("T * S", "S * S"),
        ("T * S", "T * T"),
        ("T * S", "(T + S)"),
        ("T * S * K + T * S * V", "128 * T * S"),
    ],
    "00.largest_weight": [
        ("s - s.max()", "s"),
        ("(e / e.sum()).max()", "(e / e.sum())[0]"),
        ("(e / e.sum()).max()", "(e / e.sum()).min()"),
        ("(e / e.sum()).max()", "(e / e.sum()).mean()"),
        ("(e / e.sum()).max()", "e / e.sum()"),
        ("(e / e.sum()).max()", "e.max()"),
        ("np.zeros(n)", "np.zeros(n + 1)"),
        ("np.zeros(n)", "np.zeros(100)"),
        ("np.zeros(n)", "np.ones(n)"),
        ("s[0] = gap", "s[:] = gap"),
        ("s[0] = gap", "s[0] = 5"),
        ("s[0] = gap", "s[0] = abs(gap)"),
        ("(e / e.sum()).max()", "round((e / e.sum()).max(), 3)"),
        "lambda gap, n: 1 / (1 + np.exp(-gap))",
        "lambda gap, n: 1 / (1 + (n - 1) * np.exp(-gap))",
        "lambda gap, n: 1 / (1 + n * np.exp(-gap))",
        "lambda gap, n: max(gap, 0.0)",
    ],
}
