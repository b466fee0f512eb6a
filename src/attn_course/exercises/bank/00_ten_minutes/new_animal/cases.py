from functools import cache
from itertools import product

import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused

ROWS = np.array(
    [
        [animal, 8, 9 + drink, ending, animal if ending < 6 else 9 + drink]
        for animal, drink, ending in product(range(8), range(8), range(12))
    ]
)
STEPS = 200  # twice as many as on the page: every run has settled


@cache
def trained(seed):
    """The page's model and its training, with the gradients written out."""
    rng = np.random.default_rng(seed)
    net = {"query": rng.normal(size=(12, 2)), "key": rng.normal(size=(17, 2))}
    first, second = (dict.fromkeys(net, 0.0) for _ in range(2))
    words, asks = ROWS[:, :3], ROWS[:, 3]
    hit = words == ROWS[:, 4:]
    for step in range(1, STEPS + 1):
        query, key = net["query"][asks], net["key"][words]
        weights = softmax((query[:, None] * key).sum(-1) / np.sqrt(2))
        slope = (weights - hit) / len(ROWS) / np.sqrt(2)
        found = {name: np.zeros_like(table) for name, table in net.items()}
        np.add.at(found["query"], asks, (slope[..., None] * key).sum(1))
        np.add.at(found["key"], words, slope[..., None] * query[:, None])
        for name, gradient in found.items():  # Adam
            first[name] += 0.1 * (gradient - first[name])
            second[name] += 0.001 * (gradient**2 - second[name])
            size = np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8
            net[name] -= 0.1 * first[name] / (1 - 0.9**step) / size
    return net["key"], net["query"]


def cases(rng):
    return [
        Case("a trained model", trained(int(seed)))
        for seed in rng.choice(20, 3, replace=False)
    ]


def measure(results, keys, queries):
    """True; a key with which the fox, or a drink, is not found is refused."""
    if len(results) != 1 or results[0].shape != (2,):
        shapes = ", ".join(str(each.shape) for each in results)
        raise Refused(f"return one key of two numbers, not {shapes}")
    least = []
    for ending, query in enumerate(queries):
        for drink in keys[9:]:
            three = np.array([results[0], keys[8], drink])
            weights = softmax(three @ query / np.sqrt(2))
            least.append((ending >= 6, weights[0 if ending < 6 else 2]))
    least = {kind: min(x for one, x in least if one == kind) for kind in (False, True)}
    if not least[False] > 0.9:
        raise Refused(f"the fox gets {least[False]:.2f} with an animal's ending")
    if not least[True] > 0.9:
        raise Refused(f"a drink gets {least[True]:.2f} beside the fox")
    return np.array(True)
