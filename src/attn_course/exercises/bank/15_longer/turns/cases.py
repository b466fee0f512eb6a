from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [Case("Llama 3", (128, 500000.0, 8192)), Case("all turn", (8, 4.0, 90))]
    cases.append(Case("none turns", (8, 10000.0, 6)))
    cases.append(Case("the fastest pair alone", (8, 10000.0, 7)))
    for _ in range(5):
        width, length = 2 * int(rng.integers(3, 90)), int(rng.integers(20, 9000))
        base = float(rng.choice([100.0, 10000.0, 1e6]))
        cases.append(Case("another width", (width, base, length)))
    return cases


ASK = (128, 500000.0, 8192)
