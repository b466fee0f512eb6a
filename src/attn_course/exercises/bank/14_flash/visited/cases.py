from attn_course.exercises.engine.exercise import Case


def cases(rng):
    sizes = [(12, 4), (13, 4), (1, 7), (7, 1), (100, 11), (5, 100)]
    drawn = rng.integers((20, 2), (500, 19), (3, 2))
    sizes += [(int(length), int(size)) for length, size in drawn]
    return [
        Case(f"{length} positions, blocks of {size}", (length, size))
        for length, size in sizes
    ]


ASK = (4096, 128)
