"""For the keys cat (2, 0), drank (-1, -1) and milk (0, 2), with scores divided by the
root of 2, write `steer()`, which returns three queries, each (x, y): milk, at most 1.5
long, that gives the milk at least 0.875; even, for which cat and milk get the same,
within 0.005, and drank less than 0.01; drank, at most 1 long, for which drank gets more
than 0.75. Any that do are right.

1. What the milk does not get, other words do. Lean away from them.
2. A turn away from the cat costs the milk little and the cat much.
3. milk: about (-0.45, 1.43). even: the same number twice. drank: away from both.
"""

title = "steer the arrow"
level, minutes = 1, 10
kind = "open"
before = "the two queries"

KEYS = np.array([[2.0, 0.0], [-1.0, -1.0], [0.0, 2.0]])  # cat, drank, milk
LONGEST = {"milk": 1.5, "even": np.inf, "drank": 1.0}


def cases(rng):
    return [Case("the figure", ())]


def measure(results):
    """True; a query that misses what was asked is refused with its weights."""
    if len(results) != 3 or any(each.shape != (2,) for each in results):
        raise Refused("return three queries of two numbers: milk, even, drank")
    for name, query in zip(LONGEST, results, strict=True):
        length = np.hypot(*query)
        if not length <= LONGEST[name] + 1e-9 or np.isinf(length):
            raise Refused(f"{name} is {length:.2f} long, at most {LONGEST[name]:g}")
        cat, drank, milk = softmax(KEYS @ query / np.sqrt(2))
        told = f"cat {cat:.3f}, drank {drank:.3f}, milk {milk:.3f}"
        if name == "milk" and milk < 0.875:
            raise Refused(f"milk gives the milk too little ({told})")
        if name == "even" and abs(cat - milk) > 0.005:
            raise Refused(f"even gives cat and milk different shares ({told})")
        if name == "even" and drank >= 0.01:
            raise Refused(f"even leaves drank too much ({told})")
        if name == "drank" and drank <= 0.75:
            raise Refused(f"drank gets too little ({told})")
    return np.array(True)


# %% solution
def steer():
    ...  # return three queries, each (x, y)
    milk = (-0.45, 1.43)
    even = (2, 2)
    drank = (-0.7, -0.7)
    return milk, even, drank


# %% mistake: milk gives the milk too little: straight at it is not best, what does the
# cat get?
milk = (0, 1.5)
# %% mistake: milk is 2.00 long: its key is that long, the query may not be
milk = (0, 2)
# %% mistake: even gives cat and milk different shares: this is the query of "thirsty"
even = (2, 1)
# %% mistake: even leaves drank too much: the right direction, but too short
even = (1, 1)
# %% mistake: drank gets too little: the right direction, but too short
drank = (-0.3, -0.3)
