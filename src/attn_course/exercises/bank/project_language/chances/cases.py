import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    def draw(B, N, k=None, temperature=None, spread=2.0):
        k = int(rng.integers(2, max(N, 3))) if k is None else k
        if temperature is None:
            temperature = float(rng.choice([0.4, 0.6, 1.7, 2.5]))
        return spread * rng.normal(size=(B, N)), temperature, min(k, N)

    def apart(logits, temperature, k):
        return logits + 2000 * (-1.0) ** np.arange(len(logits))[:, None], temperature, k

    return [
        Case("equal sizes", draw(5, 5)),
        Case("sizes of different primes", draw(3, 7)),
        Case("an axis of size 1", draw(1, 11)),
        Case("a single token", draw(3, 1)),
        Case("the best token alone", draw(2, 7, k=1)),
        Case("all tokens", draw(5, 7, k=7)),
        Case("temperature 1", draw(3, 11, temperature=1.0)),
        Case("a low temperature", draw(3, 11, temperature=0.1)),
        Case("large logits", apart(*draw(2, 7))),
        Case("100 tokens", draw(3, 100, k=40)),
    ]
