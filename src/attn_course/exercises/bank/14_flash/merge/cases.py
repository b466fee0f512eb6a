import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, V):
        parts = []
        for _ in range(2):
            highest, total = rng.normal(size=T), 1 + rng.random(T)
            parts += [highest, total, rng.normal(size=(T, V))]
        return tuple(parts)

    def large(m1, l1, c1, m2, l2, c2):
        # By turns the first part is far above, the second, and both are far below.
        one = np.resize([800, -800, -800], m1.shape)
        two = np.resize([-800, 800, -900], m1.shape)
        return one + m1, l1, c1, two + m2, l2, c2

    def empty(m1, l1, c1, m2, l2, c2):
        m1[0], l1[0], c1[0] = -np.inf, 0, 0
        return m1, l1, c1, m2, l2, c2

    cases = fixed_cases(rng, draw, 2, large=large, empty=empty)
    m1, l1, c1, m2, l2, c2 = draw(7, 3)
    return [
        *cases,
        Case(
            "one of the parts is empty", (m2, l2, c2, *empty(m1, l1, c1, 0, 0, 0)[:3])
        ),
    ]
