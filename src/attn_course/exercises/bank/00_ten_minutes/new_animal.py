"""The model that you have trained never met a fox. Write `new_animal(keys, queries)`,
which returns a key (2) for it, without training: keys (17, 2) are the learned ones, of
eight animals, "drank", and eight drinks, in this order; queries (12, 2), of six endings
that ask for an animal, and six that ask for a drink. In "the fox drank the milk because
it was ..." the fox has to get more than 0.9 of the weight with each animal's ending,
and each drink more than 0.9 with each drink's. It is tried on models that were trained
for the check.

1. Look at the plane: where do the animals lie, and where do the queries of their
   endings point?
2. What is right for all animals alike lies in their middle.
3. keys[:8].mean(axis=0): the mean over the eight rows, not over the two numbers.
"""

from functools import cache
from itertools import product

title = "teach the trained model a new animal"
level, minutes = 2, 15
kind = "open"
before = "the plane of the learned keys"

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


# %% solution
def new_animal(keys, queries):
    ...  # (17, 2), (12, 2); return (2)
    return keys[:8].mean(axis=0)


# %% mistake: the fox gets: these are the drinks, and "drank"
return keys[8:].mean(axis=0)
# %% mistake: the fox gets: this is the way from the animals, not to them
return -keys[:8].mean(axis=0)
# %% mistake: return one key of two numbers: the mean runs over the numbers, not over
# the animals
return keys[:8].mean(axis=1)
# %% mistake: the fox gets: the right direction, but too short
return 0.01 * keys[:8].mean(axis=0)
# %% mistake: the fox gets: "drank" is no animal
return keys[8]
