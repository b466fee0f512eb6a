"""Answers to the exercises of chapter 13."""

RIGHT = {
    "13.grouped": {
        "numpy": """
            def f(q, k, v):
                n, T, S = len(q) // len(k), q.shape[1], k.shape[1]
                k, v = np.repeat(k, n, 0), np.repeat(v, n, 0)
                s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
                seen = np.tri(T, S, S - T, dtype=bool)
                return softmax(np.where(seen, s, -np.inf)) @ v
        """,
        "tf": """
            def f(q, k, v):
                n, T, S = q.shape[0] // k.shape[0], q.shape[1], k.shape[1]
                k, v = tf.repeat(k, n, 0), tf.repeat(v, n, 0)
                s = tf.matmul(q, k, transpose_b=True) / q.shape[2] ** 0.5
                seen = tf.range(S) <= tf.range(T)[:, None] + S - T
                return tf.nn.softmax(tf.where(seen, s, -np.inf)) @ v
        """,
        "torch": """
            def f(q, k, v):
                T, S = q.shape[1], k.shape[1]
                mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)
                return torch.nn.functional.scaled_dot_product_attention(
                    q[None], k[None], v[None], mask, enable_gqa=True)[0]
        """,
        "numpy 2": """
            def f(q, k, v):
                n, (T, S) = len(q) // len(k), (q.shape[1], k.shape[1])
                k, v = np.repeat(k, n, 0), np.repeat(v, n, 0)
                s = np.einsum('htk,hsk->hts', q, k) * k.shape[2] ** -0.5
                s[:, ~np.tri(T, S, S - T, dtype=bool)] = -np.inf
                return softmax(s) @ v
        """,
    },
    "13.decode": {
        "numpy": """
            def f(q, k, v, past_k, past_v):
                n = len(q) // len(k)
                keys = np.concatenate([past_k, k[:, None]], 1).repeat(n, 0)
                values = np.concatenate([past_v, v[:, None]], 1).repeat(n, 0)
                s = (keys @ q[:, :, None])[:, :, 0] / np.sqrt(q.shape[1])
                return (softmax(s)[:, None] @ values)[:, 0]
        """,
        "torch": """
            def f(q, k, v, past_k, past_v):
                keys, values = torch.cat([past_k, k[:, None]], 1), torch.cat([past_v, v[:, None]], 1)
                return torch.nn.functional.scaled_dot_product_attention(
                    q[None, :, None], keys[None], values[None], enable_gqa=True)[0, :, 0]
        """,
        "tf": """
            def f(q, k, v, past_k, past_v):
                n = q.shape[0] // k.shape[0]
                keys = tf.repeat(tf.concat([past_k, k[:, None]], 1), n, 0)
                values = tf.repeat(tf.concat([past_v, v[:, None]], 1), n, 0)
                w = tf.nn.softmax(tf.linalg.matvec(keys, q) / q.shape[1] ** 0.5)
                return tf.linalg.matvec(values, w, transpose_a=True)
        """,
        "numpy 2": """
            def f(q, k, v, pk, pv):
                out = []
                for h in range(len(q)):
                    g = h * len(k) // len(q)
                    keys, values = np.vstack([pk[g], k[g]]), np.vstack([pv[g], v[g]])
                    out.append(softmax(keys @ q[h] / len(q[h]) ** 0.5) @ values)
                return out
        """,
    },
    "13.ring": {
        "numpy": """
            def f(n, w, s):
                slots = np.full(s + w, -1)
                for p in range(n):
                    slots[p if p < s else s + (p - s) % w] = p
                return slots
        """,
        "torch": """
            def f(n, w, s):
                slots = torch.full((s + w,), -1)
                for p in range(n):
                    slots[p if p < s else s + (p - s) % w] = p
                return slots
        """,
        "tf": """
            def f(n, w, s):
                slots = [p if p < n else -1 for p in range(s + w)]
                for p in range(s + w, n):
                    slots[s + (p - s) % w] = p
                return tf.constant(slots)
        """,
        "numpy 2": """
            def f(n, w, s):
                slots = [-1] * (s + w)
                for p in [*range(min(n, s)), *range(max(s, n - w), n)]:
                    slots[p if p < s else s + (p - s) % w] = p
                return slots
        """,
    },
    "13.cache_size": {
        "numpy": "lambda a, b, G, K, n, w: 4 * G * K * (a * n + b * min(n, w))",
        "torch": "lambda a, b, G, K, n, w: 4 * G * K * (torch.tensor(a) * n + b * min(n, w))",
        "tf": "lambda a, b, G, K, n, w: 4 * G * K * (tf.constant(a, tf.int64) * n + b * min(n, w))",
        "numpy 2": "lambda a, b, G, K, n, w: sum(4 * G * K * m for m in [n] * a + [min(n, w)] * b)",
    },
    "13.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, H, G):
                    super().__init__()
                    self.H, self.G, K = H, G, D // H
                    for name, n in (('query', H), ('key', G), ('value', G), ('output', H)):
                        setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, n * K)))
                def forward(self, x):
                    split = lambda y, n: y.unflatten(-1, (n, -1)).transpose(1, 2)
                    q = split(x @ self.query_weight, self.H)
                    k, v = split(x @ self.key_weight, self.G), split(x @ self.value_weight, self.G)
                    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)
                    return y.transpose(1, 2).flatten(2) @ self.output_weight
        """,
    },
}

WRONG = {
    "13.grouped": [
        ("np.repeat(k, n, 0), np.repeat(v, n, 0)", "np.tile(k, (n, 1, 1)), np.tile(v, (n, 1, 1))"),
        ("np.repeat(v, n, 0)", "np.tile(v, (n, 1, 1))"),
        ("softmax(np.where(seen, s, -np.inf))", "softmax(s)"),
        ("S - T", "0"),
        ("S - T", "S - T - 1"),
        ("S - T", "S - T + 1"),
        ("S - T", "T - S"),
        ("S - T", "2"),
        (" / np.sqrt(q.shape[2])", ""),
        ("np.sqrt(q.shape[2])", "q.shape[2]"),
        ("q.shape[2]", "v.shape[2]"),
        ("-np.inf))", "-np.inf), 1)"),
        ("-np.inf", "0"),
        ("-np.inf", "-50"),
        ("seen, s", "~seen, s"),
        ("softmax(np.where(seen, s, -np.inf)) @ v", "np.squeeze(softmax(np.where(seen, s, -np.inf)) @ v)"),
        ("np.repeat(k, n, 0), np.repeat(v, n, 0)", "k[:1], v[:1]"),
        ("softmax(np.where(seen, s, -np.inf))", "softmax(s) * seen"),
        ("return softmax(np.where(seen, s, -np.inf))", "e = np.exp(s) * seen\n    return e / e.sum(2, keepdims=True)"),
    ],
    "13.decode": [
        ("np.concatenate([past_k, k[:, None]], 1)", "past_k"),
        ("np.concatenate([past_v, v[:, None]], 1)", "past_v"),
        ("[past_v, v[:, None]]", "[v[:, None], past_v]"),
        (".repeat(n, 0)", ".repeat(n, 0)[::-1]"),
        (
            "[past_k, k[:, None]], 1).repeat(n, 0)",
            "[past_k, k[:, None]] * 1, 1).repeat(n, 0)[np.arange(len(q)) % len(k)]",
        ),
        (" / np.sqrt(q.shape[1])", ""),
        ("np.sqrt(q.shape[1])", "q.shape[1]"),
        ("q.shape[1]", "v.shape[1]"),
        ("q.shape[1]", "keys.shape[1]"),
        ("softmax(s)", "softmax(s, 0)"),
        ("softmax(s)", "s"),
        ("(softmax(s)[:, None] @ values)[:, 0]", "np.squeeze(softmax(s)[:, None] @ values)"),
        ("(keys @ q[:, :, None])[:, :, 0]", "np.squeeze(keys @ q[:, :, None])"),
        ("softmax(s)", "(np.exp(s) / np.exp(s).sum(1, keepdims=True))"),
        ("(softmax(s)[:, None] @ values)[:, 0]", "values[:, -1]"),
        ("(softmax(s)[:, None] @ values)[:, 0]", "values.mean(1)"),
        """
            def f(q, k, v, past_k, past_v):
                n = len(q) // len(k)
                keys = np.tile(np.concatenate([past_k, k[:, None]], 1), (n, 1, 1))
                values = np.tile(np.concatenate([past_v, v[:, None]], 1), (n, 1, 1))
                s = (keys @ q[:, :, None])[:, :, 0] / np.sqrt(q.shape[1])
                return (softmax(s)[:, None] @ values)[:, 0]
        """,
    ],
    "13.ring": [
        ("p if p < s else s + (p - s) % w", "p % (s + w)"),
        ("s + (p - s) % w", "s + p % w"),
        ("-1)", "0)"),
        ("range(n)", "range(n - 1)"),
        ("range(n)", "range(n + 1)"),
        ("range(n)", "range(1, n)"),
        ("s + (p - s) % w", "(p - s) % w"),
        ("p if p < s else s + (p - s) % w", "s + (p - s) % w"),
        ("p < s", "p < s - 1"),
        ("= p\n", "= p + 1\n"),
        ("return slots", "return slots.astype(float)"),
        ("return slots", "return slots[slots >= 0]"),
        ("return slots", "return np.sort(slots)"),
        ("(p - s) % w", "(p - s) % 4"),
        ("-1)", "-1.0)"),
        ("np.full(s + w, -1)", "np.full(w, -1)"),
        "lambda n, w, s: np.array([*range(s), *range(n - w, n)])",
    ],
    "13.cache_size": [
        ("4 *", "2 *"),
        ("4 *", "8 *"),
        ("4 *", "1 *"),
        ("min(n, w)", "n"),
        ("min(n, w)", "w"),
        (" + b * min(n, w)", ""),
        ("a * n + ", ""),
        ("(a * n + b * min(n, w))", "(a + b) * n"),
        ("(a * n + b * min(n, w))", "(a + b) * min(n, w)"),
        ("G * K", "K"),
        ("G * K", "G"),
        ("G * K", "8 * 64"),
        ("min(n, w)", "max(n, w)"),
        ("4 * G", "4 * 8 * G"),
        ("4 * G * K * (a * n + b * min(n, w))", "4 * G * K * (a * n + b * min(n, w)) / 2**30"),
        ("min(n, w)", "128"),
    ],
    "13.layer": [
        (" / K ** 0.5", ""),
        ("K ** 0.5", "K"),
        ("dim=-1", "dim=-2"),
        ("(G, H // G, K))", "(H // G, G, K)).transpose(2, 3)"),
        ("context.flatten(2)", "context.transpose(2, 3).flatten(2)"),
        (" @ self.output_weight", ""),
        ("'btghk,bsgk->bghts', query, key", "'btghk,bsgk->bghts', query.detach(), key"),
        ("x @ self.value_weight", "x @ self.key_weight"),
        ("self.key_weight", "self.key"),
        ("new(G * D // H)", "new(D)"),
        ("weights, value)", "weights, key)"),
    ],
}
