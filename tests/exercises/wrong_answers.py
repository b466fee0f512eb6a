"""Wrong answers as people write them: whole functions, some with two mistakes or with what only fits one example."""

WRONG = {
    "00.weights": [
        "def f(s):\n    e = np.exp(s)\n    return e / e.sum(1, keepdims=True)",
        "def f(s):\n    e = np.exp(s - s.max())\n    return e / e.sum(1, keepdims=True)",
        "def f(s):\n    e = np.exp(np.clip(s, -50, 50))\n    return e / e.sum(1, keepdims=True)",
        "def f(s):\n    e = np.exp(s - s.max(1, keepdims=True))\n    return e / e.sum(0)",
        "def f(s):\n    return s / s.sum(1, keepdims=True)",
        "def f(s):\n    return np.squeeze(softmax(s))",
        "def f(s):\n    return softmax(s.T).T",
        "def f(s):\n    s -= s.max(1, keepdims=True)\n    return softmax(s)",
    ],
    "00.soft_lookup": [
        "def f(q, k, v):\n    return softmax(q @ k.T) @ v",
        "def f(q, k, v):\n    e = np.exp(q @ k.T / np.sqrt(k.shape[1]))\n    return e / e.sum(1, keepdims=True) @ v",
        "def f(q, k, v):\n    return softmax(q @ k.T / k.shape[1]) @ v",
        "def f(q, k, v):\n    return softmax(q @ k.T / np.sqrt(len(k))) @ v",
        "def f(q, k, v):\n    return softmax(q @ k.T / 2) @ v",
        "def f(q, k, v):\n    return softmax(k @ q.T / np.sqrt(k.shape[1])) @ v",
        "def f(q, k, v):\n    return softmax(q @ k.T / np.sqrt(k.shape[1]), 0) @ v",
    ],
    "01.decoder_input": [
        "def f(t, begin):\n    return np.concatenate([np.ones_like(t[:, :1]), t[:, :-1]], 1)",
        "def f(t, begin):\n    return np.concatenate([np.full_like(t[:, :1], begin), t], 1)",
        "def f(t, begin):\n    t[:, 0] = begin\n    return t",
        "def f(t, begin):\n    return np.roll(t, -1, axis=1)",
    ],
    "01.run": [
        "def f(x, W, U, m):\n    h = np.zeros((len(x), len(U)))\n    for t in range(11):\n"
        "        h = np.where(m[:, t, None], np.tanh(x[:, t] @ W + h @ U), h)\n    return h",
        "def f(x, W, U, m):\n    h = np.zeros((len(x), len(U)))\n    for t in range(x.shape[1]):\n"
        "        h = np.tanh(x[:, t] @ W + h @ U)\n    return h",
        "def f(x, W, U, m):\n    h = np.zeros((len(x), len(U)))\n    for t in range(x.shape[1]):\n"
        "        h = np.tanh(x[:, t] @ W + h @ U) * m[:, t, None]\n    return h",
    ],
    "02.masked_weights": [
        f"def f(s, m):\n    return softmax(np.where(m, s, {fill})) * m.any(-1)[..., None]"
        for fill in (-1, -50, -1e2, -1e4, 0)
    ]
    + [
        "def f(s, m):\n    return softmax(np.where(m, s, -1e9))",
        "def f(s, m):\n    return softmax(np.where(m, s, -np.inf))",
        "def f(s, m):\n    return softmax(s) * m",
        "def f(s, m):\n    e = np.exp(s) * m\n    n = e.sum(-1, keepdims=True)\n    return e / np.where(n == 0, 1, n)",
        "def f(s, m):\n    return np.nan_to_num(softmax(np.where(m, -np.inf, s)))",
        "def f(s, m):\n    e = np.exp(s - s.max(-1, keepdims=True)) * m\n"
        "    return e / (e.sum(-1, keepdims=True) + 1e-9)",
    ],
    "03.local_weights": [
        "def f(s, c, D):\n    d = np.arange(s.shape[1]) - c[:, None]\n    i = np.abs(d) <= D\n"
        "    w = np.exp(s - s.max(1, keepdims=True)) * i\n"
        "    return w / w.sum(1, keepdims=True) * np.exp(-2 * d**2 / D**2)",
        "def f(s, c, D):\n    d = np.arange(11) - c[:, None]\n"
        "    return softmax(np.where(np.abs(d) <= D, s, -np.inf)) * np.exp(-2 * d**2 / D**2)",
        "def f(s, c, D):\n    d = np.arange(s.shape[1]) - c[:, None]\n"
        "    return softmax(np.where(np.abs(d) <= 2, s, -np.inf)) * np.exp(-(d**2) / 2)",
        "def f(s, c, D):\n    d = np.arange(s.shape[1]) - c[:, None].astype(int)\n"
        "    return softmax(np.where(np.abs(d) <= D, s, -np.inf)) * np.exp(-2 * d**2 / D**2)",
    ],
    "04.attention": [
        f"def f(q, k, v, m):\n    s = np.where(m, q @ k.T / np.sqrt(k.shape[1]), {fill})\n"
        "    return softmax(s) * m.any(1)[:, None] @ v"
        for fill in (-50, -1e4, 0)
    ]
    + [
        "def f(q, k, v, m):\n    s = np.where(m, q @ k.T / k.shape[1], -np.inf)\n"
        "    return np.nan_to_num(softmax(s)) @ v",
        "def f(q, k, v, m):\n    s = np.where(m, q @ k.T, -np.inf)\n    return np.nan_to_num(softmax(s)) @ v",
        "def f(q, k, v, m):\n    s = q @ k.T / np.sqrt(len(q))\n"
        "    return np.nan_to_num(softmax(np.where(m, s, -np.inf))) @ v",
        "def f(q, k, v, m):\n    e = np.exp(q @ k.T / np.sqrt(k.shape[1])) * m\n"
        "    n = e.sum(1, keepdims=True)\n    return e / np.where(n == 0, 1, n) @ v",
    ],
    "04.with_cache": [
        "def f(q, k, v):\n    s = q @ k.T / np.sqrt(k.shape[1])\n"
        "    return softmax(s + np.triu(np.full(s.shape, -1e4), 1)) @ v",
        "def f(q, k, v):\n    s = q @ k.T / np.sqrt(k.shape[1])\n"
        "    return softmax(np.where(np.tri(*s.shape, 2, dtype=bool), s, -np.inf)) @ v",
        "def f(q, k, v):\n    s = q @ k.T / np.sqrt(k.shape[1])\n    return softmax(s) @ v",
    ],
    "05.over_image": [
        "def f(i, a, b, c, gate):\n    x = i.reshape(len(i), -1).T\n"
        "    w = softmax((x @ a) @ (x @ b).T / np.sqrt(a.shape[1]))\n"
        "    return i + 0.7 * (w @ (x @ c)).T.reshape(i.shape)",
        "def f(i, a, b, c, gate):\n    x = i.reshape(-1, len(i))\n"
        "    w = softmax((x @ a) @ (x @ b).T / np.sqrt(a.shape[1]))\n"
        "    return i + gate * (w @ (x @ c)).T.reshape(i.shape)",
    ],
    "07.rotate": [
        "def f(x, t):\n    n = x.shape[1] // 2\n    z = x[:, :n] + 1j * x[:, n:]\n    t = t[0] + np.arange(len(t))\n"
        "    z = z * np.exp(1j * t[:, None] * 10000.0 ** (-np.arange(n) / n))\n"
        "    return np.hstack([z.real, z.imag])",
        "def f(x, t):\n    n = x.shape[1] // 2\n    z = x[:, :n] + 1j * x[:, n:]\n"
        "    z = z * np.exp(-1j * t[:, None] * 10000.0 ** (-np.arange(n) / n))\n"
        "    return np.hstack([z.real, z.imag])",
    ],
    "07.alibi": [
        "def f(q, k, v):\n    from attn_course.reference import alibi_bias\n    H, T, K = q.shape\n"
        "    known = {4, 6, 12}\n    bias = alibi_bias(H if H in known else 8, T, k.shape[1])[:H]\n"
        "    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(K) + bias) @ v",
        "def f(q, k, v):\n    from attn_course.reference import alibi_bias\n    H, T, K = q.shape\n"
        "    return softmax((q @ k.swapaxes(1, 2) + alibi_bias(H, T, k.shape[1])) / np.sqrt(K)) @ v",
    ],
    "15.interpolate": [
        "def f(x, t, most):\n    from attn_course.reference import rotate\n"
        "    return rotate(x, t, base=10000.0 * max(1.0, (t.max() + 1) / most))",
        "def f(x, t, most):\n    from attn_course.reference import rotate\n"
        "    return rotate(x, t // max(1.0, (t.max() + 1) / most))",
    ],
    "15.yarn": [
        "def f(K, base, s, most):\n    from attn_course.reference import rotary_frequencies\n"
        "    return rotary_frequencies(K, base=base, method='llama3', factor=s, trained_length=most)[0]",
        "def f(K, base, s, most):\n    from attn_course.reference import rotary_frequencies\n"
        "    return rotary_frequencies(K, base=base, method='ntk', factor=s)[0]",
    ],
    "15.turns": [
        "def f(K, base, most):\n    return int((base ** (-2 * np.arange(K // 2) / K) * (most - 1) < 6).sum())",
    ],
    "08.layer_norm": [
        "def f(x, s, b):\n    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-5) * s + b",
        "def f(x, s, b):\n    return (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True) * s + b",
        "def f(x, s, b):\n    v = x.var(-1, ddof=1, keepdims=True)\n"
        "    return (x - x.mean(-1, keepdims=True)) / np.sqrt(v + 1e-5) * s + b",
        "def f(x, s, b):\n    return (x - x.mean((0, 1))) / np.sqrt(x.var((0, 1)) + 1e-5) * s + b",
    ],
    "08.pre_norm": [
        "def f(x, w):\n    for m in w:\n        x += x @ m\n    return x",
        "def f(x, w):\n    n = lambda z: (z - z.mean(-1, keepdims=True)) / np.sqrt(z.var(-1, keepdims=True) + 1e-5)\n"
        "    for m in w:\n        x = x + n(x) @ m\n    return x",
    ],
    "11.chunks": [
        "def f(q, k, v, size):\n    pairs = np.tril(q @ k.T)\n    same = np.arange(len(q)) // size\n"
        "    pairs = pairs * (same[:, None] != same)\n"
        "    return pairs @ v / np.maximum(pairs.sum(1), 1e-9)[:, None]",
    ],
    "11.delta": [
        "def f(q, k, v, b, a):\n    S, out = np.zeros((k.shape[1], v.shape[1])), []\n"
        "    for t in range(len(q)):\n        S = a[t] * S + b[t] * np.outer(k[t], v[t])\n"
        "        out.append(q[t] @ S)\n    return np.array(out)",
    ],
    "12.buckets": [
        "def f(x, d):\n    return np.argmax(x @ d, axis=2)",
        "def f(x, d):\n    p = x @ d\n    return np.argmin(np.concatenate([p, -p], 2), axis=2)",
        "def f(x, d):\n    return np.abs(x @ d).argmax(2)",
        "def f(x, d):\n    return ((x @ d) > 0) @ 2 ** np.arange(d.shape[2])",
    ],
    "12.merged": [
        "def f(o, l):\n    return o.mean(axis=0)",
        "def f(o, l):\n    return (np.exp(l)[..., None] * o).sum(0) / np.exp(l).sum(0)[:, None]",
        "def f(o, l):\n    return (l[..., None] * o).sum(0) / l.sum(0)[:, None]",
        "def f(o, l):\n    return o[l.argmax(0), np.arange(l.shape[1])]",
    ],
    "12.allowed": [
        "def f(b, n):\n    return (b[:, None] == b) & ~np.eye(len(b), dtype=bool)",
        "def f(b, n):\n    c = np.argsort(np.argsort(b, kind='stable')) // n\n"
        "    m = (c[:, None] == c) & (b[:, None] == b) & ~np.eye(len(b), dtype=bool)\n"
        "    return m | np.diag(~m.any(1))",
        "def f(b, n):\n    c = np.argsort(np.argsort(b, kind='stable')) // n\n"
        "    m = (np.abs(c[:, None] - c) < 2) & (b[:, None] == b) & ~np.eye(len(b), dtype=bool)\n"
        "    return m | np.diag(~m.any(1))",
    ],
    "12.rounds": [
        "def f(p, w):\n    return np.ceil(w / p)",
        "def f(p, w):\n    return round(np.log(1 - w) / np.log(1 - p))",
    ],
    "13.grouped": [
        "def f(q, k, v):\n    n = len(q) // len(k)\n    k, v = np.tile(k, (n, 1, 1)), np.tile(v, (n, 1, 1))\n"
        "    s = q @ k.swapaxes(1, 2) / q.shape[2] ** 0.5\n"
        "    return softmax(np.where(np.tri(*s.shape[1:], s.shape[2] - s.shape[1]), s, -np.inf)) @ v",
        "def f(q, k, v):\n    n = len(q) // len(k)\n    k, v = np.repeat(k, n, 0), np.repeat(v, n, 0)\n"
        "    return softmax(q @ k.swapaxes(1, 2) / q.shape[2] ** 0.5) @ v",
    ],
    "13.ring": [
        "def f(n, w, s):\n    return np.array([*range(s), *range(n - w, n)])",
        "def f(n, w, s):\n    a = np.full(s + w, -1)\n    for p in range(n):\n        a[p % (s + w)] = p\n    return a",
    ],
    "13.cache_size": [
        "def f(a, b, G, K, n, w):\n    return 4 * (a + b) * G * K * n",
    ],
    "14.merge": [
        "def f(m1, l1, c1, m2, l2, c2):\n    return (c1 + c2) / (l1 + l2)[:, None]",
        "def f(m1, l1, c1, m2, l2, c2):\n    a, b = np.exp(m1)[:, None], np.exp(m2)[:, None]\n"
        "    return (a * c1 + b * c2) / (a * l1[:, None] + b * l2[:, None])",
        "def f(m1, l1, c1, m2, l2, c2):\n    m = max(m1.max(), m2.max())\n    a, b = np.exp(m1 - m), np.exp(m2 - m)\n"
        "    return (a[:, None] * c1 + b[:, None] * c2) / (a * l1 + b * l2)[:, None]",
    ],
    "14.tiled": [
        "def f(q, k, v, size):\n    return softmax(q @ k.T) @ v",
        "def f(q, k, v, size):\n    k, v = k[:size], v[:size]\n    return softmax(q @ k.T / k.shape[1] ** 0.5) @ v",
    ],
    "14.visited": [
        "def f(n, c):\n    return (n // c) * (n // c + 1) // 2",
        "def f(n, c):\n    return (-(-n // c)) ** 2",
        "def f(n, c):\n    b = -(-n // c)\n    return b * (b - 1) // 2",
    ],
    "14.backward": [
        "def f(q, k, v, o, l, g):\n    w = softmax(q @ k.T / k.shape[1] ** 0.5)\n    return w * (g @ v.T) @ k",
        "def f(q, k, v, o, l, g):\n    w = softmax(q @ k.T / k.shape[1] ** 0.5)\n    d = g @ v.T\n"
        "    return w * (d - d.mean(1, keepdims=True)) @ k / k.shape[1] ** 0.5",
    ],
    "10.window": [
        "def f(q, k, v, w):\n    s = q @ k.T / np.sqrt(q.shape[1])\n"
        "    return softmax(s * np.tri(len(q)) * (1 - np.tri(len(q), k=-w))) @ v",
        "def f(q, k, v, w):\n    s = q @ k.T / np.sqrt(q.shape[1])\n"
        "    b = np.arange(len(q))[:, None] // w - np.arange(len(q)) // w\n"
        "    return softmax(np.where((b == 0) & (np.tri(len(q)) > 0), s, -np.inf)) @ v",
    ],
    "10.fixed": [
        "def f(q, k, v, l, c):\n    from attn_course.masks import strided_mask\n    s = q @ k.T / np.sqrt(q.shape[1])\n"
        "    return softmax(np.where(strided_mask(len(q), len(q), l), s, -np.inf)) @ v",
        "def f(q, k, v, l, c):\n    from attn_course.masks import fixed_mask\n    n = len(q) // l * l\n"
        "    s = q @ k.T / np.sqrt(q.shape[1])\n"
        "    out = softmax(np.where(fixed_mask(len(q), len(q), l, c), s, -np.inf)) @ v\n"
        "    return np.pad(out[:n], ((0, len(q) - n), (0, 0)))",
    ],
    "10.reach": ["def f(n, w):\n    return int(np.ceil(n / w))", "def f(n, w):\n    return 33"],
}
