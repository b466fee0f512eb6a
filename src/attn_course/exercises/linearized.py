"""Exercises of chapter 11."""

import numpy as np

from attn_course.exercises.exercise import Case, Exercise, fixed_cases, softmax


def _three_cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        return query, key, rng.normal(size=(T, V))

    def large(query, key, value):
        return 30 * query, key, value

    return fixed_cases(rng, draw, 3, long=(0,), large=large)


def recurrent(query, key, value):
    def above_zero(x):
        return np.maximum(x, 0) + np.exp(np.minimum(x, 0))

    state = np.zeros((key.shape[1], value.shape[1]))
    total, output = np.zeros(key.shape[1]), np.zeros(value.shape)
    for t in range(len(key)):
        q, k = above_zero(query[t]), above_zero(key[t])
        state = state + np.outer(k, value[t])
        total = total + k
        output[t] = q @ state / (q @ total)
    return output


def _chunk_cases(rng):
    def draw(T, F, V, size):
        query, key = rng.uniform(0.1, 2.0, size=(2, T, F))
        return query, key, rng.normal(size=(T, V)), size

    cases = fixed_cases(rng, draw, 4, equal=None, long=(0,))
    cases.append(Case("equal sizes", draw(5, 5, 5, 5)))
    cases.append(Case("a last chunk that is not full", draw(11, 3, 2, 4)))
    cases.append(Case("chunks that divide the length", draw(12, 3, 2, 4)))
    return [*cases, Case("a chunk longer than the input", draw(5, 3, 2, 7))]


def in_chunks(query, key, value, size):
    state = np.zeros((key.shape[1], value.shape[1]))
    total, outputs = np.zeros(key.shape[1]), []
    for start in range(0, len(key), size):
        q, k, v = (x[start : start + size] for x in (query, key, value))
        pairs = np.tril(q @ k.T)
        norm = pairs.sum(axis=1) + q @ total
        outputs.append((pairs @ v + q @ state) / norm[:, None])
        state, total = state + k.T @ v, total + k.sum(axis=0)
    return np.concatenate(outputs)


def _delta_cases(rng):
    def draw(T, K, V):
        query, key = rng.normal(size=(2, T, K))
        key = key / np.linalg.norm(key, axis=1, keepdims=True)
        beta, decay = rng.uniform(0.2, 0.95, size=(2, T))
        return query, key, rng.normal(size=(T, V)), beta, decay

    cases = fixed_cases(rng, draw, 3, long=(0,))
    query, key, value, beta, decay = draw(7, 3, 2)
    same = np.tile(key[:1], (7, 1))
    cases.append(
        Case("one key, written again and again", (same, same, value, beta, decay))
    )
    ones = np.ones(7)
    cases.append(Case("nothing fades", (query, key, value, beta, ones)))
    return [*cases, Case("everything is written", (query, key, value, ones, decay))]


def delta(query, key, value, beta, decay):
    state = np.zeros((key.shape[1], value.shape[1]))
    output = np.zeros((len(query), value.shape[1]))
    for t in range(len(query)):
        state = decay[t] * state
        missing = value[t] - key[t] @ state
        state = state + beta[t] * np.outer(key[t], missing)
        output[t] = query[t] @ state
    return output


def _feature_cases(rng):
    def draw(T, K, m):
        return rng.normal(size=(T, K)), rng.normal(size=(m, K))

    cases = fixed_cases(rng, draw, 3, long=(2,))
    cases.append(Case("one feature of zeros", (np.zeros((2, 3)), np.ones((1, 3)))))
    return [
        *cases,
        Case("long vectors", (3 * rng.normal(size=(3, 5)), rng.normal(size=(7, 5)))),
    ]


def positive_features(x, rows):
    y = x / x.shape[1] ** 0.25
    half = (y**2).sum(axis=1, keepdims=True) / 2
    return np.exp(y @ rows.T - half) / np.sqrt(len(rows))


def _overlap_cases(rng):
    cases = [
        Case("another overlap", tuple(float(x) for x in rng.uniform(0.2, 0.9, 3)))
        for _ in range(3)
    ]
    cases.append(Case("the same key", (3.0, 5.0, 1.0)))
    cases.append(Case("keys at right angles", (3.0, 5.0, 0.0)))
    return [*cases, Case("opposite keys", (2.0, 7.0, -1.0))]


