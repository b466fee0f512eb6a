"""In the first figure "drank" can't tell who drinks from what is drunk. Write
`places()`, which returns a table (3, 4) of numbers between -1 and 1: row i is added to
the word that stands in place i, as the figure's box does. With the figure's words and
tables, in "cat drank milk" as in "milk drank cat", the verb has to give the **last**
noun more than 0.9, and each noun still more than 0.8 to the verb.

1. The verb scores a word by how much of a noun it is, its first number. Who should look
   more like a noun?
2. Something that is taken from the first noun also weakens its own query: rather add to
   the last.
3. A table of zeros, with a 1 in its last row and first column.
"""

title = "tell the verb where its object stands"
level, minutes = 2, 15
kind = "open"
before = "the figure of the three words"

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


# %% solution
def places():
    ...  # return a table (3, 4)
    table = np.zeros((3, 4))
    table[2, 0] = 1
    return table


# %% mistake: this is the subject: the last noun was asked for
table[0, 0] = 1
# %% mistake: what is taken from the first noun is missing in its own query
table[0, 0] = -1
# %% mistake: a verb that is none is found by nobody
table[1, 1] = -1
# %% mistake: the verb still can't choose: only the first two numbers enter queries and
# keys
table[2, 2] = 1
# %% mistake: the first noun looks like a verb now
table[0, 1] = 1
