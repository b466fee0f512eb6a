from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = []
    for _ in range(3):
        width = 2 * int(rng.integers(2, 40))
        pair = int(rng.integers(1, width // 2))
        cases.append(Case("another width", (pair, width, 10000.0)))
    cases.append(Case("the first pair", (0, 6, 10000.0)))
    cases.append(Case("the last pair", (31, 64, 10000.0)))
    return [*cases, Case("another base", (3, 10, float(rng.choice([10, 500, 500000]))))]


ASK = (31, 64, 10000.0)
