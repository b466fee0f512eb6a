import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(S, count, sinks, low=False):
        score = rng.permutation(S) - S / 2 + 0.25
        if low:
            score[:sinks] = -S + np.arange(sinks) / 10
        return score, count, sinks

    return [
        Case("the sinks have low scores", draw(13, 5, 2, low=True)),
        Case("sizes of different primes", draw(11, 7, 3)),
        Case("other sizes", draw(29, 11, 4)),
        Case("no sinks", draw(13, 5, 0)),
        Case("one sink", draw(17, 3, 1, low=True)),
        Case("sinks alone", draw(7, 3, 3, low=True)),
        Case("all keys fit", draw(5, 7, 2)),
        Case("just as many", draw(5, 5, 2)),
        Case("one key", draw(1, 3, 1)),
    ]
