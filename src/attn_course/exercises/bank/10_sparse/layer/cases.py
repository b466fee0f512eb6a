import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, D, w):
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        weights = {
            f"{name}_weight": (rng.normal(size=(D, D)) / np.sqrt(D)).astype(np.float32)
            for name in ("query", "key", "value")
        }
        return (D, w), (x,), weights

    def blocked(sizes, inputs, weights):
        (x,) = inputs
        factors = 1 + np.arange(x.shape[1], dtype=np.float32) / 7
        x = x[:, :1] * factors[:, None]
        # Of a product with itself the last position is clear of all others, too.
        weights = {**weights, "key_weight": weights["query_weight"].copy()}
        along = x[:, 0] @ weights["query_weight"] @ weights["key_weight"].T
        last = 20000 * along / (along**2).sum(axis=1, keepdims=True)
        x[:, -1] = last * np.sqrt(np.float32(sizes[0]))
        # Its value is small, so that it doesn't loosen what the others are compared by.
        rest = np.linalg.qr(last.T)[0]
        weights["value_weight"] = weights["value_weight"] - rest @ (
            rest.T @ weights["value_weight"]
        )
        return sizes, (x,), weights

    def large(sizes, inputs, weights):
        (x,), query = inputs, weights["query_weight"]
        score = x @ query @ (x @ weights["key_weight"]).swapaxes(1, 2)
        most = score[np.tril(score) != 0].max() / np.sqrt(np.float32(sizes[0]))
        return sizes, inputs, {**weights, "query_weight": 900 * query / most}

    return [
        Case("equal sizes", draw(3, 3, 3, 3)),
        Case("sizes of different primes", draw(2, 11, 5, 3)),
        Case("sizes of different primes", draw(3, 7, 2, 5)),
        Case("an axis of size 1", draw(1, 5, 3, 2)),
        Case("the largest score is blocked", blocked(*draw(2, 7, 5, 3))),
        Case("a window of 1", draw(2, 5, 3, 1)),
        Case("a window longer than the sequence", draw(2, 3, 5, 7)),
        Case("scores of several hundred", large(*draw(2, 5, 3, 5))),
    ]
