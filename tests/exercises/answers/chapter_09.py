"""Answers to the exercises of chapter 9."""

RIGHT = {
    "09.embed": {
        "numpy": "lambda x, waves: x * np.sqrt(x.shape[1]) + waves",
        "torch": "lambda x, waves: torch.addcmul(waves, x, torch.tensor(x.shape[1] ** 0.5, dtype=x.dtype))",
        "tf": "lambda x, waves: x * x.shape[1] ** 0.5 + waves",
    },
    "09.smoothed_loss": {
        "numpy": """
            def f(p, r, s):
                share = (1 - s) * r + s / r.shape[1]
                return -(share * p).sum(1)
        """,
        "tf": "lambda p, r, s: -tf.reduce_sum(((1 - s) * r + s / r.shape[1]) * p, axis=1)",
        "numpy 2": "lambda p, r, s: -(1 - s) * (p * r).sum(1) - s * p.mean(1)",
        "torch": "lambda p, r, s: -((1 - s) * r + s / r.shape[1]).mul(p).sum(-1)",
    },
    "09.look_across": {
        "numpy": """
            def f(x, m, a, b, c):
                q, k, v = x @ a, m @ b, m @ c
                s = q @ k.T / np.sqrt(k.shape[1])
                return softmax(s) @ v
        """,
        "tf": """
            def f(x, m, a, b, c):
                s = tf.matmul(x @ a, m @ b, transpose_b=True) / b.shape[1] ** 0.5
                return tf.nn.softmax(s) @ (m @ c)
        """,
        "torch": "lambda x, m, a, b, c: torch.nn.functional.scaled_dot_product_attention(x @ a, m @ b, m @ c)",
    },
    "09.decoder_parameters": {
        "numpy": """
            def f(D, F):
                attention = 4 * D * (D + 1)
                network = (D + 1) * F + (F + 1) * D
                return 2 * attention + network + 6 * D
        """,
        "torch": """
            def f(D, F):
                layer = torch.nn.TransformerDecoderLayer(D, 1, F)
                return sum(each.numel() for each in layer.parameters())
        """,
        "tf": "lambda D, F: tf.constant(8 * D * D) + 2 * D * F + 15 * D + F",
        "numpy 2": "lambda D, F: 8 * (D * D + D) + (D + 1) * F + (F + 1) * D + 3 * 2 * D",
    },
    "09.across": {
        "torch": """
            class Own(torch.nn.Module):
                def __init__(self, D):
                    super().__init__()
                    for name in ('query', 'key', 'value'):
                        setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, D)))
                def forward(self, x, memory):
                    q, k, v = x @ self.query_weight, memory @ self.key_weight, memory @ self.value_weight
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v) + x
        """,
    },
}

WRONG = {
    "09.embed": [
        (" * np.sqrt(x.shape[1])", ""),
        ("np.sqrt(x.shape[1])", "x.shape[1]"),
        ("* np.sqrt", "/ np.sqrt"),
        ("x.shape[1]", "len(x)"),
        (" + waves", ""),
        ("x * np.sqrt(x.shape[1]) + waves", "(x + waves) * np.sqrt(x.shape[1])"),
        ("+ waves", "- waves"),
        ("+ waves", "* waves"),
        ("np.sqrt(x.shape[1])", "np.sqrt(512)"),
        ("np.sqrt(x.shape[1])", "2"),
        ("+ waves", "+ waves[0]"),
        ("+ waves", "+ waves * np.sqrt(x.shape[1])"),
        ("x * np.sqrt(x.shape[1]) + waves", "np.squeeze(x * np.sqrt(x.shape[1]) + waves)"),
        ("x * np.sqrt(x.shape[1]) + waves", "np.concatenate([x * np.sqrt(x.shape[1]), waves], 1)"),
        """
            def f(x, waves):
                x *= np.sqrt(x.shape[1])
                return x + waves
        """,
    ],
    "09.smoothed_loss": [
        ("-(share", "(share"),
        ("s / r.shape[1]", "s / (r.shape[1] - 1)"),
        ("s / r.shape[1]", "(1 - r) * s / (r.shape[1] - 1)"),
        (" + s / r.shape[1]", ""),
        ("(1 - s) * r", "r"),
        ("s / r.shape[1]", "s"),
        ("r.shape[1]", "len(r)"),
        ("sum(1)", "sum(0)"),
        ("sum(1)", "mean(1)"),
        ("sum(1)", "sum()"),
        ("sum(1)", "sum(1).mean()"),
        ("(1 - s) * r + s / r.shape[1]", "r"),
        ("share * p", "share * np.exp(p)"),
        ("share * p", "share * np.log(p)"),
        ("1 - s", "0.9"),
        ("sum(1)", "sum(1, keepdims=True)"),
        ("(1 - s) * r", "s * r"),
        ("s / r.shape[1]", "0.1 / r.shape[1]"),
    ],
    "09.look_across": [
        ("x @ a, m @ b, m @ c", "m @ a, x @ b, x @ c"),
        ("m @ b, m @ c", "x @ b, x @ c"),
        ("m @ b", "x @ b"),
        ("m @ c", "x @ c"),
        ("x @ a", "m @ a"),
        (" / np.sqrt(k.shape[1])", ""),
        ("np.sqrt(k.shape[1])", "k.shape[1]"),
        ("k.shape[1]", "x.shape[1]"),
        ("k.shape[1]", "v.shape[1]"),
        ("softmax(s)", "softmax(s, 0)"),
        ("softmax(s) @ v", "np.squeeze(softmax(s) @ v)"),
        ("softmax(s) @ v", "x + softmax(s) @ v"),
        ("softmax(s) @ v", "softmax(s) @ m"),
        ("q @ k.T", "k @ q.T"),
        ("x @ a, m @ b", "x @ b, m @ a"),
        ("softmax(s)", "s"),
        ("softmax(s)", "(np.exp(s) / np.exp(s).sum(1, keepdims=True))"),
        ("softmax(s)", "softmax(np.where(np.tri(*s.shape) > 0, s, -np.inf))"),
    ],
    "09.decoder_parameters": [
        ("2 * attention", "attention"),
        ("6 * D", "4 * D"),
        ("6 * D", "3 * D"),
        (" + 6 * D", ""),
        ("4 * D * (D + 1)", "4 * D * D"),
        ("(D + 1) * F + (F + 1) * D", "2 * D * F"),
        (" + (F + 1) * D", ""),
        ("4 * D * (D + 1)", "3 * D * (D + 1)"),
        ("2 * attention", "3 * attention"),
        ("(F + 1) * D", "F * D"),
        ("(D + 1) * F", "D * F"),
        ("6 * D", "6"),
        ("6 * D", "6 * F"),
        ("(D + 1) * F", "(D + 1) * 4 * D"),
        ("2 * attention + network", "2 * (attention + network)"),
        ("2 * attention + network + 6 * D", "float(2 * attention + network + 6 * D)"),
    ],
    "09.across": [
        ("return x + ", "return "),
        ("return x + ", "return x.detach() + "),
        ("/ query.shape[-1] ** 0.5", "/ query.shape[-1]"),
        (" / query.shape[-1] ** 0.5", ""),
        ("dim=-1", "dim=1"),
        ("x @ self.query_weight, memory @ self.key_weight", "x @ self.key_weight, memory @ self.query_weight"),
        ("(memory @ self.value_weight)", "memory"),
        ("(memory @ self.value_weight)", "(memory.detach() @ self.value_weight)"),
        ("weights @", "weights.detach() @"),
        ('"_weight"', '"_map"'),
        ("return x +", "y = x +"),
    ],
}
