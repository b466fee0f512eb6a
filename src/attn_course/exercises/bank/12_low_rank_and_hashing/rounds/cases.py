from attn_course.exercises.engine.exercise import Case


def cases(rng):
    cases = [Case("the prediction", (0.6, 0.99)), Case("one is enough", (0.7, 0.5))]
    # Powers of two, so that the ratio of the logarithms is exact in any spelling.
    cases.append(Case("a ratio that is whole", (0.5, 0.75)))
    cases.append(Case("a ratio that is whole", (0.75, 0.9375)))
    for _ in range(4):
        p, rounds = float(rng.uniform(0.05, 0.8)), int(rng.integers(2, 12))
        wanted = 1 - (1 - p) ** (rounds - float(rng.uniform(0.2, 0.8)))
        cases.append(Case("another chance", (p, wanted)))
    return cases


ASK = (0.6, 0.99)
