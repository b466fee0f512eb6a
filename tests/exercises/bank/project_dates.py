# %% pad, right: numpy
def f(texts, characters):
    width = max(len(text) for text in texts)
    rows = [[characters.find(each) + 4 for each in text] for text in texts]
    rows = [[number if number > 3 else 3 for number in row] for row in rows]
    tokens = np.array([row + [0] * (width - len(row)) for row in rows])
    return tokens, tokens > 0


# %% pad, right: torch
def f(texts, characters):
    rows = [torch.tensor([characters.find(c) + 4 for c in text], dtype=torch.long) for text in texts]
    tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return tokens, tokens != 0


# %% annotate, right: numpy
def f(x, mask, weight, bias):
    x, out = np.where(mask[..., None], x, 0), np.zeros((*x.shape[:2], len(bias))) + bias
    side, S = len(weight) // 2, x.shape[1]
    for i, each in enumerate(weight):
        for s in range(S):
            if 0 <= s + i - side < S:
                out[:, s] += x[:, s + i - side] @ each
    return np.tanh(out)


# %% annotate, right: torch
def f(x, mask, weight, bias):
    x = (x * mask[..., None]).mT
    kernel = weight.permute(2, 1, 0)
    return torch.nn.functional.conv1d(x, kernel, bias, padding=len(weight) // 2).mT.tanh()


# %% annotate, right: tf
def f(x, mask, weight, bias):
    x = tf.where(mask[..., None], x, tf.zeros_like(x))
    return tf.tanh(tf.nn.conv1d(x, weight, 1, "SAME") + bias)


# %% score, right: torch
lambda q, m, W, U, v: torch.einsum("bsa,a->bs", torch.tanh((q @ W).unsqueeze(1) + m @ U), v)


# %% weights, right: numpy
def f(s, m):
    top = np.where(m, s, -1e300).max(1, keepdims=True)
    e = np.exp(np.where(m, s - top, -1e300)) * m
    n = e.sum(1, keepdims=True)
    return e / np.where(n == 0, 1, n)


# %% weights, right: torch
def f(s, m):
    empty = ~m.any(1, keepdim=True)
    return torch.softmax(s.masked_fill(~(m | empty), -torch.inf), 1).masked_fill(empty, 0)


# %% weights, right: tf
def f(s, m):
    top = tf.reduce_max(tf.where(m, s, s.dtype.min), 1, keepdims=True)
    e = tf.where(m, tf.exp(tf.where(m, s - top, tf.zeros_like(s))), tf.zeros_like(s))
    return tf.math.divide_no_nan(e, tf.reduce_sum(e, 1, keepdims=True))


# %% context, right: numpy
lambda w, m: (w[:, :, None] * m).sum(1)
# %% context, right: torch
lambda w, m: torch.einsum("bs,bse->be", w, m)
# %% context, right: tf
lambda w, m: tf.linalg.matvec(m, w, transpose_a=True)


# %% step, right: torch
def f(token, s, m, mask, p):
    e = torch.tanh((s @ p["query_weight"])[:, None] + m @ p["memory_weight"]) @ p["score_weight"]
    c = torch.einsum("bs,bse->be", e.masked_fill(~mask, -torch.inf).softmax(1), m)
    y = torch.nn.functional.embedding(token, p["target"])
    s = torch.addmm(p["state_bias"], torch.hstack([y, c, s]), p["state_weight"]).tanh()
    return torch.addmm(p["output_bias"], torch.hstack([s, c]), p["output_weight"]), s


# %% loss, right: numpy
def f(logits, target):
    real = target != 0
    x, t = logits[real], target[real]
    x = x - x.max(1, keepdims=True)
    return (np.log(np.exp(x).sum(1)) - x[np.arange(len(t)), t]).mean()


# %% loss, right: torch
lambda x, t: torch.nn.functional.cross_entropy(x.mT, t, ignore_index=0)


# %% loss, right: tf
def f(logits, target):
    real = target != 0
    x, t = tf.boolean_mask(logits, real), tf.boolean_mask(target, real)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(t, x))


# %% greedy, right: torch
def f(step, state, begin, end, length):
    token, out = state.new_full((len(state),), begin, dtype=torch.long), []
    for _ in range(length):
        logits, state = step(token, state)
        token = logits.max(-1).indices
        out.append(token)
    out = torch.stack(out, 1)
    after = (out == end).cumsum(1) - (out == end).long() > 0
    return out.masked_fill(after, 0)
