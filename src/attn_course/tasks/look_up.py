"""Small dictionaries: some names with a value each, and one name that is asked for.

A rule made for this course. Which name is which has to be learned, for a query and a
key of the same name start as different vectors. It needs no data file.
"""

from typing import NamedTuple

import numpy as np

NAMES, VALUES, SIZE = 64, 10, 16
# What a page calls the 64 names.
_FIRST_NAMES = (
    "Ada Alan Amir Ana Anna Ben Bo Carl Cleo Dan Dina Ed Ella Emil Eva Finn "
    "Gus Hana Hugo Ida Igor Ines Ivan Jack Jane Jin Joan John Jude Kai Kim Lars "
    "Lea Leo Lin Lisa Liv Luca Luis Maja Mei Mia Mila Mona Nia Nils Noa Nora "
    "Olga Omar Otto Paul Pia Ravi Rosa Ruth Sam Sara Tara Theo Tom Uma Yara Zoe"
)
PEOPLE = tuple(_FIRST_NAMES.split())
# Several names at once, of smaller dictionaries.
SEVERAL_NAMES, SEVERAL_VALUES, SEVERAL_SIZE, ASKED = 32, 8, 12, 4


class LookUps(NamedTuple):
    """A batch of questions, int64.

    names: (B, S), all different in a row; values: (B, S), the value of each name;
    asked: (B), one of the names of its row; answer: (B), the value of that name.
    Where several names are asked for at once, asked and answer are (B, A).
    """

    names: np.ndarray
    values: np.ndarray
    asked: np.ndarray
    answer: np.ndarray


def look_ups(batch_size, *, seed=0):
    """An endless iterator of `LookUps`; the same seed gives the same."""
    rng = np.random.default_rng(seed)
    rows = np.arange(batch_size)
    while True:
        names = rng.random((batch_size, NAMES)).argsort(axis=1)[:, :SIZE]
        values = rng.integers(VALUES, size=(batch_size, SIZE))
        place = rng.integers(SIZE, size=batch_size)
        yield LookUps(names, values, names[rows, place], values[rows, place])


def several_look_ups(batch_size, *, seed=0, asked=ASKED):
    """Like `look_ups`, with several different names in every question."""
    rng = np.random.default_rng(seed)
    rows = np.arange(batch_size)[:, None]
    while True:
        names = rng.random((batch_size, SEVERAL_NAMES)).argsort(axis=1)
        names = names[:, :SEVERAL_SIZE]
        values = rng.integers(SEVERAL_VALUES, size=(batch_size, SEVERAL_SIZE))
        places = rng.random((batch_size, SEVERAL_SIZE)).argsort(axis=1)[:, :asked]
        yield LookUps(names, values, names[rows, places], values[rows, places])
