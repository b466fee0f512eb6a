"""Answers to the exercises of chapter 6."""

RIGHT = {
    "06.split_heads": {
        "numpy": """
            def f(x, n):
                B, T, D = x.shape
                return x.reshape(B, T, n, D // n).swapaxes(1, 2)
        """,
        "numpy 2": "lambda x, n: np.stack(np.split(x, n, axis=2), axis=1)",
        "torch": "lambda x, n: x.unflatten(-1, (n, -1)).transpose(1, 2)",
        "tf": "lambda x, n: tf.stack(tf.split(x, n, axis=-1), axis=1)",
        "numpy 3": """
            def f(x, num_heads):
                B, T, width = x.shape
                return x.reshape(B, T, int(num_heads), -1).swapaxes(1, 2)
        """,
    },
    "06.two_heads": {
        "numpy": """
            def f(x, a, b, c, o):
                q, k, v = x @ a, x @ b, x @ c
                n, out = q.shape[1] // 2, []
                for own in (slice(0, n), slice(n, 2 * n)):
                    s = q[:, own] @ k[:, own].T / np.sqrt(n)
                    out.append(softmax(s) @ v[:, own])
                return np.concatenate(out, 1) @ o
        """,
        "tf": """
            def f(x, a, b, c, o):
                q, k, v = (tf.stack(tf.split(x @ each, 2, axis=1)) for each in (a, b, c))
                w = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / k.shape[2] ** 0.5)
                return tf.concat(tf.unstack(w @ v), 1) @ o
        """,
        "torch": """
            def f(x, a, b, c, o):
                split = lambda y: y.unflatten(-1, (2, -1)).transpose(0, 1)
                y = torch.nn.functional.scaled_dot_product_attention(split(x @ a), split(x @ b), split(x @ c))
                return y.transpose(0, 1).flatten(1) @ o
        """,
    },
    "06.additive_heads": {
        "numpy": """
            def f(q, k, v, w):
                h = np.tanh(q[:, :, None] + k[:, None])
                s = (h * w[:, None, None]).sum(-1)
                return softmax(s) @ v
        """,
        "torch": """
            def f(q, k, v, w):
                s = torch.einsum('htsk,hk->hts', torch.tanh(q[:, :, None] + k[:, None]), w)
                return torch.softmax(s, -1) @ v
        """,
        "tf": """
            def f(q, k, v, w):
                s = tf.einsum('htsk,hk->hts', tf.tanh(q[:, :, None] + k[:, None]), w)
                return tf.nn.softmax(s) @ v
        """,
    },
    "06.parameters": {
        "numpy": "lambda D, H, bias: 4 * D * (D + bias)",
        "torch": """
            def f(D, H, bias):
                layer = torch.nn.MultiheadAttention(D, H, bias=bias)
                return sum(each.numel() for each in layer.parameters())
        """,
        "tf": "lambda D, H, bias: tf.constant(4 * D) * (D + int(bias))",
        "numpy 2": "lambda D, H, bias: 4 * D * D + (4 * D if bias else 0)",
        "numpy 3": """
            def f(D, H, bias):
                K = D // H
                return 3 * H * (D + bias) * K + (H * K + bias) * D
        """,
    },
    "06.layer": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D, H):
                    super().__init__()
                    for name in ('query', 'key', 'value', 'output'):
                        setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, D)))
                    self.H = H
                def forward(self, x):
                    B, T, D = x.shape
                    maps = self.query_weight, self.key_weight, self.value_weight
                    q, k, v = ((x @ w).view(B, T, self.H, -1) for w in maps)
                    w = torch.softmax(torch.einsum('bthk,bshk->bhts', q, k) / (D // self.H) ** 0.5, -1)
                    return torch.einsum('bhts,bshk->bthk', w, v).reshape(B, T, D) @ self.output_weight
        """,
    },
}

WRONG = {
    "06.split_heads": [
        ("n, D // n", "D // n, n"),
        (".swapaxes(1, 2)", ""),
        ("(B, T, n, D // n).swapaxes(1, 2)", "(B, n, T, D // n)"),
        ("(B, T, n, D // n).swapaxes(1, 2)", "(B, T, D // n, n).transpose(0, 3, 1, 2)"),
        ("swapaxes(1, 2)", "transpose(0, 2, 3, 1)"),
        ("swapaxes(1, 2)", "transpose(2, 0, 1, 3)"),
        ("swapaxes(1, 2)", "swapaxes(1, 3)"),
        ("swapaxes(1, 2)", "swapaxes(1, 2)[:, ::-1]"),
        ("swapaxes(1, 2)", "swapaxes(1, 2).reshape(B * n, T, -1)"),
        ("swapaxes(1, 2)", "swapaxes(1, 2).squeeze()"),
        ("n, D // n)", "8, D // 8)"),
        ("n, D // n)", "n, D / n)"),
        "lambda x, n: np.stack([x[:, :, i::n] for i in range(n)], 1)",
        "lambda x, n: np.stack([x] * n, 1)",
        "lambda x, n: np.stack([x[:, :, : x.shape[2] // n]] * n, 1)",
        "lambda x, n: np.array(np.split(x, n, axis=2))",
    ],
    "06.two_heads": [
        ("np.sqrt(n)", "np.sqrt(2 * n)"),
        ("np.sqrt(n)", "np.sqrt(x.shape[1])"),
        (" / np.sqrt(n)", ""),
        ("np.sqrt(n)", "n"),
        (" @ o", ""),
        ("@ o", "@ o.T"),
        ("np.concatenate(out, 1) @ o", "sum(out) @ o[:n]"),
        ("np.concatenate(out, 1) @ o", "(out[0] @ o[:n] + out[1] @ o[n:]) / 2"),
        ("np.concatenate(out, 1)", "np.concatenate(out[::-1], 1)"),
        ("np.concatenate(out, 1) @ o", "np.squeeze(np.concatenate(out, 1) @ o)"),
        ("(slice(0, n), slice(n, 2 * n))", "(slice(0, None, 2), slice(1, None, 2))"),
        ("slice(n, 2 * n)", "slice(0, n)"),
        ("softmax(s)", "softmax(s, 0)"),
        ("softmax(s)", "softmax(s).T"),
        ("q[:, own] @ k[:, own]", "k[:, own] @ q[:, own]"),
        ("(slice(0, n), slice(n, 2 * n))", "(slice(0, 2 * n),)"),
        ("softmax(s)", "(np.exp(s) / np.exp(s).sum(1, keepdims=True))"),
    ],
    "06.additive_heads": [
        ("np.tanh", ""),
        ("softmax(s)", "softmax(s, 1)"),
        ("softmax(s)", "softmax(s, 0)"),
        ("sum(-1)", "sum(-1) / np.sqrt(q.shape[-1])"),
        ("sum(-1)", "mean(-1)"),
        (" + k", " * k"),
        (" + k", " - k"),
        ("w[:, None, None]", "w[0]"),
        (" * w[:, None, None]", ""),
        ("(h * w[:, None, None]).sum(-1)", "np.tanh((h * w[:, None, None]).sum(-1))"),
        ("np.tanh(q[:, :, None] + k[:, None])", "np.tanh(q)[:, :, None] + np.tanh(k)[:, None]"),
        (" @ v", ""),
        ("softmax(s)", "s"),
        ("softmax(s) @ v", "np.squeeze(softmax(s) @ v)"),
        ("np.tanh(", "np.maximum(0, "),
        ("softmax(s)", "(np.exp(s) / np.exp(s).sum(-1, keepdims=True))"),
        "lambda q, k, v, w: softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])) @ v",
    ],
    "06.parameters": [
        ("4 * D * (D + bias)", "4 * H * D * (D + bias)"),
        ("4 *", "3 *"),
        ("(D + bias)", "D"),
        ("(D + bias)", "(D + 1)"),
        ("4 * D * (D + bias)", "4 * D * D + bias"),
        ("4 * D * (D + bias)", "4 * D * D + D * bias"),
        ("4 * D", "4 * D // H"),
        ("4 * D * (D + bias)", "(3 * H + 1) * D * (D + bias)"),
        ("(D + bias)", "(512 + bias)"),
        ("4 * D * (D + bias)", "4 * D * (D + bias) / 1"),
        ("(D + bias)", "(D + 4 * bias)"),
        ("4 * D * (D + bias)", "3 * D * D + D * (D + bias)"),
        ("(D + bias)", "(D + H * bias)"),
        ("4 * D * (D + bias)", "4 * D * D // H * (H // 2 + 1)"),
    ],
    "06.layer": [
        (" / key.shape[-1] ** 0.5", ""),
        ("key.shape", "x.shape"),
        ("dim=-1", "dim=1"),
        (" @ self.output_weight", ""),
        ("context.transpose(1, 2).flatten(2)", "context.reshape(x.shape)"),
        ("(H, -1)).transpose(1, 2)", "(-1, H)).permute(0, 3, 1, 2)"),
        ("H = self.num_heads", "H = 1"),
        ("key.mT", "key.detach().mT"),
        ("self.key_weight", "self.key"),
        ("value = split(x @ self.value_weight)", "value = split(x)"),
    ],
}
