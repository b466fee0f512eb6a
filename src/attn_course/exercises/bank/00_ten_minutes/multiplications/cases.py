from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [
        Case(
            "sizes of different primes", tuple(map(int, rng.permutation([2, 3, 5, 7])))
        )
    ]
    cases += [
        Case(
            "an axis of size 1",
            tuple(1 if axis == one else 5 + axis for axis in range(4)),
        )
        for one in range(4)
    ]
    return [*cases, Case("length 100", (100, 100, 8, 16))]
