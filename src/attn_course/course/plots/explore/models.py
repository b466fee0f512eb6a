"""Figures of what a model gave: weights, steps of decoding, order of tokens."""

import numpy as np

from attn_course.course.plots.explore.pictures import many_grids, one_grid, softmax
from attn_course.course.plots.explore.widget import (
    Widget,
    array,
    integer,
    thousandths,
    tokens,
    whole,
)

# Rows of weights are rounded by their makers: a sum or an entry may pass 1 a little.
MOST = 1.0005


def explore(
    weights,
    rows,
    columns,
    *,
    alt,
    row_label="query",
    column_label="key",
    names=None,
    start=(0, 0, 0),
    grid=False,
    choose=None,
    verb=None,
    label="Attention explorer",
):
    """Weights of layers and heads, to be looked at query by query.

    Shapes:
        weights: (T, S), (heads, T, S), (layers, heads, T, S), or a tuple of layers.
        rows: T tokens of the queries, columns: S of the keys. A string gives its
        characters. names: {(layer, head): text}. start: layer, head and row that are
        chosen first, from 0. grid: opens as a grid, not as lines. choose: what there is
        to choose in place of layers and heads, as "Models"; each map is then called by
        its name alone. verb: what a row does to the columns whose weight is 1, as
        "waits for"; weights are not told then, and the small pictures are blank.

    Raises:
        ValueError: a shape doesn't fit the tokens, a weight is no number from 0 to 1,
        a layer has another number of heads, or choose meets a map without a name.
    """
    rows, columns = tokens("rows", rows), tokens("columns", columns)
    layers = _layers(weights, len(rows), len(columns))
    heads = len(layers[0])
    names = names or {}
    for layer, head in (*names, start[:2]):
        integer("layer", layer, 0, len(layers) - 1)
        integer("head", head, 0, heads - 1)
    integer("row of start", start[2], 0, len(rows) - 1)
    if choose and len(names) < len(layers) * heads:
        maps = len(layers) * heads
        raise ValueError(f"choose needs a name for each of {maps} maps, got {names}")
    data = {
        "kind": "attention",
        "label": label,
        "rows": rows,
        "columns": columns,
        "row_label": row_label,
        "column_label": column_label,
        "start": [int(index) for index in start],
        "weights": [[head.ravel().tolist() for head in layer] for layer in layers],
        "names": {layer * heads + head: name for (layer, head), name in names.items()},
    }
    data |= {"grid": True} if grid else {}
    data |= {"choose": str(choose)} if choose else {}
    data |= {"verb": str(verb)} if verb else {}
    heading = f"{row_label} ↓  {column_label} →"
    if len(layers) * heads == 1:
        picture = one_grid(layers[0][0], rows, columns, heading)
    else:
        picture = many_grids(layers, heading, names if choose else {})
    return Widget(data, picture, alt)


def _layers(weights, T, S):
    """Every layer's weights as whole thousandths, (heads, T, S)."""
    single = np.ndim(weights[0]) < 3
    if single:
        weights = np.asarray(weights, float)
        weights = [weights[None] if weights.ndim == 2 else weights]
    limits = {"low": 0, "high": MOST}
    layers = [array("weights", layer, ("heads", T, S), **limits) for layer in weights]
    if len({len(layer) for layer in layers}) > 1:
        found = [len(layer) for layer in layers]
        raise ValueError(f"weights must have as many heads in each layer, got {found}")
    return [thousandths(layer) for layer in layers]


def explore_steps(
    scores,
    rows,
    columns,
    *,
    queries,
    memory,
    alt,
    row_label="written",
    column_label="read",
    verb="writes",
    start=0,
    vectors=True,
    label="Decoding, step by step",
):
    """Step through decoding: query, scores, weights and context change together.

    weights[t] = softmax(scores[t]) and context[t] = weights[t] @ memory are computed
    in the figure. ``vectors=False`` shows the weights alone until a box is ticked.

    Shapes:
        scores: (T, S), -inf where blocked. rows: T tokens that are written, columns:
        S that are read. queries: (T, D). memory: (S, E).

    Raises:
        ValueError: a shape doesn't fit, or a number is not finite.
    """
    rows, columns = tokens("rows", rows), tokens("columns", columns)
    T, S = len(rows), len(columns)
    scores = array("scores", scores, (T, S), blocked=True)
    queries = array("queries", queries, (T, "D"))
    memory = array("memory", memory, (S, "E"))
    data = {
        "kind": "steps",
        "label": label,
        "rows": rows,
        "columns": columns,
        "row_label": row_label,
        "verb": verb,
        "start": integer("start", start, 0, T - 1),
        "vectors": bool(vectors),
        "scores": [
            [None if score == -np.inf else whole(score) for score in row]
            for row in scores
        ],
        "queries": whole(queries),
        "memory": whole(memory),
    }
    heading = f"{row_label} ↓  {column_label} →"
    picture = one_grid(thousandths(softmax(scores)), rows, columns, heading)
    return Widget(data, picture, alt)


def explore_order(
    words,
    x,
    *,
    query_weight,
    key_weight,
    value_weight,
    alt,
    positions=None,
    start=0,
    gives=None,
    label="Tokens in another order",
):
    """Move tokens: the outputs of self-attention move with them, and stay the same.

    output = softmax(Q K^T / sqrt(d_k)) V of x, in the order that is chosen. With
    ``positions`` a box adds position p's row to whatever token stands there.

    gives: names of the output's columns. With them an output is written as names and
    numbers, and is neither drawn nor compared.

    Shapes:
        words: n tokens. x, positions: (n, D). query_weight, key_weight: (D, K).
        value_weight: (D, V). gives: V texts.

    Raises:
        ValueError: a shape doesn't fit, or a number is not finite.
    """
    words = tokens("words", words)
    n = len(words)
    x = array("x", x, (n, "D"))
    D = x.shape[1]
    query = array("query_weight", query_weight, (D, "K"))
    key = array("key_weight", key_weight, (D, query.shape[1]))
    value = array("value_weight", value_weight, (D, "V"))
    data = {
        "kind": "order",
        "label": label,
        "tokens": words,
        "start": integer("start", start, 0, n - 1),
        "x": whole(x),
        "query": whole(query),
        "key": whole(key),
        "value": whole(value),
    }
    if positions is not None:
        data["positions"] = whole(array("positions", positions, (n, D)))
    if gives is not None:
        data["gives"] = tokens("gives", gives)
        if len(data["gives"]) != value.shape[1]:
            message = f"gives must hold {value.shape[1]} names, got {data['gives']}"
            raise ValueError(message)
    scores = (x @ query) @ (x @ key).T / np.sqrt(query.shape[1])
    picture = one_grid(thousandths(softmax(scores)), words, words, "query ↓  key →")
    return Widget(data, picture, alt)
