import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused

WORDS = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]])  # cat, drank, milk
QUERY = np.array([[0, 4], [4, 0], [0, 0], [0, 0]])
KEY = np.array([[1, 0], [0, 1], [0, 0], [0, 0]])


def cases(rng):
    return [Case("the figure", ())]


def measure(results):
    """Where each word of both sentences looks; -1 where it is not sure enough."""
    if len(results) != 1 or results[0].shape != (3, 4):
        raise Refused("return one table, (3, 4)")
    if not (np.abs(results[0]) <= 1).all():
        raise Refused("the numbers have to lie between -1 and 1")
    looks = []
    for order in ([0, 1, 2], [2, 1, 0]):
        x = WORDS[order] + results[0]
        weights = softmax(x @ QUERY @ (x @ KEY).T / np.sqrt(2))
        sure = weights.max(axis=1) > np.array([0.8, 0.9, 0.8])
        looks.append(np.where(sure, weights.argmax(axis=1), -1))
    return np.array(looks)
