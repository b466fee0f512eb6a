from attn_course.exercises.engine.exercise import (
    Case,
    behind,
    fixed_cases,
    strong,
    weak,
)


def cases(rng):
    def draw(B, H, T, K, V, more=None):
        S = T + int(rng.integers(0, 4) if more is None else more)
        sizes = (B, H, T, K), (B, H, S, K), (B, H, S, V)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, key, value):
        return *strong(query, key), value

    def low(query, key, value):
        return *weak(query, key), value

    def blocked(query, key, value):
        return *behind(query, key, by=1000), value

    changes = {"large": large, "behind": blocked, "low": low}
    cases = fixed_cases(rng, draw, 5, long=(), **changes)
    cases.append(Case("length 100", draw(1, 2, 100, 3, 5)))
    cases.append(Case("as many queries as keys", draw(2, 3, 5, 7, 11, more=0)))
    return [*cases, Case("keys from before", draw(2, 3, 5, 7, 11, more=13))]
