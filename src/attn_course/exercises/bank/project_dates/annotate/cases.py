import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def _lengths_mask(rng, B, S):
    return np.arange(S) < rng.integers(1, S + 1, (B, 1))


def cases(rng):
    def draw(B, S, M, E, W=5):
        weight, bias = rng.normal(size=(W, M, E)) / np.sqrt(W * M), rng.normal(size=E)
        return rng.normal(size=(B, S, M)), _lengths_mask(rng, B, S), weight, bias

    def full(x, mask, weight, bias):
        return x, np.ones_like(mask), weight, bias

    cases = fixed_cases(rng, draw, 4, long=(), full=full)
    cases.append(Case("length 100", draw(2, 100, 3, 5)))
    cases.append(Case("no neighbors", draw(3, 5, 2, 7, W=1)))
    return [*cases, Case("more neighbors than positions", draw(2, 3, 5, 7, W=9))]
