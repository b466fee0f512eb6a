import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, half):
        first = float(rng.integers(0, 50))
        return rng.normal(size=(T, 2 * half)), first + np.arange(T, dtype=float)

    def gaps(x, positions):
        jumps = rng.integers(1, 9, len(positions)).astype(float)
        return x, np.cumsum(jumps) + jumps[0]

    cases = fixed_cases(rng, draw, 2, long=(0,), gaps=gaps)
    backwards = draw(7, 3)
    cases.append(
        Case("positions in another order", (backwards[0], backwards[1][::-1].copy()))
    )
    between = draw(5, 2)
    cases.append(Case("positions between whole numbers", (between[0], between[1] / 3)))
    return [*cases, Case("position 0 alone", (rng.normal(size=(1, 6)), np.zeros(1)))]
