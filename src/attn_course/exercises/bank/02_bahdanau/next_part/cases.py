import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused


def cases(rng):
    return [Case("day, month, year", ())]


def measure(results):
    """Where each state looks: a place, -1 for everywhere alike, -2 for no one place."""
    if len(results) != 1 or results[0].shape != (3, 3):
        raise Refused("return one matrix, W (3, 3)")
    score = np.tanh((np.eye(3) @ results[0])[:, None] + np.eye(3)) @ [-4, -4, -4]
    if not np.isfinite(score).all():
        raise Refused("the scores are not finite")
    weights = softmax(score)
    even = (weights >= 0.3).all(axis=1) & (weights <= 0.37).all(axis=1)
    sure = np.where(weights.max(axis=1) > 0.8, weights.argmax(axis=1), -2)
    return np.where(even, -1, sure)
