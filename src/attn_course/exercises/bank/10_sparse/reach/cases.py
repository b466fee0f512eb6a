from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [
        Case("the last layer reaches farther than it must", (32_768, 1024)),
        Case("the last layer reaches just far enough", (33, 5)),
        Case("one layer is enough", (7, 7)),
        Case("a window longer than the sequence", (5, 11)),
        Case("a window of 2", (9, 2)),
    ]
    for _ in range(3):
        window = int(rng.integers(3, 40))
        n = int(rng.integers(100, 2000))
        cases.append(Case("sizes of different primes", (n, window)))
    return cases


ASK = (32_768, 1024)
