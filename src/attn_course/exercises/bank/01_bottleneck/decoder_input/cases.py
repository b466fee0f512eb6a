from attn_course.exercises.engine.exercise import fixed_cases


def cases(rng):
    def draw(B, T):
        return rng.integers(4, 200, (B, T)), int(rng.integers(200, 300))

    return fixed_cases(rng, draw, 2, long=(1,))
