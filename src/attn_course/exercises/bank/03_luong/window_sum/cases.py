from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [
        Case("another window", (float(rng.uniform(3, 15)), int(width), int(length)))
        for width, length in ((2, 17), (3, 19), (5, 23))
    ]
    cases.append(Case("a whole center at the start", (0.0, 4, 11)))
    cases.append(Case("a center at the end", (12.0, 3, 13)))
    cases.append(Case("an axis of size 1", (0.0, 2, 1)))
    cases.append(Case("a center between two positions", (5.5, 2, 13)))
    return [*cases, Case("length 100", (float(rng.uniform(20, 80)), 10, 100))]


ASK = (0.0, 3, 10)
