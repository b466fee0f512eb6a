from attn_course.exercises.engine.exercise import fixed_cases, strong


def cases(rng):
    def draw(T, S, K, V):
        return tuple(rng.normal(size=size) for size in ((T, K), (S, K), (S, V)))

    def large(query, key, value):
        return *strong(query, key), value

    return fixed_cases(rng, draw, 4, long=(0, 1), large=large)
