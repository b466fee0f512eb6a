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
    "15.interpolate": [
        (
            "torch",
            "def f(x, t, most):\n    n = x.shape[1] // 2\n    t = t / max(1.0, float(t.max() + 1) / most)\n"
            "    a = t[:, None] * 10000.0 ** (-torch.arange(n) / n)\n    c, s = torch.cos(a), torch.sin(a)\n"
            "    return torch.cat([x[:, :n] * c - x[:, n:] * s, x[:, :n] * s + x[:, n:] * c], 1)",
        ),
        (
            "numpy",
            "def f(x, t, most):\n    from attn_course.reference import rotary_frequencies, rotate\n"
            "    factor = max(1.0, (t.max() + 1) / most)\n"
            "    steps, _ = rotary_frequencies(x.shape[1], method='linear', factor=factor)\n"
            "    return rotate(x, t, frequencies=steps)",
        ),
    ],
    "15.yarn": [
        (
            "numpy",
            "def f(K, base, s, most):\n    from attn_course.reference import rotary_frequencies\n"
            "    return rotary_frequencies(K, base=base, method='yarn', factor=s, trained_length=most)[0]",
        ),
    ],
    "15.base": [("numpy", "def f(K, base, s):\n    return (base ** ((K - 2) / K) * s) ** (K / (K - 2))")],
    "15.turns": [
        (
            "numpy",
            "def f(K, base, most):\n    return sum(2 * np.pi * base ** (2 * p / K) > most for p in range(K // 2))",
        ),
    ],
    "08.layer_norm": [
        ("torch", "def f(x, s, b):\n    return torch.nn.functional.layer_norm(x, (x.shape[-1],), s, b, 1e-5)"),
        (
            "tf",
            "def f(x, s, b):\n    m, v = tf.nn.moments(x, axes=[-1], keepdims=True)\n"
            "    return (x - m) / tf.sqrt(v + 1e-5) * s + b",
        ),
        (
            "numpy",
            "def f(x, s, b):\n    return (x - x.mean(-1)[..., None]) / np.sqrt(x.var(-1)[..., None] + 1e-5) * s + b",
        ),
    ],
    "08.post_norm": [
        (
            "torch",
            "def f(x, w, v, i, o):\n    n = lambda z: torch.nn.functional.layer_norm(z, z.shape[-1:])\n"
            "    y = n(w @ x @ v + x)\n    return n(torch.relu(y @ i) @ o + y)",
        ),
    ],
    "08.pre_norm": [
        (
            "torch",
            "def f(x, w):\n    n = lambda z: torch.nn.functional.layer_norm(z, z.shape[-1:])\n"
            "    for i in range(len(w)):\n        x = x + n(x) @ w[i]\n    return n(x)",
        ),
        (
            "numpy",
            "def f(x, w):\n    n = lambda z: (z - z.mean(-1)[:, None]) / np.sqrt(z.var(-1)[:, None] + 1e-5)\n"
            "    y = x.copy()\n    for m in w:\n        y += n(y) @ m\n    return n(y)",
        ),
    ],
    "09.decoder_parameters": [
        ("numpy", "def f(D, F):\n    return 8 * (D * D + D) + (D + 1) * F + (F + 1) * D + 3 * 2 * D"),
    ],
    "09.across": [
        (
            "torch",
            "class Own(torch.nn.Module):\n    def __init__(self, D):\n        super().__init__()\n"
            "        for name in ('query', 'key', 'value'):\n"
            "            setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, D)))\n"
            "    def forward(self, x, memory):\n"
            "        q, k, v = x @ self.query_weight, memory @ self.key_weight, memory @ self.value_weight\n"
            "        return torch.nn.functional.scaled_dot_product_attention(q, k, v) + x",
        ),
    ],
    "08.parameters": [
        ("numpy", "def f(D, F):\n    return 4 * D**2 + 2 * D * F + 9 * D + F"),
    ],
    "08.block": [
        (
            "torch",
            "class Own(torch.nn.Module):\n    def __init__(self, D, F):\n        super().__init__()\n"
            "        for name, size in (('scale', (D,)), ('bias', (D,)), ('inner', (D, F)), ('outer', (F, D))):\n"
            "            setattr(self, name, torch.nn.Parameter(torch.zeros(size)))\n"
            "    def forward(self, x):\n"
            "        y = torch.nn.functional.layer_norm(x, x.shape[-1:], self.scale, self.bias)\n"
            "        return (y @ self.inner).relu() @ self.outer + x",
        ),
    ],
    "11.recurrent": [
        (
            "numpy",
            "def f(q, k, v):\n    from attn_course.reference import linear_attention\n"
            "    return linear_attention(q, k, v, causal=True, epsilon=0.0)[0]",
        ),
        (
            "torch",
            "def f(q, k, v):\n    q, k = (torch.nn.functional.elu(x) + 1 for x in (q, k))\n"
            "    pairs = (q @ k.T).tril()\n    return pairs @ v / pairs.sum(1, keepdim=True)",
        ),
        (
            "tf",
            "def f(q, k, v):\n    q, k = tf.nn.elu(q) + 1, tf.nn.elu(k) + 1\n"
            "    s = tf.cumsum(k[:, :, None] * v[:, None], axis=0)\n    z = tf.cumsum(k, axis=0)\n"
            "    return tf.einsum('tk,tkv->tv', q, s) / tf.reduce_sum(q * z, 1)[:, None]",
        ),
    ],
    "11.chunks": [
        (
            "numpy",
            "def f(q, k, v, size):\n    pairs = np.tril(q @ k.T)\n    return pairs @ v / pairs.sum(1)[:, None]",
        ),
    ],
    "11.delta": [
        (
            "numpy",
            "def f(q, k, v, b, a):\n    from attn_course.reference import delta_rule_attention\n"
            "    return delta_rule_attention(q, k, v, b, decay=a)[0]",
        ),
        (
            "torch",
            "def f(q, k, v, b, a):\n    S = torch.zeros(k.shape[1], v.shape[1], dtype=k.dtype)\n    out = []\n"
            "    for t in range(len(q)):\n        erase = torch.eye(k.shape[1], dtype=k.dtype)\n"
            "        erase = erase - b[t] * torch.outer(k[t], k[t])\n"
            "        S = a[t] * erase @ S + b[t] * torch.outer(k[t], v[t])\n        out.append(q[t] @ S)\n"
            "    return torch.stack(out)",
        ),
    ],
    "11.features": [
        (
            "numpy",
            "def f(x, rows):\n    from attn_course.reference import softmax_features\n"
            "    return softmax_features(x, rows)",
        ),
        (
            "tf",
            "def f(x, rows):\n    y = x / x.shape[1] ** 0.25\n"
            "    e = tf.matmul(y, rows, transpose_b=True) - tf.reduce_sum(y * y, 1)[:, None] / 2\n"
            "    return tf.exp(e) * len(rows) ** -0.5",
        ),
    ],
    "11.overwrite": [
        ("numpy", "def f(a, b, c):\n    return (1 - c * c) * a + c * b"),
    ],
    "11.layer": [
        (
            "torch",
            "class Own(torch.nn.Module):\n    def __init__(self, D, K, V):\n        super().__init__()\n"
            "        for name, shape in (('query', (D, K)), ('key', (D, K)), ('value', (D, V)), ('gate', (D,))):\n"
            "            setattr(self, name + '_weight', torch.nn.Parameter(torch.zeros(shape)))\n"
            "    def forward(self, x):\n        q, k, v = x @ self.query_weight, x @ self.key_weight, "
            "x @ self.value_weight\n"
            "        g = torch.nn.functional.logsigmoid(x @ self.gate_weight).cumsum(1)\n"
            "        left = (g[:, :, None] - g[:, None]).exp().tril()\n"
            "        return (q @ k.mT * left) @ v",
        ),
    ],
    "10.strided": [
        (
            "numpy",
            "def f(n, l):\n    return sliding(n, l) | column(n, l)\n"
            "def sliding(n, l):\n    return np.tri(n, dtype=bool) & ~np.tri(n, k=-l - 1, dtype=bool)\n"
            "def column(n, l):\n    i = np.arange(n)\n    return (i[:, None] % l == i % l) & np.tri(n, dtype=bool)",
        ),
        (
            "torch",
            "def f(n, l):\n    b = torch.arange(n)[:, None] - torch.arange(n)\n"
            "    return ((b <= l) | (b % l == 0)).tril()",
        ),
    ],
    "10.window": [
        (
            "numpy",
            "def f(q, k, v, w):\n    rows = []\n    for i in range(len(q)):\n        j = max(0, i - w + 1)\n"
            "        s = k[j : i + 1] @ q[i] / np.sqrt(q.shape[1])\n        e = np.exp(s - s.max())\n"
            "        rows.append(e / e.sum() @ v[j : i + 1])\n    return np.array(rows)",
        ),
        (
            "torch",
            "def f(q, k, v, w):\n    s = q @ k.T / q.shape[1] ** 0.5\n"
            "    seen = torch.ones_like(s).bool().tril().triu(1 - w)\n"
            "    return s.masked_fill(~seen, -torch.inf).softmax(-1) @ v",
        ),
    ],
    "10.fixed": [
        (
            "numpy",
            "def f(q, k, v, l, c):\n    from attn_course.masks import fixed_mask\n"
            "    s = q @ k.T / np.sqrt(q.shape[1])\n"
            "    return softmax(np.where(fixed_mask(len(q), len(q), l, c), s, -np.inf)) @ v",
        ),
    ],
    "10.reach": [
        (
            "numpy",
            "def f(n, w):\n    steps, far = 0, 0\n    while far < n - 1:\n"
            "        steps, far = steps + 1, far + w - 1\n    return steps",
        ),
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
    "12.buckets": [
        ("numpy", "def f(x, d):\n    return [[int(np.argmax(np.r_[v @ r, -(v @ r)])) for v in x] for r in d]"),
        ("torch", "def f(x, d):\n    return (x @ torch.cat([d, -d], 2)).argmax(2)"),
        ("tf", "def f(x, d):\n    return tf.argmax(x @ tf.concat([d, -d], 2), axis=2)"),
    ],
    "12.merged": [
        ("torch", "def f(o, l):\n    return torch.einsum('rt,rtv->tv', torch.softmax(l, 0), o)"),
        (
            "numpy",
            "def f(o, l):\n    w = np.exp(l - l.max(0))\n"
            "    return np.stack([w[:, t] @ o[:, t] / w[:, t].sum() for t in range(l.shape[1])])",
        ),
    ],
    "12.allowed": [
        (
            "numpy",
            "def f(b, n):\n    order = sorted(range(len(b)), key=lambda i: (b[i], i))\n"
            "    chunk = {i: place // n for place, i in enumerate(order)}\n    rows = []\n"
            "    for i in range(len(b)):\n"
            "        row = [i != j and b[i] == b[j] and chunk[i] - chunk[j] in (0, 1) for j in range(len(b))]\n"
            "        rows.append(row if any(row) else [i == j for j in range(len(b))])\n"
            "    return np.array(rows)",
        ),
    ],
    "12.rounds": [
        ("numpy", "def f(p, w):\n    r = 1\n    while 1 - (1 - p) ** r < w:\n        r += 1\n    return r"),
    ],
    "12.layer": [
        (
            "torch",
            "class Own(torch.nn.Module):\n    def __init__(self, D, L, R):\n        super().__init__()\n"
            "        for name in ('query', 'key', 'value'):\n"
            "            setattr(self, name + '_weight', torch.nn.Parameter(torch.empty(D, D)))\n"
            "        for name in ('key', 'value'):\n"
            "            setattr(self, name + '_projection', torch.nn.Parameter(torch.empty(R, L)))\n"
            "    def forward(self, x):\n        T = x.shape[1]\n"
            "        k = torch.einsum('rt,bti,ij->brj', self.key_projection[:, :T], x, self.key_weight)\n"
            "        v = torch.einsum('rt,bti,ij->brj', self.value_projection[:, :T], x, self.value_weight)\n"
            "        return torch.nn.functional.scaled_dot_product_attention(x @ self.query_weight, k, v)",
        ),
    ],
    "13.grouped": [
        (
            "torch",
            "def f(q, k, v):\n    T, S = q.shape[1], k.shape[1]\n"
            "    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T)\n"
            "    return torch.nn.functional.scaled_dot_product_attention(\n"
            "        q[None], k[None], v[None], mask, enable_gqa=True)[0]",
        ),
        (
            "numpy",
            "def f(q, k, v):\n    n, (T, S) = len(q) // len(k), (q.shape[1], k.shape[1])\n"
            "    k, v = np.repeat(k, n, 0), np.repeat(v, n, 0)\n"
            "    s = np.einsum('htk,hsk->hts', q, k) * k.shape[2] ** -0.5\n"
            "    s[:, ~np.tri(T, S, S - T, dtype=bool)] = -np.inf\n    return softmax(s) @ v",
        ),
    ],
    "13.decode": [
        (
            "numpy",
            "def f(q, k, v, pk, pv):\n    out = []\n    for h in range(len(q)):\n        g = h * len(k) // len(q)\n"
            "        keys, values = np.vstack([pk[g], k[g]]), np.vstack([pv[g], v[g]])\n"
            "        out.append(softmax(keys @ q[h] / len(q[h]) ** 0.5) @ values)\n    return out",
        ),
    ],
    "13.ring": [
        (
            "numpy",
            "def f(n, w, s):\n    slots = [-1] * (s + w)\n"
            "    for p in [*range(min(n, s)), *range(max(s, n - w), n)]:\n"
            "        slots[p if p < s else s + (p - s) % w] = p\n    return slots",
        ),
    ],
    "13.cache_size": [
        ("numpy", "def f(a, b, G, K, n, w):\n    return sum(4 * G * K * m for m in [n] * a + [min(n, w)] * b)"),
    ],
    "14.merge": [
        (
            "numpy",
            "def f(m1, l1, c1, m2, l2, c2):\n    m = np.maximum(m1, m2)\n    e = np.exp(np.stack([m1, m2]) - m)\n"
            "    c = e[0, :, None] * c1 + e[1, :, None] * c2\n    return c / (e * [l1, l2]).sum(0)[:, None]",
        ),
        (
            "torch",
            "def f(m1, l1, c1, m2, l2, c2):\n    a = m1 + l1.log()\n    b = m2 + l2.log()\n"
            "    s = torch.sigmoid(a - b)\n    one = torch.where(l1 > 0, 1 / l1, 0.0) * s\n"
            "    two = torch.where(l2 > 0, 1 / l2, 0.0) * (1 - s)\n"
            "    return one[:, None] * c1 + two[:, None] * c2",
        ),
    ],
    "14.tiled": [
        (
            "torch",
            "def f(q, k, v, size):\n    return torch.nn.functional.scaled_dot_product_attention(q, k, v)",
        ),
        ("numpy", "def f(q, k, v, size):\n    return softmax(q @ k.T / k.shape[1] ** 0.5) @ v"),
    ],
    "14.visited": [
        ("numpy", "def f(n, c):\n    return sum(i // c + 1 for i in range(0, n, c))"),
        ("numpy", "def f(n, c):\n    b = int(np.ceil(n / c))\n    return int(np.tri(b).sum())"),
    ],
    "14.backward": [
        (
            "numpy",
            "def f(q, k, v, o, l, g):\n    w = softmax(q @ k.T / k.shape[1] ** 0.5)\n    d = g @ v.T\n"
            "    d = w * (d - (w * d).sum(1, keepdims=True))\n    return d @ k / k.shape[1] ** 0.5",
        ),
    ],
}
