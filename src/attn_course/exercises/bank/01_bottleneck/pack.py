"""By hand, four numbers held four letters. Can two hold six? Write `pack()`, which
returns U (2, 2) and W (2) for the loop of that section, state = U @ state + W * letter,
letters being a = 1 to n = 14. All 4,096 strings of six letters out of a, b, m and n
must end in states of their own. The state is float32, as in a network.

1. A number has many digits. How do you write six letters as one number?
2. With 14 letters, multiply what is there by 15 and add the new letter: what are U and
   W?
3. U = 15 * np.eye(2), W = np.array([1, 0]); 15**6 is still exact in float32, which has
   24 bits.
"""

from itertools import product

title = "set the weights by hand: six letters in two numbers"
level, minutes = 2, 15
kind = "open"
before = "the section By hand"

STRINGS = np.array([*product((1, 2, 13, 14), repeat=6)], np.float32)


def cases(rng):
    return [Case("4,096 strings", ())]


def measure(results):
    """How many strings end in a state of their own, and whether all do."""
    shapes = [each.shape for each in results]
    if shapes != [(2, 2), (2,)]:
        raise Refused(f"return U (2, 2) and W (2); these are {shapes}")
    U, W = (each.astype(np.float32) for each in results)
    state = np.zeros((len(STRINGS), 2), np.float32)
    for letter in STRINGS.T:
        state = state @ U.T + letter[:, None] * W
    if not np.isfinite(state).all():
        raise Refused("the state is no finite number")
    return np.array(len(np.unique(state, axis=0)))


# %% solution
def pack():
    ...  # return U (2, 2) and W (2)
    U = 15 * np.eye(2)
    return U, np.array([1, 0])


# %% mistake: this matrix only moves: two numbers hold the last two letters
U = np.eye(2, k=-1)
# %% mistake: this adds the letters up: their order is lost
U = np.eye(2)
# %% mistake: letters overlap: 2 a + b can be reached in many ways, for letters up to 14
U = 2 * np.eye(2)
# %% mistake: the letters that are read last are lost: float32 has 24 bits, about 7
# digits
U = 1000 * np.eye(2)
# %% mistake: the letters that are read first fade and are lost in the rounding
U = 0.01 * np.eye(2)
