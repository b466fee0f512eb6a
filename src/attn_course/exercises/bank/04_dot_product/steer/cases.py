import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused

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
