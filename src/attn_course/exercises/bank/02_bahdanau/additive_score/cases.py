from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, T, S, D, E, A):
        sizes = (B, T, D), (B, S, E), (D, A), (E, A), (A,)
        return tuple(rng.normal(size=size) for size in sizes)

    def large(q, m, W, U, v):
        return 50 * q, 50 * m, W, U, 300 * v

    # In the first the query and the memory are equally wide, so that exchanging their
    # matrices passes the shape checks.
    return fixed_cases(rng, draw, 6, equal=3, long=(2,), large=large)
