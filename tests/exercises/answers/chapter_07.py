"""Answers to the exercises of chapter 7."""

RIGHT = {
    "07.rotate": {
        "numpy": """
            def f(x, t):
                n = x.shape[1] // 2
                a = t[:, None] * 10000.0 ** (-np.arange(n) / n)
                c, s, one, two = np.cos(a), np.sin(a), x[:, :n], x[:, n:]
                return np.hstack([one * c - two * s, one * s + two * c])
        """,
        "torch": """
            def f(x, t):
                n = x.shape[1] // 2
                a = t[:, None] * 10000.0 ** (-torch.arange(n) / n)
                c, s = torch.cos(a), torch.sin(a)
                return torch.cat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)
        """,
        "tf": """
            def f(x, t):
                n = x.shape[1] // 2
                i = tf.range(n, dtype=x.dtype)
                a = t[:, None] * 10000.0 ** (-i / n)
                c, s = tf.cos(a), tf.sin(a)
                return tf.concat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)
        """,
        "numpy 2": """
            def f(x, t):
                n = x.shape[1] // 2
                z = x[:, :n] + 1j * x[:, n:]
                z = z * np.exp(1j * t[:, None] * 10000.0 ** (-np.arange(n) / n))
                return np.hstack([z.real, z.imag])
        """,
    },
    "07.distances": {
        "numpy": """
            def f(q, table):
                T, k = len(q), len(table) // 2
                d = np.arange(T) - np.arange(T)[:, None]
                rows = np.clip(d, -k, k) + k
                return (q[:, None] * table[rows]).sum(-1)
        """,
        "tf": """
            def f(q, table):
                T, k = q.shape[0], table.shape[0] // 2
                i = tf.range(T)
                rows = tf.gather(table, tf.clip_by_value(i - i[:, None], -k, k) + k)
                return tf.einsum('tk,tsk->ts', q, rows)
        """,
        "numpy 2": """
            def f(q, a):
                T, k = len(q), len(a) // 2
                s = q @ a.T
                return np.array([[s[i, min(max(j - i, -k), k) + k] for j in range(T)] for i in range(T)])
        """,
        "torch": """
            def f(q, a):
                T, k = len(q), len(a) // 2
                i = torch.arange(T)
                return (q @ a.T).gather(1, (i - i[:, None]).clamp(-k, k) + k)
        """,
    },
    "07.alibi": {
        "numpy": """
            def f(q, k, v):
                H, T, K = q.shape
                S, near = k.shape[1], 2 ** int(np.log2(H))
                slopes = 2.0 ** (-8 * np.arange(1, near + 1) / near)
                more = 2.0 ** (-4 * np.arange(1, 2 * near + 1) / near)
                slopes = np.concatenate([slopes, more[::2]])[:H]
                d = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
                s = q @ k.swapaxes(1, 2) / np.sqrt(K) - slopes[:, None, None] * d
                return softmax(s) @ v
        """,
        "torch": """
            def f(q, k, v):
                H, T, S = len(q), q.shape[1], k.shape[1]
                near = 2 ** (H.bit_length() - 1)
                powers = [8 * (h + 1) / near for h in range(near)] + [4 * (2 * h + 1) / near for h in range(near)]
                slopes = 2.0 ** -torch.tensor(powers[:H], dtype=q.dtype)
                d = (torch.arange(S) - torch.arange(S - T, S)[:, None]).abs()
                bias = -slopes[:, None, None] * d
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        """,
        "tf": """
            def f(q, k, v):
                H, T, S = q.shape[0], q.shape[1], k.shape[1]
                near = 2 ** (H.bit_length() - 1)
                powers = [8 * (h + 1) / near for h in range(near)] + [4 * (2 * h + 1) / near for h in range(near)]
                slopes = 2.0 ** -tf.constant(powers[:H], q.dtype)
                d = tf.abs(tf.range(S) - tf.range(S - T, S)[:, None])
                s = tf.matmul(q, k, transpose_b=True) / q.shape[2] ** 0.5
                return tf.nn.softmax(s - slopes[:, None, None] * tf.cast(d, q.dtype)) @ v
        """,
        "numpy 2": """
            def f(q, k, v):
                from attn_course.reference import alibi_bias
                H, T, K = q.shape
                return softmax(q @ k.swapaxes(1, 2) / np.sqrt(K) + alibi_bias(H, T, k.shape[1])) @ v
        """,
    },
    "07.wavelength": {
        "numpy": "lambda i, K, base: 2 * np.pi * base ** (2 * i / K)",
        "torch": "lambda i, K, base: 2 * torch.pi * torch.tensor(base, dtype=torch.float64) ** (2 * i / K)",
        "tf": "lambda i, K, base: 2 * np.pi * tf.pow(tf.constant(base, tf.float64), 2 * i / K)",
        "numpy 2": "lambda i, K, base: 2 * np.pi / base ** (-2 * i / K)",
    },
    "07.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, length, D):
                    super().__init__()
                    self.table = torch.nn.Parameter(torch.zeros(length, D))
                def forward(self, x, positions):
                    return torch.nn.functional.embedding(positions, self.table) + x
        """,
        "tf": """
            class Own(keras.layers.Layer):
                def __init__(self, length, D):
                    super().__init__()
                    self.table = self.add_weight((length, D))
                def call(self, x, positions):
                    return x + tf.one_hot(positions, self.table.shape[0], dtype=x.dtype) @ self.table
        """,
    },
}

WRONG = {
    "07.rotate": [
        ("x[:, :n], x[:, n:]", "x[:, ::2], x[:, 1::2]"),
        ("np.cos(a), np.sin(a)", "np.sin(a), np.cos(a)"),
        ("one * c - two * s, one * s + two * c", "one * c + two * s, two * c - one * s"),
        ("one * c - two", "one * c + two"),
        ("/ n)", "/ x.shape[1])"),
        ("/ n)", "/ n * 2)"),
        ("(-np.arange", "(np.arange"),
        ("10000.0", "1000.0"),
        ("t[:, None]", "(t[:, None] + 1)"),
        ("t[:, None]", "np.arange(len(t))[:, None]"),
        ("t[:, None]", "(t[0] + np.arange(len(t)))[:, None]"),
        ("t[:, None]", "t[:, None].astype(int)"),
        ("(-np.arange(n) / n)", "(0 * np.arange(n))"),
        ("[one * c - two * s, one * s + two * c]", "[one * s + two * c, one * c - two * s]"),
        (
            "return np.hstack([one * c - two * s, one * s + two * c])",
            "return x + np.hstack([one * c - two * s, one * s + two * c])",
        ),
        (
            "np.hstack([one * c - two * s, one * s + two * c])",
            "np.squeeze(np.hstack([one * c - two * s, one * s + two * c]))",
        ),
        """
            def f(x, t):
                n = x.shape[1] // 2
                a = t[:, None] * 10000.0 ** (-np.arange(n) / n)
                x[:, :n] = x[:, :n] * np.cos(a) - x[:, n:] * np.sin(a)
                x[:, n:] = x[:, :n] * np.sin(a) + x[:, n:] * np.cos(a)
                return x
        """,
    ],
    "07.distances": [
        ("np.arange(T) - np.arange(T)[:, None]", "np.arange(T)[:, None] - np.arange(T)"),
        ("np.clip(d, -k, k)", "d"),
        (" + k\n", "\n"),
        (".sum(-1)", ".sum(-1).T"),
        (".sum(-1)", ".sum(-1) / np.sqrt(q.shape[1])"),
        ("q[:, None]", "q[None]"),
        ("np.clip(d,", "np.clip(abs(d),"),
        ("-k, k)", "1 - k, k - 1)"),
        ("-k, k)", "-k, k - 1)"),
        ("np.clip(d, -k, k)", "np.minimum(d, k)"),
        ("np.clip(d, -k, k)", "d % (k + 1)"),
        ("(q[:, None] * table[rows]).sum(-1)", "softmax((q[:, None] * table[rows]).sum(-1))"),
        ("(q[:, None] * table[rows]).sum(-1)", "(q[:, None] * table[rows]).sum(-1) * (abs(d) <= k)"),
        ("len(table) // 2", "3"),
        ("len(table) // 2", "len(table)"),
        (".sum(-1)", ".sum(-1).squeeze()"),
        ("(q[:, None] * table[rows]).sum(-1)", "table[rows]"),
    ],
    "07.alibi": [
        ("np.concatenate([slopes, more[::2]])[:H]", "2.0 ** (-8 * np.arange(1, H + 1) / H)"),
        (" / np.sqrt(K) - slopes[:, None, None] * d", " - slopes[:, None, None] * d / np.sqrt(K)"),
        (
            "q @ k.swapaxes(1, 2) / np.sqrt(K) - slopes[:, None, None] * d",
            "(q @ k.swapaxes(1, 2) - slopes[:, None, None] * d) / np.sqrt(K)",
        ),
        ("np.arange(S - T, S)", "np.arange(T)"),
        (" - slopes", " + slopes"),
        (" - slopes[:, None, None] * d", ""),
        (" / np.sqrt(K)", ""),
        ("[:H]", "[:H][::-1]"),
        ("more[::2]", "more[1::2]"),
        ("[:H]\n", "[:H]\n    slopes = np.sort(slopes)[::-1]\n"),
        ("np.concatenate([slopes, more[::2]])[:H]", "more[:H]"),
        ("np.arange(1, near + 1)", "np.arange(near)"),
        ("np.abs(np", "(np"),
        ("* d\n", "* d**2\n"),
        ("softmax(s)", "softmax(s, 1)"),
        ("-8 *", "-4 *"),
        ("softmax(s) @ v", "np.squeeze(softmax(s) @ v)"),
        ("softmax(s)", "(np.exp(s) / np.exp(s).sum(-1, keepdims=True))"),
        """
            def f(q, k, v):
                from attn_course.reference import alibi_bias
                H, T, K = q.shape
                known = {4, 6, 12}
                bias = alibi_bias(H if H in known else 8, T, k.shape[1])[:H]
                return softmax(q @ k.swapaxes(1, 2) / np.sqrt(K) + bias) @ v
        """,
    ],
    "07.wavelength": [
        ("2 * np.pi * ", ""),
        ("2 * np.pi", "np.pi"),
        ("2 * np.pi", "360"),
        ("2 * np.pi * ", "2 * np.pi / "),
        ("2 * i", "-2 * i"),
        ("2 * i", "i"),
        ("2 * i", "4 * i"),
        ("2 * i", "2 * (i + 1)"),
        ("2 * i", "2 * (i - 1)"),
        ("base **", "10000 **"),
        ("/ K", "/ 64"),
        ("/ K", "/ (K // 2)"),
        ("2 * np.pi * base ** (2 * i / K)", "base ** (-2 * i / K)"),
        ("2 * np.pi * base ** (2 * i / K)", "round(2 * np.pi * base ** (2 * i / K))"),
        ("2 * np.pi * base ** (2 * i / K)", "2 * np.pi * base"),
    ],
    "07.layer": [
        ("[positions]", "[:len(positions)]"),
        ("x + ", ""),
        ("self.table[", "self.table.detach()["),
        ("x + ", "x * "),
        ("self.table", "self.own"),
        ("(length, model_dim)", "(model_dim, length)"),
        ("[positions]", "[positions - 1]"),
        ("x + ", "x.detach() + "),
        ("[positions]", "[positions[0]]"),
        ("x + ", "2 * x + "),
    ],
}
