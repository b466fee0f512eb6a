import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, T, D, more, R):
        names = ("query_weight", "key_weight", "value_weight")
        parameters = {name: rng.normal(size=(D, D)) / 2 for name in names}
        for name in ("key_projection", "value_projection"):
            parameters[name] = rng.normal(size=(R, T + more)) / 2
        parameters = {k: x.astype(np.float32) for k, x in parameters.items()}
        x = rng.normal(size=(B, T, D)).astype(np.float32)
        return (D, T + more, R), (x,), parameters

    def large(sizes, inputs, weights):
        (x,), query = inputs, weights["query_weight"]
        key = weights["key_projection"][:, : x.shape[1]] @ x @ weights["key_weight"]
        most = (x @ query @ key.swapaxes(1, 2)).max() / np.sqrt(np.float32(sizes[0]))
        return sizes, inputs, {**weights, "query_weight": 900 * query / most}

    return [
        Case("equal sizes", draw(3, 3, 3, 0, 3)),
        Case("sizes of different primes", draw(2, 7, 5, 0, 3)),
        Case("shorter than the projections", draw(2, 5, 3, 6, 2)),
        Case("an axis of size 1", draw(2, 5, 3, 2, 1)),
        Case("an axis of size 1", draw(1, 1, 3, 4, 2)),
        Case("scores of several hundred", large(*draw(2, 5, 7, 0, 3))),
    ]
