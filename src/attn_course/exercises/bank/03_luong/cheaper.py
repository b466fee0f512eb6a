"""The general score of query (T, D) and memory (S, D) is query @ W @ memory.T, W (D, D).
An assistant multiplied W into the memory, once for all queries, in three ways. One is
right. Write `review()`, which returns its name and an input, query, memory and W, on
which both others give other scores.

1. What is (A @ B).T? Which of the three gives query @ W @ memory.T back?
2. Which W hide a fault? A symmetric one, the identity, any projection.
3. The right one multiplies the memory by the transpose of W. Try W = [[0, 1], [0, 0]].
"""

title = "review an assistant's cheaper score"
level, minutes = 2, 10
kind = "open"
before = "the general score"


def one(query, memory, W):
    return query @ (memory @ W).T


def two(query, memory, W):
    return query @ (memory @ W.T).T


def three(query, memory, W):
    return (query @ W) @ (memory @ W).T


above = one, two, three
measure = reviewed(
    above,
    right="two",
    wrong={
        "one": "(memory @ W).T is W.T @ memory.T, so that W is transposed",
        "three": "W meets both sides, and counts twice",
    },
)


def cases(rng):
    return [Case("your input", ())]


# %% solution
def review():
    ...  # return a name, query (T, D), memory (S, D), W (D, D)
    query, memory = np.array([[1.0, 2.0]]), np.array([[3.0, 0.0], [0.0, 2.0]])
    W = np.array([[0.0, 1.0], [0.0, 0.0]])
    return "two", query, memory, W


# %% mistake: one is wrong: it is right for a symmetric W alone
return "one", query, memory, W
# %% mistake: three is wrong: it is right for the identity, which does nothing twice
return "three", query, memory, W
# %% mistake: on this input one gives what two gives: W is symmetric
W = np.array([[0.0, 1.0], [1.0, 0.0]])
# %% mistake: on this input one gives what two gives: the identity does nothing
W = np.eye(2)
# %% mistake: on this input one gives what two gives: nothing is asked
query, memory = np.zeros((1, 2)), np.array([[3.0, 0.0], [0.0, 2.0]])
# %% mistake: on this input one raises ValueError: all have to run; W is square
W = np.ones((2, 3))
# %% mistake: return a name and 3 arrays: W is missing
return "two", query, memory
