from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = []
    for window, sinks in ((3, 2), (5, 1), (2, 4), (7, 3)):
        length = sinks + window * int(rng.integers(2, 5)) + 1
        cases.append(Case("the ring went round", (length, window, sinks)))
    cases.append(Case("no sinks", (int(rng.integers(12, 20)), 5, 0)))
    cases.append(Case("slots are left", (4, 5, 2)))
    cases.append(Case("fewer positions than sinks", (2, 3, 4)))
    cases.append(Case("just full", (7, 5, 2)))
    cases += [Case("a window of 1", (9, 1, 2)), Case("a single slot", (4, 1, 0))]
    return [*cases, Case("nothing yet", (0, 3, 2))]
