from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [Case("Llama 3's base", (128, 500000.0, 8.0))]
    cases.append(Case("no factor", (64, 10000.0, 1.0)))
    cases.append(Case("the smallest width", (4, 100.0, 3.0)))
    for _ in range(4):
        width, factor = 2 * int(rng.integers(3, 90)), float(rng.integers(2, 33))
        base = float(rng.choice([10.0, 10000.0, 1e6]))
        cases.append(Case("another width", (width, base, factor)))
    return cases


ASK = (64, 10000.0, 4.0)
