from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, T, S, D, E):
        sizes = (B, T, D), (B, S, E), (D, E)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(query, memory, weight):
        return 30 * query, 30 * memory, weight

    return fixed_cases(rng, draw, 5, long=(1, 2), large=large)
