from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(width, base, factor, length):
        return 2 * width, float(base), float(factor), int(length)

    cases = [Case("the example of the text", draw(32, 10000, 4, 2048))]
    cases.append(Case("Llama 3's base", draw(64, 500000, 8, 8192)))
    cases.append(Case("trained on few positions", draw(8, 10000, 4, 64)))
    cases.append(Case("no factor", draw(32, 10000, 1, 2048)))
    cases.append(Case("every pair is kept", draw(16, 10, 3, 4096)))
    cases.append(Case("the ramp ends beyond the pairs", draw(16, 2, 3, 64)))
    for _ in range(3):
        width, factor = int(rng.integers(20, 60)), int(rng.integers(2, 17))
        length = int(rng.integers(1000, 9000))
        base = rng.choice([10000.0, 50000.0, 1e6])
        cases.append(Case("another width", draw(width, base, factor, length)))
    return cases
