import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, S, D):
        rows = rng.normal(size=(T, D)), rng.normal(size=(S, D))
        weights = (rng.normal(size=(D, D)) / np.sqrt(D) for _ in range(3))
        return *rows, rng.normal(size=(T + S + 2, D)), *weights

    def scored(x, past, places, weights):
        """Where the rows' first numbers alone are the scores, for the new row."""
        (query, key, value), D = weights, x.shape[1]
        query, key = 0 * query, 0 * key
        query[-1, 0], key[0, 0] = np.sqrt(D), 1
        for each in (x, past, places):
            each[:, -1] = each is not places
        places[:, 0] = 0
        return x, past, places, query, key, value

    def large(x, past, places, *weights):
        given = scored(x, past, places, weights)
        given[0][:, 0], given[1][:, 0] = rng.normal(size=len(x)), -900
        given[0][0, 0] = 900
        return given

    def behind(x, past, places, *weights):
        given = scored(x, past, places, weights)
        given[0][-1, 0] = 20000
        return given

    cases = fixed_cases(rng, draw, 3, large=large, behind=behind)
    return [*cases, Case("nothing is kept", draw(5, 0, 3))]
