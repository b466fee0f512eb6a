import numpy as np

from attn_course.exercises.engine.exercise import Case


def cases(rng):
    letters = np.array(list("abcdefghij 0123456789"))

    def draw(*lengths):
        alphabet = rng.permutation(letters)[: int(rng.integers(9, 15))]
        texts = tuple("".join(rng.choice(alphabet, n)) for n in lengths)
        return texts, "".join(alphabet)

    def named(name, *lengths):
        return Case(name, draw(*lengths))

    texts, characters = draw(5, 7, 3)
    return [
        named("texts of different lengths", *rng.permutation([2, 3, 5, 7, 11])),
        named("texts of one length", 5, 5, 5),
        named("one text", 7),
        named("texts of one character", 1, 1),
        named("an empty text", 3, 0, 5),
        Case("an unknown character", (("#" + texts[0], *texts[1:]), characters)),
    ]
