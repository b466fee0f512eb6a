from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = []
    for name in ("sizes of different primes", "another number of heads"):
        for _ in range(2):
            height, width, heads = (int(n) for n in rng.permutation([3, 5, 7, 11])[:3])
            cases.append(Case(name, (height, width, heads, int(rng.choice([2, 4, 8])))))
    cases += [
        Case("an axis of size 1", (1, 7, 3, 4)),
        Case("an axis of size 1", (7, 1, 3, 2)),
    ]
    return [*cases, Case("100 pixels on a side", (100, 100, 1, 4))]


ASK = (64, 64, 1, 4)
