"""The project's starters and solutions in both frameworks, as its page has them."""


def _starter(head, comment):
    return f"def my_{head}:\n    ...  # {comment}\n"


def _both(head, comment):
    return dict.fromkeys(("torch", "tf"), _starter(head, comment))


STARTERS = {
    "pad": {
        "numpy": (
            "def pad(texts, characters):\n"
            "    ...  # list of B texts, text; return (B, S), (B, S) bool\n"
        )
    },
    "annotate": _both(
        "annotate(x, mask, weight, bias)",
        "(B, S, M), (B, S), (W, M, E), (E); return (B, S, E)",
    ),
    "score": _both(
        "score(query, memory, W, U, v)",
        "(B, D), (B, S, E), (D, A), (E, A), (A); return (B, S)",
    ),
    "weights": _both("weights(score, mask)", "(B, S), (B, S) bool; return (B, S)"),
    "context": _both("context(weights, memory)", "(B, S), (B, S, E); return (B, E)"),
    "step": _both(
        "step(token, state, memory, mask, p)",
        "(B), (B, H), (B, S, E), (B, S); return (B, N), (B, H)",
    ),
    "loss": _both("loss(logits, target)", "(B, T, N), (B, T); return a number"),
    "greedy": _both(
        "greedy(step, state, begin, end, length)",
        "state has B rows; return (B, length)",
    ),
}

_TORCH = {
    "annotate": """\
def annotate_torch(x, mask, weight, bias):
    W, S = len(weight), x.shape[1]
    side = (W - 1) // 2
    x = torch.nn.functional.pad(x * mask[:, :, None], (0, 0, side, side))
    total = sum(x[:, i : i + S] @ weight[i] for i in range(W))
    return torch.tanh(total + bias)
""",
    "score": """\
def score_torch(query, memory, W, U, v):
    asked = (query @ W)[:, None]                # (B, 1, A)
    return torch.tanh(asked + memory @ U) @ v   # (B, S)
""",
    "weights": """\
def weights_torch(score, mask):
    low = torch.finfo(score.dtype).min          # finite, unlike -inf
    score = score.masked_fill(~mask, low)
    return torch.softmax(score, dim=1) * mask
""",
    "context": """\
def context_torch(weights, memory):
    return (weights[:, None] @ memory)[:, 0]
""",
    "step": """\
def step_torch(token, state, memory, mask, p):
    score = score_torch(state, memory, p["query_weight"],
                        p["memory_weight"], p["score_weight"])
    context = context_torch(weights_torch(score, mask), memory)
    seen = torch.cat([p["target"][token], context, state], 1)
    state = torch.tanh(seen @ p["state_weight"] + p["state_bias"])
    seen = torch.cat([state, context], 1)
    return seen @ p["output_weight"] + p["output_bias"], state
""",
    "loss": """\
def loss_torch(logits, target):
    each = torch.nn.functional.cross_entropy(
        logits.mT, target, reduction="none")    # (B, T)
    real = target != 0
    return (each * real).sum() / real.sum()
""",
    "greedy": """\
def greedy_torch(step, state, begin, end, length):
    token = torch.full((len(state),), begin)
    ended, written = torch.zeros(len(state), dtype=torch.bool), []
    for _ in range(length):
        logits, state = step(token, state)
        token = logits.argmax(1).masked_fill(ended, 0)
        written.append(token)
        ended = ended | (token == end)
    return torch.stack(written, 1)
""",
}

_TF = {
    "annotate": """\
def annotate_tf(x, mask, weight, bias):
    W, S = weight.shape[0], x.shape[1]
    side = (W - 1) // 2
    x = x * tf.cast(mask, x.dtype)[:, :, None]
    x = tf.pad(x, ((0, 0), (side, side), (0, 0)))
    total = sum(x[:, i : i + S] @ weight[i] for i in range(W))
    return tf.tanh(total + bias)
""",
    "score": """\
def score_tf(query, memory, W, U, v):
    asked = (query @ W)[:, None]                # (B, 1, A)
    return tf.linalg.matvec(tf.tanh(asked + memory @ U), v)  # (B, S)
""",
    "weights": """\
def weights_tf(score, mask):
    low = score.dtype.min                       # finite, unlike -inf
    score = tf.where(mask, score, low)
    return tf.nn.softmax(score) * tf.cast(mask, score.dtype)
""",
    "context": """\
def context_tf(weights, memory):
    return (weights[:, None] @ memory)[:, 0]
""",
    "step": """\
def step_tf(token, state, memory, mask, p):
    score = score_tf(state, memory, p["query_weight"],
                     p["memory_weight"], p["score_weight"])
    context = context_tf(weights_tf(score, mask), memory)
    seen = tf.concat([tf.gather(p["target"], token), context, state], 1)
    state = tf.tanh(seen @ p["state_weight"] + p["state_bias"])
    seen = tf.concat([state, context], 1)
    return seen @ p["output_weight"] + p["output_bias"], state
""",
    "loss": """\
def loss_tf(logits, target):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(
        target, logits)                         # (B, T)
    real = tf.cast(target != 0, each.dtype)
    return tf.reduce_sum(each * real) / tf.reduce_sum(real)
""",
    "greedy": """\
def greedy_tf(step, state, begin, end, length):
    token = tf.fill([len(state)], begin)
    ended, written = tf.zeros([len(state)], tf.bool), []
    for _ in range(length):
        logits, state = step(token, state)
        token = tf.argmax(logits, 1, tf.int32) * tf.cast(~ended, tf.int32)
        written.append(token)
        ended = ended | (token == end)
    return tf.stack(written, 1)
""",
}


def _answer(texts, name):
    """The text alone, or after those that it calls."""
    called = ("score", "weights", "context") if name == "step" else ()
    return "\n\n".join(texts[each] for each in (*called, name))


ANSWERS = {
    name: {"torch": _answer(_TORCH, name), "tf": _answer(_TF, name)} for name in _TORCH
}
