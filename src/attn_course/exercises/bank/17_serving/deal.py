"""Write `deal(unread, budget)`: how many tokens each request reads in the next step,
(n) whole numbers. unread (n): the tokens of each request that the model has not read,
in the order in which the requests came; all together read at most `budget`. Who came
first is served first, with all that it has or all that is left.

1. What is left for a request? The budget, less what those before it wanted.
2. np.cumsum(unread) - unread is what those before it wanted.
3. np.clip(budget - before, 0, unread)
"""

title = "deal out a step"
level, minutes = 1, 10
before = "np.cumsum, np.clip"


def cases(rng):
    def draw(n, budget):
        return rng.integers(1, 9, n), budget

    return [
        Case("a budget for some", draw(7, 20)),
        Case("a budget for some", draw(11, 31)),
        Case("a budget for all", draw(5, 50)),
        Case("a budget for the first alone", (np.array([9, 3, 4]), 5)),
        Case("a long prompt among writers", (np.array([1, 1, 40, 1, 1]), 16)),
        Case("just enough", (np.array([3, 5, 7]), 15)),
        Case("an axis of size 1", draw(1, 3)),
        Case("one has nothing to read", (np.array([2, 0, 5, 1]), 6)),
    ]


# %% solution
def deal(unread, budget):
    ...  # (n) and a number; return (n)
    before = np.cumsum(unread) - unread
    return np.clip(budget - before, 0, unread)


# %% mistake: who came first is served first; here each gets an equal share
def instead(unread, budget):
    return np.minimum(unread, budget // len(unread))


# %% mistake: a request's own tokens are not before it
before = np.cumsum(unread)
# %% mistake: nobody reads more tokens than it has
return np.maximum(budget - before, 0)
# %% mistake: a share can't be below 0
return np.minimum(budget - before, unread)
# %% mistake: what is left of the budget goes to the first that doesn't fit
return np.where(before + unread <= budget, unread, 0)
# %% mistake: the budget is for all together, not for each
return np.minimum(unread, budget)
# %% mistake: the last are served first
before = np.cumsum(unread[::-1])[::-1] - unread
# %% mistake: the budget is not kept
return unread