def read_back(first, second, overlap):
    return first + overlap * (second - overlap * first)


def _layer_cases(rng):
    def draw(B, T, D, K, V):
        shapes = (D, K), (D, K), (D, V), (D,)
        names = "query_weight", "key_weight", "value_weight", "gate_weight"
        weights = {
            name: (rng.normal(size=shape) / np.sqrt(D)).astype(np.float32)
            for name, shape in zip(names, shapes, strict=True)
        }
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, K, V), (x,), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 3, 11)),
        Case("an axis of size 1", draw(1, 5, 3, 2, 7)),
        Case("an axis of size 1", draw(2, 1, 3, 5, 7)),
        Case("an axis of size 1", draw(2, 3, 5, 1, 1)),
    ]


def layer(x, query_weight, key_weight, value_weight, gate_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    decay = 1 / (1 + np.exp(-(x @ gate_weight)))
    state = np.zeros((len(x), key.shape[2], value.shape[2]))
    output = np.zeros(value.shape)
    for t in range(x.shape[1]):
        write = key[:, t, :, None] * value[:, t, None, :]
        state = decay[:, t, None, None] * state + write
        output[:, t] = np.einsum("bk,bkv->bv", query[:, t], state)
    return output


EXERCISES = (
    Exercise(
        name="11.recurrent",
        level=1,
        minutes=15,
        before="04.attention",
        statement=(
            "Write causal linear attention as a recurrent network, `recurrent(query, "
            "key, value)`: query and key (T, K), value (T, V), features elu(x) + 1, "
            "that is x + 1 above zero and exp(x) below; output (T, V). No matrix of "
            "all pairs."
        ),
        cases=_three_cases,
        solution=recurrent,
        mistakes={
            "the normalizer is missing: divide by the query times the sum of keys": (
                " / (q @ total)",
                "",
            ),
            "the output is read before the own key is written": (
                (
                    "        state = state + np.outer(k, value[t])\n"
                    "        total = total + k\n"
                    "        output[t] = q @ state / (q @ total)",
                    "        output[t] = q @ state / max(q @ total, 1e-9)\n"
                    "        state = state + np.outer(k, value[t])\n"
                    "        total = total + k",
                ),
            ),
            "the features are missing: elu(x) + 1 of query and key": (
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0))",
                "x",
            ),
            "the 1 of elu(x) + 1 is missing": (
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0))",
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0)) - 1",
            ),
            "these are the features of softmax, exp(x); elu(x) + 1 is x + 1 above 0": (
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0))",
                "np.exp(x)",
            ),
            "relu has zeros; elu(x) + 1 is exp(x) below 0": (
                "np.exp(np.minimum(x, 0))",
                "(x > 0)",
            ),
            "the state forgets what was before": ("state + np.outer", "np.outer"),
            "the normalizer is that of the last key alone": ("total + k", "k"),
            "it divides by the number of keys, not by their similarity": (
                "(q @ total)",
                "(t + 1)",
            ),
            "the query has no features": ("above_zero(query[t])", "query[t]"),
            "the query is the key": ("above_zero(query[t])", "above_zero(key[t])"),
            "the outer product is transposed": (
                "np.outer(k, value[t])",
                "np.outer(value[t], k)",
            ),
            "it divides by the root of the width, not by the sum": (
                "(q @ total)",
                "np.sqrt(key.shape[1])",
            ),
            "elu(x) + 1 is x + 1 above zero, not x": (
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0))",
                "np.where(x > 0, x, np.exp(np.minimum(x, 0)))",
            ),
            "elu(x) + 1 is exp(x) below zero, not exp(x) + 1": (
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0))",
                "np.maximum(x, 0) + np.exp(np.minimum(x, 0)) + (x <= 0)",
            ),
            "that is softmax attention": (
                lambda query, key, value: (
                    softmax(np.where(np.tri(len(query)) > 0, query @ key.T, -np.inf))
                    @ value
                )
            ),
        },
        hints=(
            "Two sums go from token to token: of key times value, and of keys.",
            "state (K, V) grows by np.outer(features of key, value); total (K) by the "
            "features of the key; then the query reads both.",
            "output[t] = q @ state / (q @ total), with q the features of the query, "
            "after the own key was added.",
        ),
        starters={
            "numpy": (
                "def recurrent(query, key, value):\n"
                "    ...  # (T, K), (T, K), (T, V); return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="11.chunks",
        level=3,
        minutes=20,
        kind="bug",
        before="11.recurrent",
        statement=(
            "Find the bugs. Causal linear attention in chunks of `size`, on features "
            "that are positive already: query and key (T, F), value (T, V); output "
            "(T, V). There are two faults; with chunks of size 1, or with one chunk, "
            "one of them does not show."
        ),
        cases=_chunk_cases,
        solution=in_chunks,
        mistakes={
            "within a chunk, queries see keys to come": ("np.tril(q @ k.T)", "q @ k.T"),
            "the normalizer of earlier chunks is lost": ("total + k.sum", "k.sum"),
            "the state of earlier chunks is lost": ("state + k.T @ v", "k.T @ v"),
            "a chunk is blind to itself: it reads the state alone": (
                (
                    "pairs @ v + q @ state",
                    "q @ state",
                ),
                ("pairs.sum(axis=1) + q @ total", "q @ total + 1e-9"),
            ),
            "a token does not see itself": ("np.tril(q @ k.T)", "np.tril(q @ k.T, -1)"),
            "the state is read after the chunk has been added: it counts twice": (
                "q @ state)",
                "q @ (state + k.T @ v))",
            ),
            "the normalizer leaves out the chunk itself": (
                "pairs.sum(axis=1) + q @ total",
                "q @ total + (start == 0) * pairs.sum(axis=1)",
            ),
            "the normalizer leaves out the chunks before": (" + q @ total", ""),
            "the state is never read": (" + q @ state", ""),
            "there is no normalizer": (" / norm[:, None]", ""),
            "the normalizer sums over the queries": (
                "pairs.sum(axis=1)",
                "pairs.sum()",
            ),
            "queries see the keys after them, not those before": (
                "np.tril(q @ k.T)",
                "np.triu(q @ k.T)",
            ),
            "the normalizer keeps a chunk's last key alone": ("k.sum(axis=0)", "k[-1]"),
            "the state is made of the queries; it is the keys": ("k.T @ v", "q.T @ v"),
            "a chunk's own values are left out": (
                "(pairs @ v + q @ state)",
                "(q @ state)",
            ),
            "it divides by the root of the width, not by the sum": (
                "norm = pairs.sum(axis=1) + q @ total",
                "norm = np.sqrt(key.shape[1]) + 0 * pairs.sum(axis=1)",
            ),
        },
        hints=(
            "A token sees the chunks before its own, and in its own what stands up to "
            "it. Both sums, of values and of similarities.",
            "Which pairs within a chunk may count? And what must go from chunk to "
            "chunk besides the state?",
            "pairs = np.tril(q @ k.T), and total = total + k.sum(axis=0).",
        ),
        starters={
            "numpy": (
                "def in_chunks(query, key, value, size):\n"
                "    state = np.zeros((key.shape[1], value.shape[1]))\n"
                "    total, outputs = np.zeros(key.shape[1]), []\n"
                "    for start in range(0, len(key), size):\n"
                "        q, k, v = (x[start : start + size] "
                "for x in (query, key, value))\n"
                "        pairs = q @ k.T\n"
                "        norm = pairs.sum(axis=1) + q @ total\n"
                "        outputs.append((pairs @ v + q @ state) / norm[:, None])\n"
                "        state, total = state + k.T @ v, k.sum(axis=0)\n"
                "    return np.concatenate(outputs)\n"
            ),
        },
    ),
    Exercise(
        name="11.delta",
        level=2,
        minutes=15,
        before="11.recurrent",
        statement=(
            "Write the gated delta rule, `delta(query, key, value, beta, decay)`: "
            "query and key (T, K), keys of length 1, value (T, V), beta and decay "
            "(T). Each step: the state fades by decay; beta times what the key does "
            "not read yet is written; the query reads. Output (T, V), no scale."
        ),
        cases=_delta_cases,
        solution=delta,
        mistakes={
            "the value is added; only what the key does not read yet is written": (
                "value[t] - key[t] @ state",
                "value[t]",
            ),
            "the key reads before the state has faded": (
                (
                    "        state = decay[t] * state\n"
                    "        missing = value[t] - key[t] @ state\n",
                    "        missing = value[t] - key[t] @ state\n"
                    "        state = decay[t] * state\n",
                ),
            ),
            "beta is missing": ("beta[t] * ", ""),
            "the decay is missing": ("decay[t] * state", "state"),
            "beta and decay are exchanged": (
                ("decay[t] *", "TMP[t] *"),
                ("beta[t] *", "decay[t] *"),
                ("TMP[t] *", "beta[t] *"),
            ),
            "beta belongs to the whole correction, not to the value alone": (
                ("value[t] - key[t] @ state", "beta[t] * value[t] - key[t] @ state"),
                ("state + beta[t] * np.outer", "state + np.outer"),
            ),
            "the output is read before the write": (
                (
                    "        state = state + beta[t] * np.outer(key[t], missing)\n"
                    "        output[t] = query[t] @ state\n",
                    "        output[t] = query[t] @ state\n"
                    "        state = state + beta[t] * np.outer(key[t], missing)\n",
                ),
            ),
            "the sign of the correction is wrong: what is wanted minus what is read": (
                "value[t] - key[t] @ state",
                "key[t] @ state - value[t]",
            ),
            "the query reads what is missing, not the key": (
                "value[t] - key[t] @ state",
                "value[t] - query[t] @ state",
            ),
            "the query is divided by the root of K; here it is not": (
                "query[t] @ state\n",
                "query[t] @ state / np.sqrt(key.shape[1])\n",
            ),
            "1 - decay is kept; decay is the share that stays": (
                "decay[t] * state",
                "(1 - decay[t]) * state",
            ),
            "what the key reads is added; it should be taken away": (
                "value[t] - key[t] @ state",
                "value[t] + key[t] @ state",
            ),
            "the key reads the output; it should be the query": (
                "query[t] @ state",
                "key[t] @ state",
            ),
            "decay stands in beta's place too": ("beta[t] *", "decay[t] *"),
            "the earlier state is lost": ("state = state + beta", "state = beta"),
            "every step has the first one's beta": ("beta[t]", "beta[0]"),
            "every step has the first one's decay": ("decay[t]", "decay[0]"),
        },
        hints=(
            "Forget, read with the key, write the difference, read with the query.",
            "missing = value[t] - key[t] @ state, after the state has faded.",
            "state = state + beta[t] * np.outer(key[t], missing); output[t] = query[t] "
            "@ state.",
        ),
        starters={
            "numpy": (
                "def delta(query, key, value, beta, decay):\n"
                "    ...  # (T, K), (T, K), (T, V), (T), (T); return (T, V)\n"
            ),
        },
    ),
    Exercise(
        name="11.features",
        level=2,
        minutes=15,
        kind="bug",
        before="exponentials and means",
        statement=(
            "Find the bugs. Positive random features: x (T, K), rows (m, K) -> (T, m), "
            "so that features of a query times features of a key are on average "
            "exp(query . key / sqrt(K)). There are two faults."
        ),
        cases=_feature_cases,
        solution=positive_features,
        mistakes={
            "the features are not divided by the root of their number": (
                " / np.sqrt(len(rows))",
                "",
            ),
            "they are divided by their number; by its root: query and key both are": (
                "np.sqrt(len(rows))",
                "len(rows)",
            ),
            "x is divided by the root of K; query and key share it: K ** 0.25 each": (
                "** 0.25",
                "** 0.5",
            ),
            "x is not divided at all": (" / x.shape[1] ** 0.25", ""),
            "half of the squared length is missing in the exponent": (" - half", ""),
            "the squared length is not halved": (
                "keepdims=True) / 2",
                "keepdims=True)",
            ),
            "the squared length is that of x before it was divided": (
                "(y**2)",
                "(x**2)",
            ),
            "the squared length is added": ("- half", "+ half"),
            "it is divided by the root of K, not of the number of features": (
                "np.sqrt(len(rows))",
                "np.sqrt(x.shape[1])",
            ),
            "the exponential is missing": (
                "np.exp(y @ rows.T - half)",
                "(y @ rows.T - half)",
            ),
            "these are cosines, not the positive features": (
                "np.exp(y @ rows.T - half)",
                "np.cos(y @ rows.T)",
            ),
            "the rows meet x itself; it should be divided first": (
                "y @ rows.T",
                "x @ rows.T",
            ),
            "the squared length is that of the rows, not of x": (
                "(y**2).sum(axis=1, keepdims=True)",
                "(rows**2).sum(axis=1)",
            ),
            "the squared lengths of all are summed": (
                "sum(axis=1, keepdims=True)",
                "sum()",
            ),
            "the number of rows is a constant; it is handed over": ("len(rows)", "16"),
        },
        hints=(
            "Take x = 0: what must all features be, so that their squares sum to 1?",
            "How is 1 / sqrt(K) shared between query and key? And which number makes a "
            "sum over features a mean?",
            "y = x / K ** 0.25, and the whole divided by np.sqrt(len(rows)).",
        ),
        starters={
            "numpy": (
                "def positive_features(x, rows):\n"
                "    y = x / x.shape[1] ** 0.5\n"
                "    half = (y**2).sum(axis=1, keepdims=True) / 2\n"
                "    return np.exp(y @ rows.T - half)\n"
            ),
        },
    ),
    Exercise(
        name="11.overwrite",
        level=1,
        minutes=10,
        kind="predict",
        before="11.delta",
        statement=(
            "Predict, then measure. The delta rule, beta = 1, no decay, an empty "
            "state. 3 is written under a key, then 5 under another of length 1, whose "
            "product with the first is 0.6. What does the first key read now? Enter "
            "your guess, then write `read_back(first, second, overlap)` for any two "
            "numbers."
        ),
        cases=_overlap_cases,
        solution=read_back,
        ask=(3.0, 5.0, 0.6),
        mistakes={
            "that is what a sum would read": (
                "(second - overlap * first)",
                "second",
            ),
            "the second write leaves a trace: the keys overlap": (
                " + overlap * (second - overlap * first)",
                "",
            ),
            "the second key reads overlap * first, not all of it": (
                "second - overlap * first",
                "second - first",
            ),
            "that is what the second key reads": (
                "first + overlap * (second - overlap * first)",
                "second",
            ),
            "the first key reads only its share of what was written": (
                "+ overlap * (second",
                "+ (second",
            ),
            "the first value stays written under its key": (
                "first + overlap * (second",
                "overlap * (second",
            ),
            "the sign is wrong: what is read is taken away": (
                "second - overlap",
                "second + overlap",
            ),
            "the values are exchanged": (
                (
                    "first + overlap * (second - overlap * first)",
                    "second + overlap * (first - overlap * second)",
                ),
            ),
            "the overlap counts twice: in reading and in writing": (
                "second - overlap * first",
                "second - first / overlap if overlap else second",
            ),
            "that is an average of both": (
                "first + overlap * (second - overlap * first)",
                "(first + second) / 2",
            ),
            "the overlap counts once more in what is written": (
                "overlap * (second",
                "overlap * overlap * (second",
            ),
            "the first value is gone: its key was only partly overwritten": (
                "first + overlap * (second - overlap * first)",
                "overlap * second",
            ),
            "the overlap is a constant; it is handed over": (
                "overlap * (second - overlap * first)",
                "0.6 * (second - 0.6 * first)",
            ),
            "the second value enters whole": (
                "first + overlap * (second - overlap * first)",
                "(1 - overlap**2) * first + second",
            ),
        },
        hints=(
            "First: what does the second key read before it writes?",
            "It reads overlap * first; the rest of second is written under it.",
            "The first key reads first, plus overlap times what was written.",
        ),
        starters={
            "numpy": (
                "prediction = ...  # 3, then 5, overlap 0.6\n\n"
                "def read_back(first, second, overlap):\n"
                "    ...  # three numbers; return one\n"
            ),
        },
    ),
    Exercise(
        name="11.layer",
        level=2,
        minutes=20,
        kind="module",
        before="11.delta",
        statement=(
            "Write gated linear attention as a layer, `Gated(model_dim, key_dim, "
            "value_dim)`, called with x (B, T, D). Per token the state is multiplied "
            "with sigmoid(x @ gate_weight), the key's outer product with the value is "
            "added, and the query reads; no normalizer, no features. It returns "
            "(B, T, V). Trainable parameters: query_weight (D, K), key_weight (D, K), "
            "value_weight (D, V), gate_weight (D). The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "there is no decay": ("decay[:, t, None, None] * state", "state"),
            "the gate is not between 0 and 1: its sigmoid is missing": (
                "1 / (1 + np.exp(-(x @ gate_weight)))",
                "x @ gate_weight",
            ),
            "the state is not kept": (
                "decay[:, t, None, None] * state + write",
                "write",
            ),
            "what is new fades at once: the decay is for what was there": (
                "decay[:, t, None, None] * state + write",
                "decay[:, t, None, None] * (state + write)",
            ),
            "the output is read before the write": (
                (
                    "        state = decay[:, t, None, None] * state + write\n"
                    "        output[:, t] = "
                    'np.einsum("bk,bkv->bv", query[:, t], state)\n',
                    "        output[:, t] = "
                    'np.einsum("bk,bkv->bv", query[:, t], state)\n'
                    "        state = decay[:, t, None, None] * state + write\n",
                ),
            ),
            "the gate is that of the token before": ("decay[:, t,", "decay[:, t - 1,"),
            "the query is the key": ("query[:, t]", "key[:, t]"),
            "1 - gate is kept; the gate is the share that stays": (
                "decay[:, t, None, None] * state",
                "(1 - decay[:, t, None, None]) * state",
            ),
            "the query is divided by the root of K; here it is not": (
                "query[:, t], state)",
                "query[:, t], state) / np.sqrt(key.shape[2])",
            ),
            "new writes are weighed by 1 - gate; here they are written whole": (
                "* state + write",
                "* state + (1 - decay[:, t, None, None]) * write",
            ),
        },
        hints=(
            "A state (B, K, V) goes from token to token; a loop over T is fine.",
            "state = decay * state + key * value, with axes so that it is (B, K, V).",
            "The output at t is the query (B, 1, K) times the state.",
        ),
        starters={
            "torch": (
                "class Gated(torch.nn.Module):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        ...  # torch.nn.Parameter: four of them\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, V)\n"
            ),
            "tf": (
                "class Gated(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        ...  # self.add_weight: four of them\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, V)\n"
            ),
        },
        answers={
            "torch": (
                "class Gated(torch.nn.Module):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        D, K, V = model_dim, key_dim, value_dim\n"
                "        new = lambda *shape: torch.nn.Parameter(torch.randn(shape))\n"
                "        self.query_weight, self.key_weight = new(D, K), new(D, K)\n"
                "        self.value_weight, self.gate_weight = new(D, V), new(D)\n\n"
                "    def forward(self, x):\n"
                "        query, key = x @ self.query_weight, x @ self.key_weight\n"
                "        value = x @ self.value_weight\n"
                "        decay = torch.sigmoid(x @ self.gate_weight)\n"
                "        state, outputs = 0, []\n"
                "        for t in range(x.shape[1]):\n"
                "            write = key[:, t, :, None] * value[:, t, None]\n"
                "            state = decay[:, t, None, None] * state + write\n"
                "            outputs.append(query[:, t : t + 1] @ state)\n"
                "        return torch.cat(outputs, dim=1)\n"
            ),
            "tf": (
                "class Gated(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, key_dim, value_dim):\n"
                "        super().__init__()\n"
                "        D, K, V = model_dim, key_dim, value_dim\n"
                "        self.query_weight = self.add_weight((D, K))\n"
                "        self.key_weight = self.add_weight((D, K))\n"
                "        self.value_weight = self.add_weight((D, V))\n"
                "        self.gate_weight = self.add_weight((D,))\n\n"
                "    def call(self, x):\n"
                "        query, key = x @ self.query_weight, x @ self.key_weight\n"
                "        value = x @ self.value_weight\n"
                "        decay = tf.sigmoid(tf.linalg.matvec(x, self.gate_weight))\n"
                "        state, outputs = 0, []\n"
                "        for t in range(x.shape[1]):\n"
                "            write = key[:, t, :, None] * value[:, t, None]\n"
                "            state = decay[:, t, None, None] * state + write\n"
                "            outputs.append(query[:, t : t + 1] @ state)\n"
                "        return tf.concat(outputs, axis=1)\n"
            ),
        },
    ),
)
