from attn_course.exercises.engine.exercise import Case, fixed_cases


def cases(rng):
    def draw(C, H, W, K):
        sizes = (C, H, W), (C, K), (C, K), (C, C)
        return *(rng.normal(size=size) for size in sizes), float(rng.uniform(0.1, 2))

    def large(image, query_weight, key_weight, value_weight, gate):
        return 60 * image, query_weight, key_weight, value_weight, gate

    cases = fixed_cases(rng, draw, 4, equal=None, long=(), large=large)
    # As many channels as pixels, so that a wrong reshape still runs.
    cases.insert(0, Case("as many channels as pixels", draw(6, 2, 3, 4)))
    cases.append(Case("100 pixels", draw(3, 4, 25, 2)))
    return [*cases, Case("a gate of 0", (*draw(2, 3, 5, 7)[:4], 0.0))]
