import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(S, N, size):
        return rng.integers(0, N, size=S), size

    cases = fixed_cases(rng, draw, 3)
    cases.append(Case("all in one bucket", (np.zeros(11, int), 3)))
    # The first position is alone in its row of the mask, not in its column.
    cases.append(Case("chunks of one", (np.zeros(5, int), 1)))
    cases.append(Case("each in its own bucket", (rng.permutation(7), 2)))
    cases.append(Case("one position", (np.zeros(1, int), 2)))
    return [*cases, Case("chunks that hold all", (rng.integers(0, 3, size=13), 13))]
