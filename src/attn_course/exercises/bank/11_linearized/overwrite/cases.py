from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [
        Case("another overlap", tuple(float(x) for x in rng.uniform(0.2, 0.9, 3)))
        for _ in range(3)
    ]
    cases.append(Case("the same key", (3.0, 5.0, 1.0)))
    cases.append(Case("keys at right angles", (3.0, 5.0, 0.0)))
    return [*cases, Case("opposite keys", (2.0, 7.0, -1.0))]


ASK = (3.0, 5.0, 0.6)
