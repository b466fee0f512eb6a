import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, K, m):
        return rng.normal(size=(T, K)), rng.normal(size=(m, K))

    cases = fixed_cases(rng, draw, 3, long=(2,))
    cases.append(Case("one feature of zeros", (np.zeros((2, 3)), np.ones((1, 3)))))
    return [
        *cases,
        Case("long vectors", (3 * rng.normal(size=(3, 5)), rng.normal(size=(7, 5)))),
    ]
