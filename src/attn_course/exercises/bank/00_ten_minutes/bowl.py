"""The sentence of the first figure gets a fourth word, "bowl". Write `bowl()`, which
returns two keys for it, `loud, quiet`, each (x, y) and at most 2.5 long. With the key
loud, the bowl takes more than half of the weight in both sentences, of thirsty, query
(2, 1), and of fresh, query (1, 2). With the key quiet it takes less than 0.01 in both.
The other keys are those of the figure.

1. A score is the dot product with the query: which direction pleases both queries,
   which neither?
2. The cat scores 4 with thirsty, the milk with fresh, before the division: a winner has
   to score more.
3. loud lies between the cat and the milk and is longer than they are; quiet points away
   from both.
"""

title = "add a fourth word to the figure"
level, minutes = 1, 10
kind = "open"
before = "the figure of the arrows"

KEYS = np.array([[2.0, 0.0], [-1.0, -1.0], [0.0, 2.0]])  # cat, drank, milk
QUERIES = {"thirsty": (2.0, 1.0), "fresh": (1.0, 2.0)}


def cases(rng):
    return [Case("the figure", ())]


def measure(results):
    """True; a key that misses what was asked is refused with its weights."""
    if len(results) != 2 or any(each.shape != (2,) for each in results):
        raise Refused("return two keys, each of two numbers: loud, quiet")
    for name, key in zip(("loud", "quiet"), results, strict=True):
        if not np.hypot(*key) <= 2.5 + 1e-9:
            raise Refused(f"{name} is {np.hypot(*key):.2f} long, at most 2.5")
        shares = {}
        for ending, query in QUERIES.items():
            weights = softmax(np.array([*KEYS, key]) @ query / np.sqrt(2))
            shares[ending] = dict(
                zip(("cat", "drank", "milk", "bowl"), weights, strict=True)
            )
        told = ", ".join(f"{e} {s['bowl']:.3f}" for e, s in shares.items())
        if name == "loud":
            lost = [e for e, s in shares.items() if s["bowl"] <= 0.5]
            if lost:
                raise Refused(f"loud loses in {' and in '.join(lost)} ({told})")
        elif max(s["bowl"] for s in shares.values()) >= 0.01:
            raise Refused(f"quiet is still heard ({told})")
    return np.array(True)


# %% solution
def bowl():
    ...  # return two keys, loud and quiet, each (x, y)
    return (1.7, 1.7), (-1.5, -1.5)


# %% mistake: loud is 4.24 long: the figure would allow it, the exercise doesn't
return (3, 3), (-1.5, -1.5)
# %% mistake: loud loses in fresh: it points where the cat points
return (2.5, 0), (-1.5, -1.5)
# %% mistake: loud loses in thirsty: it points where the milk points
return (0, 2.5), (-1.5, -1.5)
# %% mistake: loud loses in thirsty and in fresh: the right direction, but too short
return (1, 1), (-1.5, -1.5)
# %% mistake: quiet is still heard: a key of zeros scores 0, and exp(0) is not small
return (1.7, 1.7), (0, 0)
