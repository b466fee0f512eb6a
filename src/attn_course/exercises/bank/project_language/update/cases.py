from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(*shape, step=None, rate=None):
        value, slope, mean = (rng.normal(size=shape) for _ in range(3))
        square = rng.uniform(0.5, 2, shape)
        step = int(rng.integers(2, 50)) if step is None else step
        rate = float(rng.uniform(0.05, 0.5)) if rate is None else rate
        return value, slope, mean, square, step, rate

    return [
        Case("sizes of different primes", draw(3, 5)),
        Case("equal sizes", draw(5, 5)),
        Case("an axis of size 1", draw(1, 7)),
        Case("a vector", draw(11)),
        Case("the first step", draw(2, 3, step=1)),
        Case("a late step", draw(7, 2, step=1000)),
        Case("three axes", draw(2, 3, 5)),
    ]
