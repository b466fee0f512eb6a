from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [Case("an axis of size 1", (float(rng.normal()), 1))]
    for count in (2, 3, 7):
        cases.append(Case("another number of keys", (float(rng.uniform(-3, 3)), count)))
    cases.append(Case("length 100", (float(rng.uniform(1, 5)), 100)))
    return [
        *cases,
        Case("scores of several hundred", (900.0, 5)),
        Case("scores of several hundred", (-900.0, 5)),
    ]


ASK = (5.0, 100)
