import numpy as np

from attn_course.exercises.engine.exercise import Case, softmax
from attn_course.exercises.engine.run import Refused

DIGITS = {"zero", "one", "two", "three", "four", "five"}
DIGITS |= {"six", "seven", "eight", "nine"}


def cases(rng):
    return [Case("your line", ())]


def measure(results):
    """True, of a line at whose place the window of three words fails."""
    if len(results) != 2 or results[0].shape != (12,) or results[1].size != 1:
        raise Refused("return a list of twelve words and a place")
    words, place = [str(each) for each in results[0]], results[1].reshape(())
    if strange := [word for word in words if word not in DIGITS]:
        raise Refused(f"{strange[0]!r} is none of the words zero to nine")
    if place.dtype.kind != "i" or not 1 <= place <= 10:
        raise Refused("the place is a whole number from 1 to 10")
    window = range(int(place) - 1, int(place) + 2)
    last = words[int(place) - 1]
    score = np.array([4.0 * (j > 0 and words[j - 1] == last) for j in window])
    weight = softmax(score)[1]
    if weight > 0.5:
        raise Refused(f"the window finds it: the word at {place} gets {weight:.2f}")
    return np.array(True)
