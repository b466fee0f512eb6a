from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [
        Case("another factor", (float(rng.uniform(0.2, 1.3)), int(rng.integers(2, 9))))
        for _ in range(4)
    ]
    cases.append(Case("length 1", (float(rng.uniform(0.2, 0.9)), 1)))
    cases.append(Case("a negative factor", (float(-rng.uniform(0.2, 0.9)), 4)))
    return [*cases, Case("length 100", (0.97, 100))]


ASK = (0.9, 30)
