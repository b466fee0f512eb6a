import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused

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
