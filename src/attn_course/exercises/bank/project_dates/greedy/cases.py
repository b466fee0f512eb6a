import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases
from attn_course.exercises.engine.run import Table


def cases(rng):
    def draw(B, T, N):
        N, start = max(N, 5), rng.integers(0, 3, B)
        begin, end = (int(token) for token in rng.permutation(np.arange(1, N))[:2])
        return Table(rng.normal(size=(T + 3, N, N))), start, begin, end, T

    def never(model, state, begin, end, T):
        model.logits[:, :, end] = -99
        return model, state, begin, end, T

    def at_once(model, state, begin, end, T):
        model.logits[:, begin, end] = 99
        return model, state, begin, end, T

    cases = fixed_cases(rng, draw, 3, long=(1,), full=never)
    cases[-1] = cases[-1]._replace(name="the end never comes")
    return [*cases, Case("the end comes at once", at_once(*draw(3, 5, 7)))]
