"""Write `merge(m1, l1, c1, m2, l2, c2)`. Two machines attended to a half of the keys
each. For every query each knows its highest score m (T), the sum l (T) of exp(score -
m), and c (T, V), the sum of exp(score - m) * value. Return the output (T, V) over all
keys. Scores may be of any size; a part that saw no key has m = -inf, l = 0, c = 0.

1. It is one step of the online softmax, with a part in place of a block.
2. new = max(m1, m2); what was summed with m1 is multiplied by exp(m1 - new).
3. (a * c1 + b * c2) / (a * l1 + b * l2), with a = exp(m1 - new)[:, None] and b
   likewise.
"""

title = "merge two halves of attention"
level, minutes = 2, 15
before = "04.attention"


def cases(rng):
    def draw(T, V):
        parts = []
        for _ in range(2):
            highest, total = rng.normal(size=T), 1 + rng.random(T)
            parts += [highest, total, rng.normal(size=(T, V))]
        return tuple(parts)

    def large(m1, l1, c1, m2, l2, c2):
        return m1 + 800, l1, c1, m2 + 800, l2, c2

    def apart(m1, l1, c1, m2, l2, c2):
        # By turns the first part is far above, the second, and both are far below.
        one = np.resize([800, -800, -800], m1.shape)
        two = np.resize([-800, 800, -900], m1.shape)
        return one + m1, l1, c1, two + m2, l2, c2

    def empty(m1, l1, c1, m2, l2, c2):
        m1[0], l1[0], c1[0] = -np.inf, 0, 0
        return m1, l1, c1, m2, l2, c2

    cases = fixed_cases(rng, draw, 2, large=large, empty=empty)
    cases.append(Case("queries far apart", apart(*draw(7, 3))))
    m1, l1, c1, m2, l2, c2 = draw(7, 3)
    m1, l1, c1, *_ = empty(m1, l1, c1, 0, 0, 0)
    return [*cases, Case("one of the parts is empty", (m2, l2, c2, m1, l1, c1))]


# %% solution
def merge(m1, l1, c1, m2, l2, c2):
    ...  # (T), (T), (T, V), twice; return (T, V)
    new = np.maximum(m1, m2)
    one, two = np.exp(m1 - new)[:, None], np.exp(m2 - new)[:, None]
    return (one * c1 + two * c2) / (one * l1[:, None] + two * l2[:, None])


# %% mistake: the parts have different maxima: bring both to one before you add
instead = lambda m1, l1, c1, m2, l2, c2: (c1 + c2) / (l1 + l2)[:, None]
# %% mistake: each part's output is averaged; the parts weigh by their sums
instead = lambda m1, l1, c1, m2, l2, c2: (c1 / l1[:, None] + c2 / l2[:, None]) / 2
# %% mistake: the sums are not brought to the new maximum, only the contexts
return (one * c1 + two * c2) / (l1 + l2)[:, None]
# %% mistake: the contexts are not brought to the new maximum, only the sums
return (c1 + c2) / (one * l1[:, None] + two * l2[:, None])
# %% mistake: exp of a large score overflows: subtract the higher maximum first
new = np.zeros_like(m1)
# %% mistake: the largest of all is subtracted: a query far below it becomes 0 / 0
new = np.maximum(m1, m2).max()
# %% mistake: the sign is wrong: exp(old - new) shrinks, exp(new - old) grows
one, two = np.exp(new - m1)[:, None], np.exp(new - m2)[:, None]
# %% mistake: this is the sum; divide it by the total
return one * c1 + two * c2
# %% mistake: the larger maximum belongs under both, not the smaller
new = np.minimum(m1, m2)
# %% mistake: the first maximum is under both; it may be the smaller
new = m1
# %% mistake: the sums are exchanged
return (one * c1 + two * c2) / (two * l1[:, None] + one * l2[:, None])
# %% mistake: the outputs are added; they are to be weighed
return c1 / l1[:, None] + c2 / l2[:, None]
# %% mistake: 1 is added to the total
return (one * c1 + two * c2) / (one * l1[:, None] + two * l2[:, None] + 1)
# %% mistake: the part with the higher score takes all
return np.where(m1 > m2, c1.T / l1, c2.T / l2).T
