import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused


def cases(rng):
    return [
        Case("sizes of different primes", (5, 7)),
        Case("two tokens", (2, 11)),
        Case("one position", (3, 1)),
        Case("more tokens than positions", (int(rng.integers(11, 20)), 3)),
    ]


def measure(weights, N, T):
    """Where the head looks and what it says, on random tokens."""
    if len(weights) != 4 or any(each.ndim != 2 for each in weights):
        raise Refused("return four matrices: of query, key, value and output")
    query_weight, key_weight, value_weight, output_weight = weights
    for name, each in zip(("query", "key", "value"), weights, strict=False):
        if len(each) != N + T:
            raise Refused(
                f"{name}_weight has {len(each)} rows, expected N + T = {N + T}"
            )
    rng, looks, says = np.random.default_rng(N * T), [], []
    for _ in range(5):
        x = np.concatenate([np.eye(N)[rng.integers(0, N, T)], np.eye(T)], axis=1)
        query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
        score = np.where(np.tri(T) > 0, query @ key.T / np.sqrt(key.shape[1]), -np.inf)
        weight = softmax(score)
        looks.append(np.where(weight.max(axis=1) >= 0.99, weight.argmax(axis=1), -1))
        says.append((weight @ value @ output_weight).argmax(axis=1))
    return np.array(looks), np.array(says)
