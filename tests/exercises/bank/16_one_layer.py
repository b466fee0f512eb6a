# %% sink, right: numpy
def f(score, mask, sink):
    score = np.where(mask, score, -np.inf)
    top = np.maximum(score.max(-1, keepdims=True), sink[:, None, None])
    found = np.exp(score - top)
    return found / (found.sum(-1, keepdims=True) + np.exp(sink[:, None, None] - top))


# %% sink, right: torch
def f(score, mask, sink):
    score = score.masked_fill(~mask, -torch.inf)
    joined = torch.cat([score, sink[:, None, None].expand(-1, score.shape[1], 1)], -1)
    return joined.softmax(-1)[..., :-1]


# %% sink, right: tf
def f(score, mask, sink):
    score = tf.where(mask, score, tf.constant(-np.inf, score.dtype))
    column = tf.broadcast_to(sink[:, None, None], (score.shape[0], score.shape[1], 1))
    return tf.nn.softmax(tf.concat([score, column], -1))[..., :-1]


# %% norm, right: numpy
def f(query, gain):
    B, H, T, K = query.shape
    flat = query.transpose(0, 2, 1, 3).reshape(B, T, H * K)
    flat = flat / np.sqrt((flat**2).mean(-1, keepdims=True) + 1e-6) * gain.reshape(-1)
    return flat.reshape(B, T, H, K).transpose(0, 2, 1, 3)


# %% norm, right: torch
lambda query, gain: query * (query.square().mean((1, 3), True) + 1e-6).rsqrt() * gain[:, None]


# %% chosen, right: numpy
def f(score, count, sinks):
    raised = np.where(np.arange(len(score)) < sinks, np.inf, score)
    order = np.argsort(np.argsort(-raised, kind="stable"), kind="stable")
    return order < count


# %% chosen, right: torch
def f(score, count, sinks):
    raised = score.clone()
    raised[:sinks] = torch.inf
    kept = torch.zeros(len(score), dtype=torch.bool)
    kept[raised.topk(min(count, len(score))).indices] = True
    return kept


# %% chosen, right: tf
def f(score, count, sinks):
    places = tf.range(len(score))
    raised = tf.where(places < sinks, tf.constant(np.inf, score.dtype), score)
    best = tf.math.top_k(raised, min(count, len(score))).indices
    return tf.reduce_any(places[:, None] == best[None], axis=1)


# %% share, right: torch
def f(count, score, sink):
    scores = torch.full((count,), score, dtype=torch.float64)
    return torch.sigmoid(scores.logsumexp(0) - sink)


# %% share, right: tf
lambda count, score, sink: tf.sigmoid(tf.reduce_logsumexp(tf.fill([count], tf.constant(score, tf.float64))) - sink)


# %% layer, wrong
gate = torch.sigmoid(x @ self.weight.detach() + self.bias)
# %% layer, wrong
gate = torch.sigmoid(x @ self.weight + self.bias.detach())
# %% layer, wrong
gate = torch.sigmoid(x.detach() @ self.weight + self.bias)
# %% layer, wrong
return context.detach() * gate.mT[..., None]
# %% layer, wrong
self.bias = torch.zeros(num_heads)


# %% test_sink, right: numpy
def test(sink_softmax):
    """Properties alone: the rows' sums, the ratios of weights, and what a mask leaves out."""
    rng = np.random.default_rng(1)
    for scale in (1.0, 700.0):
        score, sink = scale * rng.normal(size=(3, 4, 6)), np.array([2.0, 0.5, -1.0])
        mask = rng.random((4, 6)) < 0.5
        mask[:, 1], mask[3] = True, False
        out = sink_softmax(score, mask, sink)
        assert out.shape == score.shape and np.allclose(out[:, 3], 0)
        assert np.allclose(out[:, ~mask], 0)
        for h in range(3):
            for t in range(3):
                top = score[h, t, mask[t]].max()
                lse = top + np.log(np.exp(score[h, t, mask[t]] - top).sum())
                assert np.allclose(out[h, t, mask[t]], np.exp(score[h, t, mask[t]] - np.logaddexp(lse, sink[h])))


# %% test_sink, right: numpy 2
def test(sink_softmax):
    """One key: its weight is a sigmoid; and two, by hand."""
    one = np.ones((1, 1), bool)
    for score, sink in ((0.0, 1.0), (2.0, -1.0), (-3.0, 0.5)):
        found = sink_softmax(np.array([[[score]], [[score]]]), one, np.array([sink, 2 * sink]))
        assert np.allclose(found[:, 0, 0], 1 / (1 + np.exp(np.array([sink, 2 * sink]) - score)))
    score = np.array([[[np.log(2.0), 5.0, 0.0], [0.0, 0.0, 0.0]]])
    mask = np.array([[True, False, True], [False, False, False]])
    found = sink_softmax(score, mask, np.array([np.log(5.0)]))
    assert found.shape == (1, 2, 3) and np.allclose(found, [[[0.25, 0, 0.125], [0, 0, 0]]])
    found = sink_softmax(np.array([[[900.0, 900.0]]]), np.ones((1, 2), bool), np.zeros(1))
    assert np.allclose(found, 0.5)


# %% test_sink, wrong: it finds 0 of 10: nothing is tested
def test(sink_softmax):
    pass


# %% test_sink, wrong: it refuses a right function: rows of a softmax with a sink don't sum to 1
def test(sink_softmax):
    assert np.allclose(sink_softmax(np.ones((2, 3, 4)), np.ones((3, 4), bool), np.ones(2)).sum(-1), 1)


# %% test_sink, wrong: it refuses a right function: rounding is no mistake
def test(sink_softmax):
    score, sink = np.arange(6.0).reshape(1, 2, 3), np.array([0.3])
    e = np.exp(score)
    assert (sink_softmax(score, np.ones((2, 3), bool), sink) == e / (e.sum(2, keepdims=True) + np.exp(0.3))).all()


# %% test_sink, wrong: it refuses a right function: an empty row is even there
def test(sink_softmax):
    assert np.allclose(sink_softmax(np.ones((1, 1, 2)), np.zeros((1, 2), bool), np.zeros(1)), 1 / 3)


# %% test_sink, wrong: it finds: sums below 1 alone
def test(sink_softmax):
    assert (sink_softmax(np.ones((2, 3, 4)), np.ones((3, 4), bool), np.ones(2)).sum(-1) < 1).all()
