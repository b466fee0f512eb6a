from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = []
    for full, windowed in ((3, 5), (7, 2), (1, 4)):
        context, window = int(rng.integers(200, 900)), int(rng.integers(20, 100))
        heads, width = int(rng.integers(1, 9)), int(rng.choice([48, 64, 128]))
        sizes = full, windowed, heads, width, context, window
        cases.append(Case("layers of both kinds", sizes))
    cases.append(Case("no layer has a window", (5, 0, 3, 64, 700, 50)))
    cases.append(Case("all layers have a window", (0, 5, 3, 64, 700, 50)))
    return [*cases, Case("a context shorter than the window", (2, 3, 5, 64, 30, 50))]


ASK = (18, 18, 8, 64, 131072, 128)
