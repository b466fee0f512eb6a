"""Exercises of chapter 13."""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
    strong,
)


def _grouped_cases(rng):
    def draw(G, group, T, extra, K, V):
        S = T + extra
        sizes = (G * group, T, K), (G, S, K), (G, S, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value):
        heads = len(query) // len(key)
        pairs = [strong(q, key[h // heads]) for h, q in enumerate(query)]
        return (
            np.stack([q for q, _ in pairs]),
            np.stack([k for _, k in pairs[::heads]]),
            value,
        )

    def heads(query, key, value):
        return draw(2, 3, 5, 2, 3, 7)

    cases = fixed_cases(rng, draw, 6, equal=3, long=(2,), large=large, heads=heads)
    cases.append(Case("as many key heads as heads", draw(5, 1, 3, 2, 7, 2)))
    cases.append(Case("one key head", draw(1, 5, 3, 2, 7, 2)))
    return [*cases, Case("no cache yet", draw(2, 3, 5, 0, 7, 2))]


def grouped(query, key, value):
    H, T, K = query.shape
    G, S = key.shape[:2]
    rows = query.reshape(G, H // G, T, K)
    score = rows @ key[:, None].swapaxes(2, 3) / np.sqrt(K)
    allowed = np.tri(T, S, S - T, dtype=bool)
    weights = softmax(np.where(allowed, score, -np.inf))
    return (weights @ value[:, None]).reshape(H, T, -1)


def _decode_cases(rng):
    def draw(G, group, S, K, V):
        sizes = (G * group, K), (G, K), (G, V), (G, S, K), (G, S, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def heads(*given):
        return draw(2, 3, 5, 3, 7)

    def large(query, *rest):
        return 800 * query, *rest

    cases = fixed_cases(rng, draw, 5, equal=3, long=(2,), heads=heads, large=large)
    cases.append(Case("nothing in the cache yet", draw(2, 3, 0, 5, 7)))
    cases.append(Case("as many key heads as heads", draw(5, 1, 3, 7, 2)))
    return [*cases, Case("one key head", draw(1, 5, 3, 7, 2))]


def decode(query, key, value, past_key, past_value):
    keys = np.concatenate([past_key, key[:, None]], axis=1)
    values = np.concatenate([past_value, value[:, None]], axis=1)
    (H, K), G = query.shape, len(key)
    rows = query.reshape(G, H // G, K)
    score = rows @ keys.swapaxes(1, 2) / np.sqrt(K)
    return (softmax(score) @ values).reshape(H, -1)


def _ring_cases(rng):
    cases = []
    for window, sinks in ((3, 2), (5, 1), (2, 4), (7, 3)):
        length = sinks + window * int(rng.integers(2, 5)) + 1
        cases.append(Case("the ring went round", (length, window, sinks)))
    cases.append(Case("no sinks", (int(rng.integers(12, 20)), 5, 0)))
    cases.append(Case("slots are left", (4, 5, 2)))
    cases.append(Case("fewer positions than sinks", (2, 3, 4)))
    cases.append(Case("just full", (7, 5, 2)))
    cases += [Case("a window of 1", (9, 1, 2)), Case("a single slot", (4, 1, 0))]
    return [*cases, Case("nothing yet", (0, 3, 2))]


def ring(length, window, sinks):
    slots = np.full(sinks + window, -1)
    for p in range(length):
        slots[p if p < sinks else sinks + (p - sinks) % window] = p
    return slots


def _size_cases(rng):
    cases = []
    for full, windowed in ((3, 5), (7, 2), (1, 4)):
        context, window = int(rng.integers(200, 900)), int(rng.integers(20, 100))
        heads, width = int(rng.integers(1, 9)), int(rng.choice([48, 64, 128]))
        sizes = full, windowed, heads, width, context, window
        cases.append(Case("layers of both kinds", sizes))
    cases.append(Case("no layer has a window", (5, 0, 3, 64, 700, 50)))
    cases.append(Case("all layers have a window", (0, 5, 3, 64, 700, 50)))
    return [*cases, Case("a context shorter than the window", (2, 3, 5, 64, 30, 50))]


def cache_size(full, windowed, num_kv_heads, key_dim, context, window):
    positions = full * context + windowed * min(context, window)
    numbers = 2 * num_kv_heads * key_dim  # of a key and a value
    return 2 * numbers * positions


def _layer_cases(rng):
    def draw(B, T, G, group, K):
        D = G * group * K
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        widths = {"query": D, "key": G * K, "value": G * K, "output": D}
        weights = {
            f"{name}_weight": (rng.normal(size=(D, n)) / np.sqrt(D)).astype(np.float32)
            for name, n in widths.items()
        }
        return (D, G * group, G), (x,), weights

    return [
        Case("equal sizes", draw(3, 3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 7, 3, 2, 5)),
        Case("an axis of size 1", draw(1, 5, 2, 2, 3)),
        Case("one key head", draw(2, 5, 1, 3, 2)),
        Case("as many key heads as heads", draw(2, 5, 3, 1, 2)),
        Case("heads of width 1", draw(2, 3, 2, 3, 1)),
    ]


def layer(x, query_weight, key_weight, value_weight, output_weight, sizes):
    (B, T, D), (_, H, G) = x.shape, sizes
    query = (x @ query_weight).reshape(B, T, G, H // G, -1)
    key = (x @ key_weight).reshape(B, T, G, -1)
    value = (x @ value_weight).reshape(B, T, G, -1)
    score = np.einsum("btghk,bsgk->bghts", query, key) / np.sqrt(D // H)
    context = np.einsum("bghts,bsgk->btghk", softmax(score), value)
    return context.reshape(B, T, D) @ output_weight


EXERCISES = (
    Exercise(
        name="13.grouped",
        level=2,
        minutes=20,
        before="04.with_cache, 06.split_heads",
        statement=(
            "Write causal grouped-query attention for the last T of S positions: "
            "`grouped(query, key, value)`, query (H, T, K), key (G, S, K), value "
            "(G, S, V); output (H, T, V). G divides H, and the first H / G heads "
            "share key head 0. `softmax(score)` is given."
        ),
        cases=_grouped_cases,
        solution=grouped,
        mistakes={
            **OVERFLOW,
            "the heads are interleaved over the groups; head h uses h // (H / G)": (
                lambda q, k, v: grouped(
                    q, *(np.tile(x, (len(q) // len(x), 1, 1)) for x in (k, v))
                )
            ),
            "the mask starts at the first key; query i stands at i + S - T": (
                "np.tri(T, S, S - T, dtype=bool)",
                "np.tri(T, S, dtype=bool)",
            ),
            "a query doesn't see its own position": ("S - T,", "S - T - 1,"),
            "a query sees one position of the future": ("S - T,", "S - T + 1,"),
            "there is no mask: queries see the future": (
                "np.where(allowed, score, -np.inf)",
                "score",
            ),
            "the scale is missing": (" / np.sqrt(K)", ""),
            "the softmax runs over the queries": ("-np.inf))", "-np.inf), axis=2)"),
            "the scale is the root of the width, not the width": ("np.sqrt(K)", "K"),
            "the mask stands after the softmax: rows no longer sum to 1": (
                "softmax(np.where(allowed, score, -np.inf))",
                "softmax(score) * allowed",
            ),
            "blocked scores are 0, which is a score like others": ("-np.inf", "0"),
            "-50 is no low score: an allowed one may be lower": ("-np.inf", "-50"),
            "the root is that of the value's width": (
                "np.sqrt(K)",
                "np.sqrt(value.shape[2])",
            ),
            "the sign is wrong: the diagonal moves by S - T": ("S - T", "T - S"),
            "the diagonal moves by a constant; it is S - T": ("S - T", "2"),
            "all heads use the first key head": (
                "key[:, None].swapaxes",
                "key[:1, None].swapaxes",
            ),
        },
        hints=(
            "Give the query an axis for groups; each group has one key head.",
            "query.reshape(G, H // G, T, K) against key[:, None].",
            "score = rows @ key[:, None].swapaxes(2, 3) / np.sqrt(K), and the mask "
            "np.tri(T, S, S - T, dtype=bool).",
        ),
        starters={
            "numpy": (
                "def grouped(query, key, value):\n"
                "    ...  # (H, T, K), (G, S, K), (G, S, V); return (H, T, V)\n"
            ),
        },
    ),
    Exercise(
        name="13.decode",
        level=2,
        minutes=15,
        kind="bug",
        before="13.grouped",
        statement=(
            "Find the bugs; there are two. One step of decoding with grouped queries: "
            "query (H, K), key (G, K) and value (G, V) of the new token, past_key "
            "(G, S, K) and past_value (G, S, V) of the S tokens before it; output "
            "(H, V). S may be 0. `softmax(score)` is given."
        ),
        cases=_decode_cases,
        solution=decode,
        mistakes={
            "the new token doesn't see itself: its key and value belong to the rest": (
                ("np.concatenate([past_key, key[:, None]], axis=1)", "past_key"),
                ("np.concatenate([past_value, value[:, None]], axis=1)", "past_value"),
            ),
            "the heads are interleaved over the groups": (
                lambda q, k, v, pk, pv: decode(
                    q,
                    *(
                        np.tile(x, (len(q) // len(x),) + (1,) * (x.ndim - 1))
                        for x in (k, v, pk, pv)
                    ),
                )
            ),
            "the scale is missing": (" / np.sqrt(K)", ""),
            "the new value stands before the past": (
                "[past_value, value[:, None]]",
                "[value[:, None], past_value]",
            ),
            "the softmax runs over the heads of a group": (
                "softmax(score)",
                "softmax(score, axis=1)",
            ),
            "the scores are not turned into weights": ("softmax(score)", "score"),
            "it is the new value alone": (
                lambda query, key, value, past_key, past_value: np.repeat(
                    value, len(query) // len(key), axis=0
                )
            ),
            "the scores are divided by K; it is the root of K": ("np.sqrt(K)", "K"),
            "the root is that of the value's width": (
                "np.sqrt(K)",
                "np.sqrt(value.shape[1])",
            ),
            "the root is that of the number of keys": (
                "np.sqrt(K)",
                "np.sqrt(keys.shape[1])",
            ),
            "the values are averaged without the weights": (
                "softmax(score)",
                "(0 * score + 1 / keys.shape[1])",
            ),
            "exp of a large score overflows: subtract each row's largest one first": (
                "softmax(",
                "unsafe_softmax(",
            ),
        },
        hints=(
            "Which keys may a token see? And which heads share a key head?",
            "Look at `keys`, and at how the query is cut into groups.",
            "np.concatenate([past_key, key[:, None]], axis=1), and "
            "query.reshape(G, H // G, K).",
        ),
        starters={
            "numpy": (
                "def decode(query, key, value, past_key, past_value):\n"
                "    keys, values = past_key, past_value\n"
                "    (H, K), G = query.shape, len(key)\n"
                "    rows = query.reshape(H // G, G, K).swapaxes(0, 1)\n"
                "    score = rows @ keys.swapaxes(1, 2) / np.sqrt(K)\n"
                "    context = softmax(score) @ values\n"
                "    return context.swapaxes(0, 1).reshape(H, -1)\n"
            ),
        },
    ),
    Exercise(
        name="13.ring",
        level=2,
        minutes=15,
        before="the modulo operator",
        statement=(
            "Write `ring(length, window, sinks)`: which position stands in each slot "
            "after so many positions; output (sinks + window) whole numbers, -1 where "
            "a slot is empty. The first positions are sinks and stay; each further one "
            "takes the next slot of the ring, round and round."
        ),
        cases=_ring_cases,
        solution=ring,
        mistakes={
            "the sinks are overwritten: the ring begins behind them": (
                "p if p < sinks else sinks + (p - sinks) % window",
                "p % (sinks + window)",
            ),
            "the ring begins at position 0; its first position is `sinks`": (
                "(p - sinks) % window",
                "p % window",
            ),
            "an empty slot is -1, not 0": (
                "np.full(sinks + window, -1)",
                "np.full(sinks + window, 0)",
            ),
            "the last position is missing": ("range(length)", "range(length - 1)"),
            "there is one position too many": ("range(length)", "range(length + 1)"),
            "the ring begins behind the sinks: add their number": (
                "sinks + (p - sinks) % window",
                "(p - sinks) % window",
            ),
            "positions count from 0": ("] = p\n", "] = p + 1\n"),
            "the first position is missing": ("range(length)", "range(1, length)"),
            "the slots are in the order of the ring, not of time": (
                "return slots",
                "return np.sort(slots)",
            ),
            "the sinks go through the ring too": ("p if p < sinks else sinks", "sinks"),
            "that is the last window in the order of time": (
                lambda length, window, sinks: np.array(
                    [*range(sinks), *range(length - window, length)]
                )
            ),
        },
        hints=(
            "A position below `sinks` stands in the slot of its own number.",
            "Behind them count from 0 again: p - sinks, round after `window`.",
            "slots[p if p < sinks else sinks + (p - sinks) % window] = p",
        ),
        starters={
            "numpy": (
                "def ring(length, window, sinks):\n"
                "    ...  # three numbers; return (sinks + window)\n"
            ),
        },
    ),
    Exercise(
        name="13.cache_size",
        level=1,
        minutes=10,
        kind="predict",
        before="min",
        statement=(
            "Predict, then measure. gpt-oss has 18 layers that see everything and 18 "
            "with a window of 128, each with 8 key heads of width 64. How many bytes "
            "does its cache take behind 131,072 tokens, at 16 bits? Enter your guess, "
            "then write `cache_size(full, windowed, num_kv_heads, key_dim, context, "
            "window)`."
        ),
        cases=_size_cases,
        solution=cache_size,
        ask=(18, 18, 8, 64, 131072, 128),
        mistakes={
            "keys and values both count: twice as many": ("2 * num_kv", "num_kv"),
            "16 bits are 2 bytes": ("2 * numbers", "16 * numbers"),
            "a window keeps no more than `window` positions": (
                "min(context, window)",
                "context",
            ),
            "a short context doesn't fill the window": (
                "min(context, window)",
                "window",
            ),
            "the layers with a window are missing": (
                " + windowed * min(context, window)",
                "",
            ),
            "16 bits are 2 bytes, not 4": ("return 2 *", "return 4 *"),
            "keys, values and the bytes of a number are missing": (
                "return 2 * numbers * positions",
                "return numbers * positions // 2",
            ),
            "the layers that see everything are missing": ("full * context + ", ""),
            "not all layers have a window": (
                "full * context",
                "full * min(context, window)",
            ),
            "the key heads are missing": ("num_kv_heads * ", ""),
            "the width is missing": ("num_kv_heads * key_dim", "num_kv_heads"),
            "a window keeps at most `window`: take the smaller": ("min(", "max("),
            "the window is a constant; it is handed over": (
                "min(context, window)",
                "min(context, 128)",
            ),
        },
        hints=(
            "Per layer and position: keys and values of all key heads, 2 bytes each.",
            "A layer with a window keeps min(context, window) positions.",
            "2 * 2 * num_kv_heads * key_dim * (full * context + windowed * ...)",
        ),
        starters={
            "numpy": (
                "prediction = ...  # gpt-oss behind 131,072 tokens\n\n"
                "def cache_size(full, windowed, num_kv_heads, key_dim, context,\n"
                "               window):\n"
                "    ...  # six numbers; return a number of bytes\n"
            ),
        },
    ),
    Exercise(
        name="13.layer",
        level=3,
        minutes=25,
        kind="module",
        before="06.layer, 13.grouped",
        statement=(
            "Write grouped-query self-attention as a layer, `Grouped(model_dim, "
            "num_heads, num_kv_heads)`, called with x (B, T, D), not causal; it "
            "returns (B, T, D). Heads have width K = D / num_heads. Trainable, "
            "without biases: query_weight and output_weight (D, D), key_weight and "
            "value_weight (D, num_kv_heads * K). The gradients are checked too."
        ),
        cases=_layer_cases,
        solution=layer,
        mistakes={
            "the heads are interleaved over the groups": (
                (
                    "reshape(B, T, G, H // G, -1)",
                    "reshape(B, T, H // G, G, -1).swapaxes(2, 3)",
                ),
                ("context.reshape", "context.swapaxes(2, 3).reshape"),
            ),
            "the scale is the root of a head's own width, D / H": (
                "np.sqrt(D // H)",
                "np.sqrt(D)",
            ),
            "the scale is missing": (" / np.sqrt(D // H)", ""),
            "the output matrix is missing": (" @ output_weight", ""),
            "the softmax runs over the queries": (
                "softmax(score)",
                "softmax(score, axis=-2)",
            ),
        },
        hints=(
            "Four maps; then an axis for groups, and one for the heads of a group.",
            "query (B, T, G, H / G, K), key and value (B, T, G, K).",
            "score = einsum('btghk,bsgk->bghts', query, key) / K ** 0.5",
        ),
        starters={
            "torch": (
                "class Grouped(torch.nn.Module):\n"
                "    def __init__(self, model_dim, num_heads, num_kv_heads):\n"
                "        super().__init__()\n"
                "        ...  # four torch.nn.Parameter\n\n"
                "    def forward(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
            "tf": (
                "class Grouped(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, num_heads, num_kv_heads):\n"
                "        super().__init__()\n"
                "        ...  # four times self.add_weight\n\n"
                "    def call(self, x):\n"
                "        ...  # (B, T, D); return (B, T, D)\n"
            ),
        },
        answers={
            "torch": (
                "class Grouped(torch.nn.Module):\n"
                "    def __init__(self, model_dim, num_heads, num_kv_heads):\n"
                "        super().__init__()\n"
                "        D, H, G = model_dim, num_heads, num_kv_heads\n"
                "        self.sizes = H, G, D // H\n"
                "        new = lambda n: torch.nn.Parameter(torch.randn(D, n) / 4)\n"
                "        self.query_weight, self.output_weight = new(D), new(D)\n"
                "        self.key_weight = new(G * D // H)\n"
                "        self.value_weight = new(G * D // H)\n\n"
                "    def forward(self, x):\n"
                "        H, G, K = self.sizes\n"
                "        query = x @ self.query_weight\n"
                "        query = query.unflatten(-1, (G, H // G, K))\n"
                "        key = (x @ self.key_weight).unflatten(-1, (G, K))\n"
                "        value = (x @ self.value_weight).unflatten(-1, (G, K))\n"
                "        score = torch.einsum('btghk,bsgk->bghts', query, key)\n"
                "        weights = torch.softmax(score / K ** 0.5, dim=-1)\n"
                "        context = torch.einsum('bghts,bsgk->btghk', weights, value)\n"
                "        return context.flatten(2) @ self.output_weight\n"
            ),
            "tf": (
                "class Grouped(keras.layers.Layer):\n"
                "    def __init__(self, model_dim, num_heads, num_kv_heads):\n"
                "        super().__init__()\n"
                "        D, H, G = model_dim, num_heads, num_kv_heads\n"
                "        self.sizes = D, H, G, D // H\n"
                "        new = lambda n: self.add_weight((D, n))\n"
                "        self.query_weight, self.output_weight = new(D), new(D)\n"
                "        self.key_weight = new(G * D // H)\n"
                "        self.value_weight = new(G * D // H)\n\n"
                "    def call(self, x):\n"
                "        (B, T, _), (D, H, G, K) = x.shape, self.sizes\n"
                "        query = tf.reshape(\n"
                "            x @ self.query_weight, (B, T, G, H // G, K))\n"
                "        key = tf.reshape(x @ self.key_weight, (B, T, G, K))\n"
                "        value = tf.reshape(x @ self.value_weight, (B, T, G, K))\n"
                "        score = tf.einsum('btghk,bsgk->bghts', query, key)\n"
                "        weights = tf.nn.softmax(score / K ** 0.5)\n"
                "        context = tf.einsum('bghts,bsgk->btghk', weights, value)\n"
                "        return tf.reshape(context, (B, T, D)) @ self.output_weight\n"
            ),
        },
    ),
)
