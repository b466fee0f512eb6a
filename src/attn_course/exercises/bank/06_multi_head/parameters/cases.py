from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [
        Case("another number of heads", (heads * int(size), heads, bool(bias)))
        for heads, size, bias in (
            (2, rng.integers(2, 9), 0),
            (3, rng.integers(2, 9), 1),
        )
    ]
    cases.append(Case("one head", (7, 1, True)))
    cases.append(Case("heads of width 1", (5, 5, False)))
    return [*cases, Case("width 768", (768, 12, True))]


ASK = (512, 16, False)
