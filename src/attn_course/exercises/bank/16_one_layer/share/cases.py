from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [Case("the example of the text", (4096, -8.0, 0.0))]
    cases.append(Case("one key, as high as the sink", (1, 0.5, 0.5)))
    cases.append(Case("keys that fit", (3, 4.0, 1.0)))
    cases.append(Case("a high sink", (7, -1.0, 3.0)))
    for _ in range(4):
        score, sink = rng.uniform(-4, 2, size=2)
        cases.append(
            Case(
                "other numbers", (int(rng.integers(2, 900)), float(score), float(sink))
            )
        )
    return cases


ASK = (4096, -8.0, 0.0)
