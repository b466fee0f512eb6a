from attn_course.exercises.engine.exercise import Case


def cases(rng):
    sizes = [(int(D), int(F)) for D, F in rng.integers(2, 99, size=(4, 2))]
    cases = [Case("other sizes", size) for size in sizes]
    return [*cases, Case("width 1", (1, 3)), Case("width 768", (768, 3072))]


ASK = (512, 2048)
