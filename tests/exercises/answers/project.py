"""Answers to the parts of the project after chapter 3."""

RIGHT = {
    "project.pad": {
        "numpy": """
            def f(texts, characters):
                width = max(len(text) for text in texts)
                rows = [[characters.find(each) + 4 for each in text] for text in texts]
                rows = [[number if number > 3 else 3 for number in row] for row in rows]
                tokens = np.array([row + [0] * (width - len(row)) for row in rows])
                return tokens, tokens > 0
        """,
        "torch": """
            def f(texts, characters):
                rows = [torch.tensor([characters.find(c) + 4 for c in text], dtype=torch.long) for text in texts]
                tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
                return tokens, tokens != 0
        """,
        "tf": """
            def f(texts, characters):
                rows = [[characters.find(c) + 4 for c in text] for text in texts]
                tokens = tf.ragged.constant(rows, dtype=tf.int32).to_tensor()
                return tokens, tokens != 0
        """,
    },
    "project.annotate": {
        "numpy": """
            def f(x, mask, weight, bias):
                x, out = np.where(mask[..., None], x, 0), np.zeros((*x.shape[:2], len(bias))) + bias
                side, S = len(weight) // 2, x.shape[1]
                for i, each in enumerate(weight):
                    for s in range(S):
                        if 0 <= s + i - side < S:
                            out[:, s] += x[:, s + i - side] @ each
                return np.tanh(out)
        """,
        "torch": """
            def f(x, mask, weight, bias):
                x = (x * mask[..., None]).mT
                kernel = weight.permute(2, 1, 0)
                return torch.nn.functional.conv1d(x, kernel, bias, padding=len(weight) // 2).mT.tanh()
        """,
        "tf": """
            def f(x, mask, weight, bias):
                x = tf.where(mask[..., None], x, tf.zeros_like(x))
                return tf.tanh(tf.nn.conv1d(x, weight, 1, "SAME") + bias)
        """,
    },
    "project.score": {
        "numpy": """
            def f(q, m, W, U, v):
                h = np.tanh((q @ W)[:, None] + m @ U)
                return h @ v
        """,
        "torch": "lambda q, m, W, U, v: torch.einsum('bsa,a->bs', torch.tanh((q @ W).unsqueeze(1) + m @ U), v)",
        "tf": "lambda q, m, W, U, v: tf.reduce_sum(tf.tanh((q @ W)[:, None] + m @ U) * v, -1)",
    },
    "project.weights": {
        "numpy": """
            def f(s, m):
                top = np.where(m, s, -1e300).max(1, keepdims=True)
                e = np.exp(np.where(m, s - top, -1e300)) * m
                n = e.sum(1, keepdims=True)
                return e / np.where(n == 0, 1, n)
        """,
        "torch": """
            def f(s, m):
                empty = ~m.any(1, keepdim=True)
                return torch.softmax(s.masked_fill(~(m | empty), -torch.inf), 1).masked_fill(empty, 0)
        """,
        "tf": """
            def f(s, m):
                top = tf.reduce_max(tf.where(m, s, s.dtype.min), 1, keepdims=True)
                e = tf.where(m, tf.exp(tf.where(m, s - top, tf.zeros_like(s))), tf.zeros_like(s))
                return tf.math.divide_no_nan(e, tf.reduce_sum(e, 1, keepdims=True))
        """,
    },
    "project.context": {
        "numpy": "lambda w, m: (w[:, :, None] * m).sum(1)",
        "torch": "lambda w, m: torch.einsum('bs,bse->be', w, m)",
        "tf": "lambda w, m: tf.linalg.matvec(m, w, transpose_a=True)",
    },
    "project.step": {
        "numpy": """
            def f(token, s, m, mask, p):
                e = np.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"]) @ p["score_weight"]
                w = softmax(np.where(mask, e, -np.inf))
                c = np.einsum("bs,bse->be", w, m)
                s = np.tanh(np.hstack([p["target"][token], c, s]) @ p["state_weight"] + p["state_bias"])
                return np.hstack([s, c]) @ p["output_weight"] + p["output_bias"], s
        """,
        "torch": """
            def f(token, s, m, mask, p):
                e = torch.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"]) @ p["score_weight"]
                c = torch.einsum("bs,bse->be", e.masked_fill(~mask, -torch.inf).softmax(1), m)
                y = torch.nn.functional.embedding(token, p["target"])
                s = torch.addmm(p["state_bias"], torch.hstack([y, c, s]), p["state_weight"]).tanh()
                return torch.addmm(p["output_bias"], torch.hstack([s, c]), p["output_weight"]), s
        """,
        "tf": """
            def f(token, s, m, mask, p):
                h = tf.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"])
                e = tf.linalg.matvec(h, p["score_weight"])
                w = tf.nn.softmax(tf.where(mask, e, -np.inf))
                c = tf.einsum("bs,bse->be", w, m)
                y = tf.nn.embedding_lookup(p["target"], token)
                s = tf.tanh(tf.concat([y, c, s], 1) @ p["state_weight"] + p["state_bias"])
                return tf.concat([s, c], 1) @ p["output_weight"] + p["output_bias"], s
        """,
    },
    "project.loss": {
        "numpy": """
            def f(logits, target):
                real = target != 0
                x, t = logits[real], target[real]
                x = x - x.max(1, keepdims=True)
                return (np.log(np.exp(x).sum(1)) - x[np.arange(len(t)), t]).mean()
        """,
        "torch": "lambda x, t: torch.nn.functional.cross_entropy(x.mT, t, ignore_index=0)",
        "tf": """
            def f(logits, target):
                real = target != 0
                x, t = tf.boolean_mask(logits, real), tf.boolean_mask(target, real)
                return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(t, x))
        """,
    },
    "project.greedy": {
        "numpy": """
            def f(step, state, begin, end, length):
                token, out = np.full(len(state), begin), np.zeros((len(state), length), int)
                alive = np.ones(len(state), bool)
                for t in range(length):
                    logits, state = step(token, state)
                    token = logits.argmax(1)
                    out[:, t] = token * alive
                    alive = alive & (token != end)
                return out
        """,
        "torch": """
            def f(step, state, begin, end, length):
                token, out = state.new_full((len(state),), begin, dtype=torch.long), []
                for _ in range(length):
                    logits, state = step(token, state)
                    token = logits.max(-1).indices
                    out.append(token)
                out = torch.stack(out, 1)
                after = (out == end).cumsum(1) - (out == end).long() > 0
                return out.masked_fill(after, 0)
        """,
        "tf": """
            def f(step, state, begin, end, length):
                token, out = tf.fill([state.shape[0]], begin), []
                for _ in range(length):
                    logits, state = step(token, state)
                    token = tf.argmax(logits, 1, tf.int32)
                    out.append(token)
                out = tf.stack(out, 1)
                ended = tf.cast(out == end, tf.int32)
                return tf.where(tf.cumsum(ended, 1, exclusive=True) > 0, 0, out)
        """,
    },
}

