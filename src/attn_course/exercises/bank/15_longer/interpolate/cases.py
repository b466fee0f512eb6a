import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    # The trained length lies below, at and above the last position.
    def draw(T, half):
        first = float(rng.integers(0, 9))
        x = rng.normal(size=(T, 2 * half))
        return x, first + np.arange(T, dtype=float), int(rng.integers(2, 6))

    def case(name, T, half, positions, trained_length):
        positions = np.asarray(positions, float)
        return Case(name, (rng.normal(size=(T, 2 * half)), positions, trained_length))

    cases = fixed_cases(rng, draw, 2, long=(0,))
    cases.append(case("within the trained length", 5, 3, [0, 2, 3, 7, 9], 11))
    cases.append(case("exactly the trained length", 3, 2, [8, 9, 10], 11))
    cases.append(case("one beyond the trained length", 3, 2, [9, 10, 11], 11))
    return [*cases, case("positions in another order", 3, 5, [44, 3, 29], 13)]
