import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(T, S):
        center = rng.uniform(0, max(S - 1, 0.1), T)
        return rng.normal(size=(T, S)), center, int(rng.integers(2, 5))

    def whole(score, center, half_width):
        # Whole centers, so that positions stand exactly on the window's edge.
        return score, np.round(center), half_width

    def large(score, center, half_width):
        # The largest scores of all stand outside the window, which is empty nowhere.
        near = np.abs(np.arange(score.shape[1]) - center[:, None]) <= half_width
        return np.where(near, score + 800, score + 3000), center, half_width

    def low(score, center, half_width):
        return score - 12000, center, half_width

    cases = fixed_cases(rng, draw, 2, long=(1,), low=low)
    cases += [
        Case("whole centers", whole(*draw(7, 11))),
        Case("a half width that is not whole", (*draw(3, 13)[:2], 2.5)),
        Case("scores of several hundred", large(*draw(5, 23))),
        Case("window of 7", (*draw(5, 19)[:2], 7)),
    ]
    return cases
