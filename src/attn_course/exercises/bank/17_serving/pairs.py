"""Predict, then measure. Four machines share a causal text of 64 positions; with its own
16 queries each attends to keys that come round. How many pairs of a query and a key has
the machine with the most, if each has 16 neighbors in order? And how many if the text is
cut into 8 pieces and machine r has the pieces r and 7 - r? Enter how many times as many
the first are. Then write `pairs(n, machines)`: the most pairs of a machine in order,
divided by the most in the second way; n can be divided by 2 * machines.

1. Query i sees i + 1 keys. In order the last machine has the last queries.
2. Pieces r and 2R - 1 - r: what one has less, the other has more.
3. seen = np.arange(1, n + 1); seen.reshape(R, -1).sum(1).max(); and with pieces =
   seen.reshape(2 * R, -1).sum(1): (pieces[:R] + pieces[::-1][:R]).max()
"""

title = "predict who works longest in a ring"
level, minutes = 2, 15
kind = "predict"
before = "np.reshape"
predict = "in order / in pairs, for 64 positions and 4 machines"
ask = (64, 4)


def cases(rng):
    sizes = [(int(rng.integers(2, 9)) * 2 * n, n) for n in (3, 5, 8)]
    cases = [Case("several machines", size) for size in sizes]
    cases.append(Case("two machines", (20, 2)))
    cases.append(Case("one machine", (6, 1)))
    return [*cases, Case("pieces of one position", (14, 7))]


# %% solution
def pairs(n, machines):
    ...  # two numbers; return a number
    seen = np.arange(1, n + 1)  # keys that each query sees
    order = seen.reshape(machines, -1).sum(1)
    pieces = seen.reshape(2 * machines, -1).sum(1)
    both = pieces[:machines] + pieces[::-1][:machines]
    return order.max() / both.max()


# %% mistake: a query sees its own key too: i + 1
seen = np.arange(n)
# %% mistake: the text is causal, and pieces of both ends are put together
seen = np.full(n, n)
# %% mistake: the most of a machine, not the least
return order.min() / both.max()
# %% mistake: pieces r and 2R - 1 - r, not r and R + r
both = pieces[:machines] + pieces[machines:]
# %% mistake: the pairs in order come first
return both.max() / order.max()
# %% mistake: both pieces of a machine count
both = pieces[::-1][:machines]
