"""Right answers that differ from the package's solutions in spelling, dtype or framework."""

RIGHT = {
    "00.weights": [
        ("numpy", "def f(score):\n    e = np.exp(score - score.max(1)[:, None])\n    return (e.T / e.sum(1)).T"),
        ("torch", "def f(score):\n    return torch.softmax(score, 1)"),
        ("tf", "def f(score):\n    return tf.nn.softmax(tf.cast(score, tf.float32))"),
        ("numpy", "def f(score):\n    return [[float(x) for x in softmax(row)] for row in score]"),
    ],
    "00.average": [
        ("numpy", "def f(w, v):\n    return np.einsum('ts,sv->tv', w, v)"),
        ("torch", "def f(w, v):\n    out = torch.zeros(len(w), v.shape[1])\n    out[:] = w @ v\n    return out"),
    ],
    "00.soft_lookup": [
        ("torch", "def f(q, k, v):\n    return torch.nn.functional.scaled_dot_product_attention(q, k, v)"),
        (
            "tf",
            "def f(q, k, v):\n    s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5\n"
            "    return tf.nn.softmax(s) @ v",
        ),
        (
            "numpy",
            "def f(q, k, v):\n    out = np.zeros((len(q), v.shape[1]), np.float32)\n    for i, one in enumerate(q):\n"
            "        s = k @ one / k.shape[1] ** 0.5\n        e = np.exp(s - s.max())\n"
            "        out[i] = e / e.sum() @ v\n"
            "    return out",
        ),
    ],
    "00.multiplications": [
        ("numpy", "def f(T, S, K, V):\n    return T * S * (K + V)"),
        ("numpy", "def f(T, S, K, V):\n    return sum(K + V for _ in range(T * S))"),
        ("numpy", "def f(T, S, K, V):\n    return np.array(T * S * (K + V))"),
    ],
    "00.largest_weight": [
        (
            "numpy",
            "def f(gap, n):\n    m = max(gap, 0.0) if n > 1 else gap\n    a, b = np.exp(gap - m), np.exp(-m)\n"
            "    if n == 1:\n        return 1.0\n    return max(a, b) / (a + (n - 1) * b)",
        ),
    ],
    "01.padding_mask": [
        ("numpy", "def f(n, size):\n    return np.array([[j < each for j in range(size)] for each in n])"),
        ("torch", "def f(n, size):\n    return torch.arange(size) < n[:, None]"),
        ("tf", "def f(n, size):\n    return tf.sequence_mask(n, size)"),
        (
            "numpy",
            "def f(n, size):\n    m = np.zeros((len(n), size), bool)\n    for row, each in zip(m, n):\n"
            "        row[:each] = True\n    return m",
        ),
    ],
    "01.last_state": [
        (
            "numpy",
            "def f(h, m):\n    last = m.shape[1] - 1 - m[:, ::-1].argmax(axis=1)\n"
            "    return h[np.arange(len(h)), last]",
        ),
        ("torch", "def f(h, m):\n    return h[torch.arange(len(h)), m.sum(1) - 1]"),
        (
            "torch",
            "def f(h, m):\n    out = torch.zeros(h.shape[0], h.shape[2])\n    for b in range(len(h)):\n"
            "        out[b] = h[b][m[b]][-1]\n    return out",
        ),
        (
            "tf",
            "def f(h, m):\n    last = tf.reduce_sum(tf.cast(m, tf.int32), 1) - 1\n"
            "    return tf.cast(tf.gather(h, last, batch_dims=1), tf.float32)",
        ),
    ],
    "01.decoder_input": [
        ("numpy", "def f(t, begin):\n    out = np.roll(t, 1, axis=1)\n    out[:, 0] = begin\n    return out"),
        ("torch", "def f(t, begin):\n    return torch.nn.functional.pad(t[:, :-1], (1, 0), value=begin)"),
        ("tf", "def f(t, begin):\n    return tf.pad(t[:, :-1], ((0, 0), (1, 0)), constant_values=begin)"),
        ("numpy", "def f(t, begin):\n    return np.insert(t, 0, begin, axis=1)[:, :-1].astype(np.int32)"),
    ],
    "01.run": [
        (
            "torch",
            "def f(x, W, U, m):\n    h = x.new_zeros(len(x), len(U))\n    for t in range(x.shape[1]):\n"
            "        h = torch.where(m[:, t, None], torch.tanh(x[:, t] @ W + h @ U), h)\n    return h",
        ),
        (
            "tf",
            "def f(x, W, U, m):\n    h = tf.zeros((x.shape[0], U.shape[0]), x.dtype)\n    for t in range(x.shape[1]):\n"
            "        h = tf.where(m[:, t, None], tf.tanh(x[:, t] @ W + h @ U), h)\n    return h",
        ),
        (
            "numpy",
            "def f(x, W, U, m):\n    out = []\n    for one, keep in zip(x, m):\n        h = np.zeros(len(U))\n"
            "        for word in one[keep]:\n            h = np.tanh(word @ W + h @ U)\n        out.append(h)\n"
            "    return out",
        ),
    ],
    "01.influence": [
        ("numpy", "def f(a, n):\n    x = 1.0\n    for _ in range(n - 1):\n        x = a * x\n    return x"),
        (
            "numpy",
            "def f(a, n):\n    def end(x):\n        s = 0.0\n        for t in range(n):\n"
            "            s = a * s + (x if t == 0 else 1.0)\n        return s\n    return (end(1.5) - end(-0.5)) / 2",
        ),
    ],
    "02.additive_score": [
        ("torch", "def f(q, m, W, U, v):\n    return torch.tanh((q @ W)[:, :, None] + (m @ U)[:, None]) @ v"),
        (
            "tf",
            "def f(q, m, W, U, v):\n    return tf.linalg.matvec(tf.tanh((q @ W)[:, :, None] + (m @ U)[:, None]), v)",
        ),
        (
            "numpy",
            "def f(q, m, W, U, v):\n    h = np.tanh(np.expand_dims(q @ W, 2) + np.expand_dims(m @ U, 1))\n"
            "    return np.einsum('btsa,a->bts', h, v)",
        ),
    ],
    "02.masked_weights": [
        (
            "numpy",
            "def f(s, m):\n    s = np.where(m, s, -1e9)\n    e = np.exp(s - s.max(-1, keepdims=True)) * m\n"
            "    n = e.sum(-1, keepdims=True)\n    return e / np.where(n == 0, 1, n)",
        ),
        ("torch", "def f(s, m):\n    return torch.softmax(s.masked_fill(~m, -torch.inf), -1).nan_to_num()"),
        (
            "torch",
            "def f(s, m):\n    out = torch.zeros(s.shape)\n    some = m.any(-1)\n"
            "    out[some] = torch.softmax(s.masked_fill(~m, -torch.inf), -1)[some].float()\n    return out",
        ),
        (
            "tf",
            "def f(s, m):\n    w = tf.nn.softmax(tf.where(m, s, -np.inf))\n"
            "    return tf.where(tf.reduce_any(m, -1, keepdims=True), w, tf.zeros_like(w))",
        ),
        ("numpy", "def f(s, m):\n    return np.nan_to_num(softmax(np.where(m, s, -np.inf)))"),
    ],
    "02.step": [
        (
            "torch",
            "def f(s, m, W, C):\n    w = torch.softmax(torch.einsum('bsd,bd->bs', m, s), 1)\n"
            "    return torch.tanh(s @ W + torch.einsum('bs,bsd->bd', w, m) @ C)",
        ),
        (
            "tf",
            "def f(s, m, W, C):\n    w = tf.nn.softmax(tf.linalg.matvec(m, s))\n"
            "    return tf.tanh(s @ W + tf.linalg.matvec(m, w, transpose_a=True) @ C)",
        ),
    ],
    "02.largest_ratio": [
        ("torch", "def f(v):\n    return torch.exp(2 * v.abs().sum())"),
        ("tf", "def f(v):\n    return tf.exp(2 * tf.reduce_sum(tf.abs(v)))"),
        ("numpy", "def f(v):\n    top = np.tanh(100 * np.sign(v)) @ v\n    return float(np.exp(top) / np.exp(-top))"),
    ],
    "03.local_weights": [
        (
            "numpy",
            "def f(s, c, D):\n    d = np.arange(s.shape[1]) - c[:, None]\n    i = np.abs(d) <= D\n"
            "    s = np.where(i, s, -np.inf)\n    w = np.exp(s - s.max(1, keepdims=True))\n"
            "    return w / w.sum(1, keepdims=True) * np.exp(-2 * d**2 / D**2)",
        ),
        (
            "torch",
            "def f(s, c, D):\n    d = torch.arange(s.shape[1]) - c[:, None]\n"
            "    w = torch.softmax(s.masked_fill(d.abs() > D, -torch.inf), 1)\n"
            "    return w * torch.exp(-2 * (d / D) ** 2)",
        ),
        (
            "tf",
            "def f(s, c, D):\n    d = tf.cast(tf.range(s.shape[1]), s.dtype) - c[:, None]\n"
            "    w = tf.nn.softmax(tf.where(tf.abs(d) <= D, s, -np.inf))\n    return w * tf.exp(-2 * (d / D) ** 2)",
        ),
    ],
    "03.general_score": [
        ("torch", "def f(q, m, W):\n    return torch.einsum('btd,de,bse->bts', q, W, m)"),
        ("tf", "def f(q, m, W):\n    return tf.matmul(q @ W, m, transpose_b=True)"),
    ],
    "03.step": [
        (
            "torch",
            "def f(x, s, a, m, W, U, C):\n    h = torch.tanh(torch.cat([x, a], 1) @ W + s @ U)\n"
            "    w = torch.softmax(torch.einsum('bsd,bd->bs', m, h), 1)\n"
            "    return torch.tanh(torch.cat([torch.einsum('bs,bsd->bd', w, m), h], 1) @ C)",
        ),
        (
            "tf",
            "def f(x, s, a, m, W, U, C):\n    h = tf.tanh(tf.concat([x, a], 1) @ W + s @ U)\n"
            "    w = tf.nn.softmax(tf.linalg.matvec(m, h))\n"
            "    c = tf.linalg.matvec(m, w, transpose_a=True)\n    return tf.tanh(tf.concat([c, h], 1) @ C)",
        ),
    ],
    "03.window_sum": [
        (
            "numpy",
            "def f(c, D, n):\n    d = np.arange(n) - c\n    i = np.abs(d) <= D\n"
            "    return float((i / i.sum() * np.exp(-2 * d**2 / D**2)).sum())",
        ),
    ],
    "04.attention": [
        (
            "torch",
            "def f(q, k, v, m):\n    s = (q @ k.T / k.shape[1] ** 0.5).masked_fill(~m, -torch.inf)\n"
            "    return torch.softmax(s, 1).nan_to_num() @ v",
        ),
        (
            "torch",
            "def f(q, k, v, m):\n    out = torch.zeros(len(q), v.shape[1])\n    for i in range(len(q)):\n"
            "        if m[i].any():\n            s = k[m[i]] @ q[i] / k.shape[1] ** 0.5\n"
            "            out[i] = torch.softmax(s, 0) @ v[m[i]]\n    return out",
        ),
        (
            "tf",
            "def f(q, k, v, m):\n    s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5\n"
            "    w = tf.nn.softmax(tf.where(m, s, -np.inf))\n"
            "    w = tf.where(tf.reduce_any(m, 1, keepdims=True), w, tf.zeros_like(w))\n    return w @ v",
        ),
        (
            "numpy",
            "def f(q, k, v, m):\n    s = q @ k.T / np.sqrt(k.shape[1])\n    s = np.where(m, s, -1e300)\n"
            "    e = np.exp(s - s.max(1, keepdims=True)) * m\n    n = e.sum(1, keepdims=True)\n"
            "    return np.divide(e, n, out=np.zeros_like(e), where=n > 0) @ v",
        ),
    ],
    "04.with_cache": [
        (
            "torch",
            "def f(q, k, v):\n    m = torch.ones(len(q), len(k), dtype=torch.bool).tril(len(k) - len(q))\n"
            "    return torch.softmax((q @ k.T / k.shape[1] ** 0.5).masked_fill(~m, -torch.inf), 1) @ v",
        ),
        (
            "tf",
            "def f(q, k, v):\n    T, S = q.shape[0], k.shape[0]\n"
            "    m = tf.range(S) <= tf.range(T)[:, None] + S - T\n"
            "    s = tf.matmul(q, k, transpose_b=True) / k.shape[1] ** 0.5\n"
            "    return tf.nn.softmax(tf.where(m, s, -np.inf)) @ v",
        ),
        (
            "numpy",
            "def f(q, k, v):\n    out = []\n    for i, one in enumerate(q):\n        n = len(k) - len(q) + i + 1\n"
            "        s = k[:n] @ one / np.sqrt(k.shape[1])\n        e = np.exp(s - s.max())\n"
            "        out.append(e / e.sum() @ v[:n])\n    return np.array(out)",
        ),
    ],
    "04.allowed": [
        (
            "numpy",
            "def f(p, T):\n    S = p.shape[1]\n    return np.logical_and(p[:, None], np.tri(T, S, S - T, dtype=bool))",
        ),
        ("torch", "def f(p, T):\n    S = p.shape[1]\n    return p[:, None] & torch.ones(T, S).tril(S - T).bool()"),
        (
            "tf",
            "def f(p, T):\n    S = p.shape[1]\n    return p[:, None] & (tf.range(S) <= tf.range(T)[:, None] + S - T)",
        ),
    ],
    "04.entropy": [
        ("torch", "def f(w):\n    return torch.special.entr(w).sum(1).mean()"),
        ("tf", "def f(w):\n    return -tf.reduce_mean(tf.reduce_sum(tf.math.xlogy(w, w), 1))"),
        ("numpy", "def f(w):\n    return np.mean([-sum(x * np.log(x) for x in row if x > 0) for row in w])"),
    ],
    "05.self_attention": [
        (
            "torch",
            "def f(x, a, b, c):\n    q, k, v = x @ a, x @ b, x @ c\n"
            "    return torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        ),
        (
            "tf",
            "def f(x, a, b, c):\n    s = tf.matmul(x @ a, x @ b, transpose_b=True)\n"
            "    return tf.nn.softmax(s / b.shape[1] ** 0.5) @ (x @ c)",
        ),
    ],
    "05.over_image": [
        (
            "torch",
            "def f(i, a, b, c, gate):\n    x = i.flatten(1).T\n"
            "    w = torch.softmax((x @ a) @ (x @ b).T / b.shape[1] ** 0.5, 1)\n"
            "    return i + gate * (w @ (x @ c)).T.reshape(i.shape)",
        ),
        (
            "numpy",
            "def f(i, a, b, c, gate):\n    x = np.moveaxis(i, 0, -1).reshape(-1, len(i))\n"
            "    w = softmax((x @ a) @ (x @ b).T / np.sqrt(a.shape[1]))\n"
            "    y = (w @ (x @ c)).reshape(*i.shape[1:], len(i))\n    return i + gate * np.moveaxis(y, -1, 0)",
        ),
    ],
    "05.patches": [
        (
            "numpy",
            "def f(i, n):\n    C, H, W = i.shape\n    return np.array([i[:, r:r + n, c:c + n].ravel()\n"
            "                     for r in range(0, H, n) for c in range(0, W, n)])",
        ),
        ("torch", "def f(i, n):\n    return torch.nn.functional.unfold(i[None], n, stride=n)[0].T"),
    ],
    "05.weight_bytes": [
        ("numpy", "def f(h, w, heads, item):\n    return heads * item * h * w * h * w"),
        ("numpy", "def f(h, w, heads, item):\n    return np.int64(heads * item) * np.int64(h * w) ** 2"),
    ],
    "06.split_heads": [
        ("numpy", "def f(x, n):\n    return np.stack(np.split(x, n, axis=2), axis=1)"),
        ("torch", "def f(x, n):\n    return x.unflatten(-1, (n, -1)).transpose(1, 2)"),
        ("tf", "def f(x, n):\n    return tf.stack(tf.split(x, n, axis=-1), axis=1)"),
        (
            "numpy",
            "def f(x, num_heads):\n    B, T, width = x.shape\n"
            "    return x.reshape(B, T, int(num_heads), -1).swapaxes(1, 2)",
        ),
    ],
    "09.embed": [
        (
            "torch",
            "def f(x, waves):\n    return torch.addcmul(waves, x, torch.tensor(x.shape[1] ** 0.5, dtype=x.dtype))",
        ),
        ("tf", "def f(x, waves):\n    return x * x.shape[1] ** 0.5 + waves"),
    ],
    "09.smoothed_loss": [
        ("numpy", "def f(p, r, s):\n    return -(1 - s) * (p * r).sum(1) - s * p.mean(1)"),
        ("torch", "def f(p, r, s):\n    return -((1 - s) * r + s / r.shape[1]).mul(p).sum(-1)"),
    ],
    "09.look_across": [
        (
            "torch",
            "def f(x, m, a, b, c):\n    return torch.nn.functional.scaled_dot_product_attention(x @ a, m @ b, m @ c)",
        ),
    ],
    "06.two_heads": [
        (
            "torch",
            "def f(x, a, b, c, o):\n    split = lambda y: y.unflatten(-1, (2, -1)).transpose(0, 1)\n"
            "    y = torch.nn.functional.scaled_dot_product_attention(split(x @ a), split(x @ b), split(x @ c))\n"
            "    return y.transpose(0, 1).flatten(1) @ o",
        ),
    ],
    "06.additive_heads": [
        (
            "torch",
            "def f(q, k, v, w):\n    s = torch.einsum('htsk,hk->hts', torch.tanh(q[:, :, None] + k[:, None]), w)\n"
            "    return torch.softmax(s, -1) @ v",
        ),
        (
            "tf",
            "def f(q, k, v, w):\n    s = tf.einsum('htsk,hk->hts', tf.tanh(q[:, :, None] + k[:, None]), w)\n"
            "    return tf.nn.softmax(s) @ v",
        ),
    ],
    "06.parameters": [
        ("numpy", "def f(D, H, bias):\n    return 4 * D * D + (4 * D if bias else 0)"),
        ("numpy", "def f(D, H, bias):\n    K = D // H\n    return 3 * H * (D + bias) * K + (H * K + bias) * D"),
    ],
    "07.rotate": [
        (
            "torch",
            "def f(x, t):\n    n = x.shape[1] // 2\n    a = t[:, None] * 10000.0 ** (-torch.arange(n) / n)\n"
            "    c, s = torch.cos(a), torch.sin(a)\n"
            "    return torch.cat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)",
        ),
        (
            "tf",
            "def f(x, t):\n    n = x.shape[1] // 2\n    i = tf.range(n, dtype=x.dtype)\n"
            "    a = t[:, None] * 10000.0 ** (-i / n)\n    c, s = tf.cos(a), tf.sin(a)\n"
            "    return tf.concat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)",
        ),
        (
            "numpy",
            "def f(x, t):\n    n = x.shape[1] // 2\n    z = x[:, :n] + 1j * x[:, n:]\n"
            "    z = z * np.exp(1j * t[:, None] * 10000.0 ** (-np.arange(n) / n))\n"
            "    return np.hstack([z.real, z.imag])",
        ),
    ],
    "07.distances": [
        (
            "numpy",
            "def f(q, a):\n    T, k = len(q), len(a) // 2\n    s = q @ a.T\n"
            "    return np.array([[s[i, min(max(j - i, -k), k) + k] for j in range(T)] for i in range(T)])",
        ),
        (
            "torch",
            "def f(q, a):\n    T, k = len(q), len(a) // 2\n    i = torch.arange(T)\n"
            "    return (q @ a.T).gather(1, (i - i[:, None]).clamp(-k, k) + k)",
        ),
    ],
    "07.alibi": [
        (
            "numpy",
            "def f(q, k, v):\n    from attn_course.reference import alibi_bias\n"
            "    H, T, K = q.shape\n"
            "    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(K) + alibi_bias(H, T, k.shape[1])) @ v",
        ),
    ],
    "07.wavelength": [
        ("numpy", "def f(i, K, base):\n    return 2 * np.pi / base ** (-2 * i / K)"),
    ],
    "02.layer": [
        (
            "torch",
            "class Own(torch.nn.Module):\n    def __init__(self, D, E, A):\n        super().__init__()\n"
            "        self.query_weight = torch.nn.Parameter(torch.zeros(D, A))\n"
            "        self.memory_weight = torch.nn.Parameter(torch.zeros(E, A))\n"
            "        self.score_weight = torch.nn.Parameter(torch.zeros(A))\n"
            "    def forward(self, q, m, mask):\n"
            "        h = (q @ self.query_weight).unsqueeze(2) + (m @ self.memory_weight).unsqueeze(1)\n"
            "        s = torch.einsum('btsa,a->bts', h.tanh(), self.score_weight)\n"
            "        s = s + torch.where(mask, 0.0, -torch.inf)[:, None]\n"
            "        return torch.einsum('bts,bse->bte', s.softmax(-1), m)",
        ),
    ],
    "05.layer": [
        (
            "torch",
            "class Own(torch.nn.Module):\n    def __init__(self, D, K, V):\n        super().__init__()\n"
            "        for name, n in (('query', K), ('key', K), ('value', V)):\n"
            "            setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, n)))\n"
            "    def forward(self, x):\n        q, k, v = (x @ w for w in self.parameters())\n"
            "        return torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        ),
        (
            "tf",
            "class Own(keras.layers.Layer):\n    def __init__(self, D, K, V):\n        super().__init__()\n"
            "        self.wide = K, K, V\n"
            "    def build(self, shape):\n        new = [self.add_weight((shape[-1], n)) for n in self.wide]\n"
            "        self.query_weight, self.key_weight, self.value_weight = new\n"
            "    def call(self, x):\n        q, k = x @ self.query_weight, x @ self.key_weight\n"
            "        s = tf.einsum('btk,bsk->bts', q, k) / k.shape[-1] ** 0.5\n"
            "        return tf.einsum('bts,bsv->btv', tf.nn.softmax(s), x @ self.value_weight)",
        ),
    ],
}
