from attn_course.exercises.engine.exercise import Case, fixed_cases, strong


def cases(rng):
    def draw(H, T, extra, K, V):
        S = T + extra
        return tuple(
            rng.normal(size=size) for size in ((H, T, K), (H, S, K), (H, S, V))
        )

    def large(query, key, value):
        return *strong(query, key), value

    cases = fixed_cases(rng, draw, 5, long=(1,), large=large)
    for heads in (4, 6, 12, 15, int(rng.choice([8, 16, 20]))):
        cases.append(Case("another number of heads", draw(heads, 3, 2, 5, 7)))
    return [*cases, Case("no cache yet", draw(3, 7, 0, 2, 5))]
