"""Answers to the exercises of chapter 12."""

RIGHT = {
    "12.buckets": {
        "numpy": """
            def f(x, d):
                p = x @ d
                return np.argmax(np.concatenate([p, -p], 2), 2)
        """,
        "numpy 2": "lambda x, d: [[int(np.argmax(np.r_[v @ r, -(v @ r)])) for v in x] for r in d]",
        "torch": "lambda x, d: (x @ torch.cat([d, -d], 2)).argmax(2)",
        "tf": "lambda x, d: tf.argmax(x @ tf.concat([d, -d], 2), axis=2)",
    },
    "12.merged": {
        "numpy": """
            def f(o, l):
                w = np.exp(l - l.max(0))
                w = w / w.sum(0)
                return (w[:, :, None] * o).sum(0)
        """,
        "tf": "lambda o, l: tf.reduce_sum(tf.nn.softmax(l, axis=0)[:, :, None] * o, axis=0)",
        "torch": "lambda o, l: torch.einsum('rt,rtv->tv', torch.softmax(l, 0), o)",
        "numpy 2": """
            def f(o, l):
                w = np.exp(l - l.max(0))
                return np.stack([w[:, t] @ o[:, t] / w[:, t].sum() for t in range(l.shape[1])])
        """,
    },
    "12.allowed": {
        "numpy": """
            def f(b, n):
                chunk = np.argsort(np.argsort(b, kind='stable')) // n
                back = chunk[:, None] - chunk
                m = ((back == 0) | (back == 1)) & (b[:, None] == b)
                m = m & ~np.eye(len(b), dtype=bool)
                return m | np.diag(~m.any(1))
        """,
        "torch": """
            def f(b, n):
                chunk = torch.argsort(torch.argsort(b, stable=True)) // n
                back = chunk[:, None] - chunk
                own = torch.eye(len(b), dtype=torch.bool)
                m = ((back == 0) | (back == 1)) & (b[:, None] == b) & ~own
                return m | own & ~m.any(1)[:, None]
        """,
        "tf": """
            def f(b, n):
                chunk = tf.argsort(tf.argsort(b, stable=True)) // n
                back = chunk[:, None] - chunk
                own = tf.eye(len(b)) > 0
                m = ((back == 0) | (back == 1)) & (b[:, None] == b) & ~own
                return m | own & ~tf.reduce_any(m, 1, keepdims=True)
        """,
        "numpy 2": """
            def f(b, n):
                order = sorted(range(len(b)), key=lambda i: (b[i], i))
                chunk = {i: place // n for place, i in enumerate(order)}
                rows = []
                for i in range(len(b)):
                    row = [i != j and b[i] == b[j] and chunk[i] - chunk[j] in (0, 1) for j in range(len(b))]
                    rows.append(row if any(row) else [i == j for j in range(len(b))])
                return np.array(rows)
        """,
    },
    "12.rounds": {
        "numpy": "lambda p, w: int(np.ceil(np.log(1 - w) / np.log(1 - p)))",
        "torch": "lambda p, w: (torch.log1p(-torch.tensor(w, dtype=torch.float64)) / np.log1p(-p)).ceil().long()",
        "tf": "lambda p, w: tf.cast(tf.math.ceil(tf.math.log1p(tf.constant(-w, tf.float64)) / np.log1p(-p)), tf.int32)",
        "numpy 2": """
            def f(p, w):
                r = 1
                while 1 - (1 - p) ** r < w:
                    r += 1
                return r
        """,
    },
    "12.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, L, R):
                    super().__init__()
                    for name in ('query', 'key', 'value'):
                        setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, D)))
                    for name in ('key', 'value'):
                        setattr(self, name + '_projection', torch.nn.Parameter(torch.empty(R, L)))
                def forward(self, x):
                    T = x.shape[1]
                    k = torch.einsum('rt,bti,ij->brj', self.key_projection[:, :T], x, self.key_weight)
                    v = torch.einsum('rt,bti,ij->brj', self.value_projection[:, :T], x, self.value_weight)
                    return torch.nn.functional.scaled_dot_product_attention(x @ self.query_weight, k, v)
        """,
    },
}

WRONG = {
    "12.buckets": [
        ("np.concatenate([p, -p], 2)", "p"),
        ("argmax", "argmin"),
        ("[p, -p], 2), 2", "[-p, p], 2), 2"),
        ("np.concatenate([p, -p], 2)", "np.abs(p)"),
        ("[p, -p], 2), 2", "[p, -p], 2), 1"),
        ("[p, -p], 2), 2", "[p, -p], 1), 2"),
        ("return np.argmax(np.concatenate([p, -p], 2), 2)", "return ((x @ d) > 0) @ 2 ** np.arange(d.shape[2])"),
        (", 2), 2)", ", 2), 2).T"),
        (", 2), 2)", ", 2), 2).squeeze()"),
        (", 2), 2)", ", 2), 2).astype(float)"),
        (", 2), 2)", ", 2), 2) + 1"),
        (", 2), 2)", ", 2), 2) % d.shape[2]"),
        ("np.argmax(np.concatenate([p, -p], 2), 2)", "np.argmax(p, 2) + d.shape[2] * (p.sum(2) < 0)"),
        ("x @ d", "x @ d[:1]"),
        (", 2), 2)", ", 2), 2).clip(0, 7)"),
    ],
    "12.merged": [
        ("(w[:, :, None] * o).sum(0)", "o.mean(0)"),
        ("l - l.max(0)", "l"),
        ("np.exp(l - l.max(0))", "l"),
        ("l.max(0)", "l.max()"),
        ("    w = w / w.sum(0)\n", ""),
        ("w.sum(0)", "w.sum(1, keepdims=True)"),
        ("w.sum(0)", "w.sum()"),
        ("w.sum(0)", "len(w)"),
        ("(w[:, :, None] * o).sum(0)", "o[l.argmax(0), np.arange(l.shape[1])]"),
        (".sum(0)\n    return", ".sum(0)\n    w = np.where(w > 0.5, 1, 0)\n    return"),
        ("o).sum(0)", "o).mean(0)"),
        ("o).sum(0)", "o).sum(1)"),
        ("o).sum(0)", "o).sum(0).squeeze()"),
        ("(w[:, :, None] * o).sum(0)", "w[:, :, None] * o"),
        ("l.max(0)", "l.max(1, keepdims=True)"),
        ("l - l.max(0)", "np.clip(l, -50, 50)"),
    ],
    "12.allowed": [
        ("np.argsort(np.argsort(b, kind='stable')) // n", "np.argsort(b, kind='stable') // n"),
        ("np.argsort(np.argsort(b, kind='stable')) // n", "np.arange(len(b)) // n"),
        ("chunk[:, None] - chunk", "chunk - chunk[:, None]"),
        (" & (b[:, None] == b)", ""),
        (" | (back == 1)", ""),
        ("(back == 0) | ", ""),
        ("(back == 0) | (back == 1)", "abs(back) < 2"),
        ("((back == 0) | (back == 1)) & ", ""),
        ("    m = m & ~np.eye(len(b), dtype=bool)\n", ""),
        (" | np.diag(~m.any(1))", ""),
        ("return m | np.diag(~m.any(1))", "return m.astype(int)"),
        ("return m | np.diag(~m.any(1))", "return ~(m | np.diag(~m.any(1)))"),
        ("return m | np.diag(~m.any(1))", "return m | np.eye(len(b), dtype=bool)"),
        ("m.any(1)", "m.any(0)"),
        ("// n", "// 4"),
        ("back == 1", "back == 2"),
        ("m & ~np.eye(len(b), dtype=bool)", "m & np.tri(len(b), k=-1, dtype=bool)"),
        ("m | np.diag(~m.any(1))", "np.squeeze(m | np.diag(~m.any(1)))"),
    ],
    "12.rounds": [
        ("int(np.ceil(np.log(1 - w) / np.log(1 - p)))", "np.log(1 - w) / np.log(1 - p)"),
        ("np.ceil", "np.floor"),
        ("np.ceil", "np.rint"),
        ("1 - p", "p"),
        ("1 - w", "w"),
        ("np.log(1 - w) / np.log(1 - p)", "w / p"),
        ("np.log(1 - w) / np.log(1 - p)", "np.log(1 - p) / np.log(1 - w)"),
        ("int(np.ceil(np.log(1 - w) / np.log(1 - p)))", "int(np.ceil(np.log(1 - w) / np.log(1 - p))) + 1"),
        ("int(np.ceil(np.log(1 - w) / np.log(1 - p)))", "6"),
        ("1 - w", "0.01"),
        ("1 - p", "0.4"),
        ("np.log(1 - w) / np.log(1 - p)", "(1 - w) / (1 - p)"),
        ("np.log(1 - w) / np.log(1 - p)", "1 / p"),
        ("int(np.ceil(np.log(1 - w) / np.log(1 - p)))", "int(np.log(1 - w) / np.log(1 - p)) + 2"),
        ("np.log(1 - w)", "np.log10(1 - w)"),
    ],
    "12.layer": [
        (" / D ** 0.5", ""),
        ("0.5", "1"),
        ("dim=-1", "dim=1"),
        ("[:, :T]", "[:, -T:]"),
        ("self.value_projection[:, :T] @ value", "self.key_projection[:, :T] @ value"),
        ("key.mT", "key.detach().mT"),
        ("self.key_weight", "self.own"),
        ("value = x @ self.value_weight", "value = x"),
        ("new(rank, length)", "new(length, rank)"),
        ("x @ self.query_weight", "x @ self.key_weight"),
    ],
}
