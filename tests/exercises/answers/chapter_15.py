"""Answers to the exercises of chapter 15."""

RIGHT = {
    "15.interpolate": {
        "numpy": """
            def f(x, t, most):
                n, length = x.shape[1] // 2, t.max() + 1
                t = t * min(1.0, most / length)
                a = t[:, None] * 10000.0 ** (-np.arange(n) / n)
                c, s, one, two = np.cos(a), np.sin(a), x[:, :n], x[:, n:]
                return np.hstack([one * c - two * s, one * s + two * c])
        """,
        "torch": """
            def f(x, t, most):
                n = x.shape[1] // 2
                t = t / max(1.0, float(t.max() + 1) / most)
                a = t[:, None] * 10000.0 ** (-torch.arange(n) / n)
                c, s = torch.cos(a), torch.sin(a)
                return torch.cat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)
        """,
        "tf": """
            def f(x, t, most):
                n = x.shape[1] // 2
                t = t / max(1.0, float(tf.reduce_max(t) + 1) / most)
                a = t[:, None] * 10000.0 ** (-tf.range(n, dtype=x.dtype) / n)
                c, s = tf.cos(a), tf.sin(a)
                return tf.concat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)
        """,
        "numpy 2": """
            def f(x, t, most):
                from attn_course.reference import rotary_frequencies, rotate
                factor = max(1.0, (t.max() + 1) / most)
                steps, _ = rotary_frequencies(x.shape[1], method='linear', factor=factor)
                return rotate(x, t, frequencies=steps)
        """,
    },
    "15.yarn": {
        "numpy": """
            def f(K, base, s, most):
                pairs = np.arange(K // 2)
                theta = base ** (-2 * pairs / K)
                low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
                low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
                ramp = np.clip((pairs - low) / (high - low), 0, 1)
                return theta * (1 - ramp) + theta / s * ramp
        """,
        "torch": """
            def f(K, base, s, most):
                pairs = torch.arange(K // 2, dtype=torch.float64)
                theta = base ** (-2 * pairs / K)
                low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
                low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
                return torch.lerp(theta, theta / s, ((pairs - low) / (high - low)).clamp(0, 1))
        """,
        "tf": """
            def f(K, base, s, most):
                pairs = tf.range(K // 2, dtype=tf.float64)
                theta = tf.pow(tf.constant(base, tf.float64), -2 * pairs / K)
                low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
                low, high = max(np.floor(low), 0), min(np.ceil(high), K - 1)
                ramp = tf.clip_by_value((pairs - low) / (high - low), 0, 1)
                return theta * (1 - ramp) + theta / s * ramp
        """,
        "numpy 2": """
            def f(K, base, s, most):
                from attn_course.reference import rotary_frequencies
                return rotary_frequencies(K, base=base, method='yarn', factor=s, trained_length=most)[0]
        """,
    },
    "15.base": {
        "numpy": "lambda K, base, s: base * s ** (K / (K - 2))",
        "torch": "lambda K, base, s: torch.tensor(base, dtype=torch.float64) * s ** (K / (K - 2))",
        "tf": "lambda K, base, s: tf.constant(base, tf.float64) * s ** (K / (K - 2))",
        "numpy 2": "lambda K, base, s: (base ** ((K - 2) / K) * s) ** (K / (K - 2))",
    },
    "15.turns": {
        "numpy": """
            def f(K, base, most):
                theta = base ** (-2 * np.arange(K // 2) / K)
                return int((most * theta < 2 * np.pi).sum())
        """,
        "torch": """
            def f(K, base, most):
                theta = base ** (-2 * torch.arange(K // 2, dtype=torch.float64) / K)
                return (most * theta < 2 * torch.pi).sum()
        """,
        "tf": """
            def f(K, base, most):
                theta = tf.pow(tf.constant(base, tf.float64), -2 * tf.range(K // 2, dtype=tf.float64) / K)
                return tf.math.count_nonzero(most * theta < 2 * np.pi)
        """,
        "numpy 2": "lambda K, base, most: sum(2 * np.pi * base ** (2 * p / K) > most for p in range(K // 2))",
    },
    "15.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, H):
                    super().__init__()
                    self.scale = torch.nn.Parameter(torch.zeros(H))
                    self.bias = torch.nn.Parameter(torch.zeros(H))
                def forward(self, query, positions):
                    grown = torch.log1p(positions.to(query.dtype))
                    return torch.einsum('bhtk,ht->bhtk', query, torch.outer(self.scale, grown) + self.bias[:, None])
        """,
    },
}

WRONG = {
    "15.interpolate": [
        ("min(1.0, most / length)", "most / length"),
        ("min(1.0, most / length)", "1.0"),
        ("min(1.0, most / length)", "max(1.0, most / length)"),
        ("min(1.0, most / length)", "min(1.0, length / most)"),
        ("t.max() + 1", "t.max()"),
        ("t.max() + 1", "len(t)"),
        ("t.max() + 1", "t[-1] + 1"),
        ("t * min(1.0, most / length)", "t % most"),
        ("t * min(1.0, most / length)", "np.minimum(t, most - 1)"),
        ("x[:, :n], x[:, n:]", "x[:, ::2], x[:, 1::2]"),
        ("one * c - two", "one * c + two"),
        ("10000.0 **", "10000.0 * max(1.0, length / most) **"),
        ("most / length", "4 / length"),
        ("[:, None]", "[:, None].round()"),
        ("return np.hstack(", "return np.squeeze("),
        """
        def f(x, t, most):
            from attn_course.reference import rotate
            return rotate(x, t // max(1.0, (t.max() + 1) / most))
        """,
        """
        def f(x, t, most):
            from attn_course.reference import rotate
            return rotate(x, t, base=10000.0 * max(1.0, (t.max() + 1) / most))
        """,
    ],
    "15.yarn": [
        ("theta * (1 - ramp) + theta / s * ramp", "theta / s"),
        ("theta * (1 - ramp) + theta / s * ramp", "theta"),
        ("theta * (1 - ramp) + theta / s * ramp", "theta * ramp + theta / s * (1 - ramp)"),
        ("theta / s * ramp", "theta * s * ramp"),
        ("np.clip((pairs - low) / (high - low), 0, 1)", "(pairs - low) / (high - low)"),
        ("np.clip((pairs - low) / (high - low), 0, 1)", "(pairs > low)"),
        ("(32, 1)", "(1, 32)"),
        ("(32, 1)", "(64, 2)"),
        ("2 * np.pi * n", "n"),
        ("np.floor(low)", "low"),
        ("np.ceil(high)", "high"),
        ("np.log(base)", "np.log(10000)"),
        ("most /", "2048 /"),
        ("-2 * pairs", "-pairs"),
        ("K / 2 *", "K *"),
        """
        def f(K, base, s, most):
            from attn_course.reference import rotary_frequencies
            return rotary_frequencies(K, base=base, method='llama3', factor=s, trained_length=most)[0]
        """,
        """
        def f(K, base, s, most):
            from attn_course.reference import rotary_frequencies
            return rotary_frequencies(K, base=base, method='ntk', factor=s)[0]
        """,
    ],
    "15.base": [
        ("s ** (K / (K - 2))", "s"),
        ("(K - 2)", "(K + 2)"),
        ("(K - 2)", "K"),
        ("K / (K - 2)", "(K - 2) / K"),
        ("(K - 2)", "(K - 1)"),
        ("base * s", "base / s"),
        ("base * s", "base + s"),
        ("base * s", "s"),
        ("base * s", "10000.0 * s"),
        ("base * s ** (K / (K - 2))", "(base * s) ** (K / (K - 2))"),
        ("K / (K - 2)", "128 / 126"),
        ("base * s ** (K / (K - 2))", "round(base * s ** (K / (K - 2)))"),
        ("s ** (K / (K - 2))", "s ** K / (K - 2)"),
        ("base * s", "base * 8.0"),
    ],
    "15.turns": [
        ("most * theta < 2 * np.pi", "most * theta > 2 * np.pi"),
        ("most * theta < 2 * np.pi", "most * theta < np.pi"),
        ("most * theta < 2 * np.pi", "most * theta < 1"),
        ("most * theta < 2 * np.pi", "most * theta < 360"),
        ("most * theta < 2 * np.pi", "theta < 2 * np.pi"),
        (".sum()", ".mean()"),
        ("int((most * theta < 2 * np.pi).sum())", "K // 2 - int((most * theta < 2 * np.pi).sum())"),
        ("int((most * theta < 2 * np.pi).sum())", "2 * int((most * theta < 2 * np.pi).sum())"),
        ("int((most * theta < 2 * np.pi).sum())", "float((most * theta < 2 * np.pi).sum())"),
        ("-2 * np.arange(K // 2)", "-np.arange(K // 2)"),
        ("-2 *", "2 *"),
        ("base **", "10000.0 **"),
        ("most * theta", "8192 * theta"),
        ("np.arange(K // 2)", "np.arange(K)"),
        "lambda K, base, most: int((base ** (-2 * np.arange(K // 2) / K) * (most - 1) < 6).sum())",
    ],
    "15.layer": [
        ("+ 1.0", "+ 2.0"),
        (" + self.bias[:, None]", ""),
        ("torch.log(positions + 1.0)", "positions + 1.0"),
        ("self.scale[:, None]", "self.scale.detach()[:, None]"),
        ("self.bias[:, None]", "self.bias.detach()[:, None]"),
        ("query * ", "query + "),
        ("query * ", "query.detach() * "),
        ("factor[:, :, None]", "factor[:1, :, None]"),
        ("self.scale", "self.own"),
        ("torch.nn.Parameter(torch.ones(num_heads))", "torch.ones(num_heads)"),
        ("torch.zeros(num_heads)", "torch.zeros(1)"),
    ],
}