WRONG = {
    "project.pad": [
        ("+ 4 for", "for"),
        ("+ 4 for", "+ 5 for"),
        ("+ 4 for", "+ 1 for"),
        ("else 3", "else 0"),
        ("else 3", "else 4"),
        ("tokens > 0", "tokens == 0"),
        ("tokens > 0", "tokens > 3"),
        ("tokens > 0", "(tokens > 0).astype(int)"),
        ("row + [0] * (width - len(row))", "[0] * (width - len(row)) + row"),
        ("[0] * (width", "[-1] * (width"),
        ("return tokens, tokens > 0", "return tokens"),
        ("return tokens, tokens > 0", "return tokens > 0, tokens"),
        ("max(len(text) for text in texts)", "11"),
        ("max(len(text) for text in texts)", "len(texts[0])"),
        ("find(each)", "index(each)"),
        ("for each in text]", "for each in text.strip()]"),
        ("for each in text]", "for each in text.lower()[::-1]]"),
        ("np.array([row", "np.array([[1] + row"),
    ],
    "project.annotate": [
        ("np.where(mask[..., None], x, 0)", "x"),
        ("np.where(mask[..., None], x, 0)", "np.where(mask[..., None], 0, x)"),
        ("enumerate(weight)", "enumerate(weight[::-1])"),
        ("len(weight) // 2", "0"),
        ("len(weight) // 2", "len(weight) - 1"),
        ("len(weight) // 2", "3"),
        ("0 <= s + i - side < S", "True"),
        ("0 <= s + i - side < S", "s + i - side < S"),
        ("0 <= s", "0 < s"),
        ("np.tanh(out)", "out"),
        ("np.tanh(out)", "np.tanh(out) * mask[..., None]"),
        ("np.tanh(out)", "np.maximum(out, 0)"),
        ("np.tanh(out)", "np.squeeze(np.tanh(out))"),
        (" + bias", ""),
        ("@ each", "@ weight[0]"),
        ("np.tanh(out)", "np.tanh(out / len(weight))"),
    ],
    "project.score": [
        ("np.tanh", ""),
        ("h @ v", "np.tanh(h @ v)"),
        ("h @ v", "h.sum(-1)"),
        ("h @ v", "softmax(h @ v)"),
        ("h @ v", "h @ v / np.sqrt(len(v))"),
        ("h @ v", "np.squeeze(h @ v)"),
        ("h @ v", "(h @ v)[:, None]"),
        ("h @ v", "h * v"),
        (" + m", " - m"),
        (" + m", " * m"),
        ("q @ W", "q @ U"),
        ("(q @ W)[:, None]", "(q @ W)[:1, None]"),
        ("np.tanh((q @ W)[:, None] + m @ U)", "np.tanh(q @ W)[:, None] + np.tanh(m @ U)"),
        ("np.tanh(", "np.maximum(0, "),
        ("m @ U", "m[:1] @ U"),
    ],
    "project.weights": [
        ("s - top", "s"),
        ("np.where(m, s, -1e300).max(1, keepdims=True)", "s.max(1, keepdims=True)"),
        ("np.where(m, s, -1e300).max(1, keepdims=True)", "np.where(m, s, -1e300).max()"),
        ("np.where(n == 0, 1, n)", "n"),
        ("np.where(n == 0, 1, n)", "(n + 1)"),
        ("s - top, -1e300)) * m", "s - top, 0))"),
        ("e.sum(1, keepdims=True)", "e.sum(0)"),
        ("e.sum(1, keepdims=True)", "e.sum()"),
        ("e / np.where(n == 0, 1, n)", "np.squeeze(e / np.where(n == 0, 1, n))"),
        "lambda s, m: softmax(s) * m",
        "lambda s, m: softmax(np.where(m, s, -np.inf))",
        "lambda s, m: softmax(np.where(m, s, -1e4)) * m",
        "lambda s, m: softmax(np.where(m, s, -50)) * m",
        "lambda s, m: softmax(np.where(m, s, -1e9))",
        "lambda s, m: softmax(s * m) * m",
        "lambda s, m: softmax(np.where(m, -np.inf, s))",
        "lambda s, m: softmax(s + m)",
    ],
    "project.context": [
        (".sum(1)", ".mean(1)"),
        (".sum(1)", ".sum(2)"),
        (".sum(1)", ".sum(0)"),
        (".sum(1)", ".sum(1, keepdims=True)"),
        (".sum(1)", ".max(1)"),
        ("w[:, :, None] * m", "m"),
        ("w[:, :, None] * m", "w[:1, :, None] * m"),
        ("w[:, :, None] * m", "w[:, :, None] + m"),
        ("w[:, :, None]", "softmax(w)[:, :, None]"),
        ("(w[:, :, None] * m).sum(1)", "np.squeeze((w[:, :, None] * m).sum(1))"),
        ("(w[:, :, None] * m).sum(1)", "m[np.arange(len(m)), w.argmax(1)]"),
        ("(w[:, :, None] * m).sum(1)", "(w[:, :, None] * m).sum(1) / w.sum(1)[:, None]"),
        ("(w[:, :, None] * m).sum(1)", "w @ m"),
    ],
    "project.step": [
        ("np.where(mask, e, -np.inf)", "e"),
        ("np.where(mask, e, -np.inf)", "np.where(mask, e, 0)"),
        ("np.where(mask, e, -np.inf)", "np.where(mask, -np.inf, e)"),
        ("softmax(np.where(mask, e, -np.inf))", "e * mask"),
        ('[p["target"][token], c, s]', '[c, p["target"][token], s]'),
        ('[p["target"][token], c, s]', '[p["target"][token], s, c]'),
        ("np.hstack([s, c])", "np.hstack([c, s])"),
        (' + p["state_bias"]', ""),
        (' + p["output_bias"]', ""),
        ('+ p["output_bias"], s', '+ p["output_bias"]'),
        ("return np", "return s, np"),
        ("s = np.tanh(np", "s = (np"),
        ("e = np.tanh", "e = "),
        ('np.einsum("bs,bse->be", w, m)', "m.mean(1)"),
        ('p["target"][token]', 'p["target"][:len(s)]'),
        ('+ p["output_bias"], s', '+ p["output_bias"] - c.max(), s'),
    ],
    "project.loss": [
        ("target != 0", "target >= 0"),
        ("target != 0", "target == 0"),
        ("target != 0", "target != 2"),
        (".mean()", ".sum()"),
        (".mean()", ""),
        (".mean()", ".sum() / target.size"),
        (".mean()", ".max()"),
        ("    x = x - x.max(1, keepdims=True)\n", ""),
        ("np.log(np.exp(x).sum(1)) - x[np.arange(len(t)), t]", "x[np.arange(len(t)), t] - np.log(np.exp(x).sum(1))"),
        ("np.log(np.exp(x).sum(1)) - ", "-"),
        ("(np.log(np.exp(x).sum(1)) - x[np.arange(len(t)), t])", "-softmax(x)[np.arange(len(t)), t]"),
        ("np.exp(x).sum(1)", "np.exp(x).sum()"),
        (".mean()", ".mean() / np.log(2)"),
        ("x.max(1, keepdims=True)", "x.max()"),
    ],
    "project.greedy": [
        ("token * alive", "token"),
        ("argmax(1)", "argmin(1)"),
        ("argmax(1)", "argmax(0)"),
        ("logits, state = ", "logits, _ = "),
        ("step(token, state)", "step(out[:, 0] * 0 + begin, state)"),
        ("alive & (token != end)", "(token != end)"),
        ("alive & (token != end)", "alive & (token != 2)"),
        ("alive & (token != end)", "alive & (token != end).all()"),
        ("token * alive", "np.where(alive, token, end)"),
        ("np.full(len(state), begin)", "np.full(len(state), 1)"),
        ("range(length)", "range(length - 1)"),
        ("range(length)", "range(11)"),
        ("    return out", "    return np.squeeze(out)"),
        ("    return out", "    return out.T"),
        ("out[:, t] = token * alive", "out[:, t] = token * alive * (token != end)"),
        ("    return out", "    return out.astype(float)"),
    ],
}
