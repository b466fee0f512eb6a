"""Write `multiplications(T, S, K, V)`: how many multiplications the two matrix products
of one attention need, as a whole number. T queries, S keys of width K, S values of
width V.

1. A product of (a, b) with (b, c) needs a * b * c multiplications.
2. query @ key.T is (T, K) with (K, S); weights @ value is (T, S) with (S, V).
3. The first needs T * K * S; write the second in the same way, and add.
"""

title = "count multiplications"
level, minutes = 1, 5
before = "matrix products"


def cases(rng):
    primes = tuple(map(int, rng.permutation([2, 3, 5, 7])))
    ones = [tuple(5 + n if n != one else 1 for n in range(4)) for one in range(4)]
    sizes = lambda *given: given
    return [*sized(sizes, primes, *ones), Case("length 100", (100, 100, 8, 16))]


# %% solution
def multiplications(T, S, K, V):
    ...  # four numbers; return one
    return T * S * K + T * S * V


# %% mistake: the second product, weights with values, is missing
return T * S * K
# %% mistake: the first product, queries with keys, is missing
return T * S * V
# %% mistake: additions are counted too: this is twice as many
return 2 * (T * S * K + T * S * V)
# %% mistake: the widths are multiplied; the two products follow each other
return T * S * K * V
# %% mistake: both products are counted with the key's width
return T * S * K + T * S * K
# %% mistake: there is one score for each pair, so T times S, not S times S
return S * S * K + S * S * V
# %% mistake: there is one score for each pair, so T times S, not T times T
return T * T * K + T * T * V
# %% mistake: the weights are T times S: V of them are averaged for each query
return T * S * K + T * K * V
# %% mistake: the second product has one row per query
return T * S * K + S * K * V
# %% mistake: queries and keys are added; there is one score for each pair
return (T + S) * K + (T + S) * V
# %% mistake: additions are one less per product; multiplications were asked for
return T * S * (K - 1 + V)
# %% mistake: the softmax is no part of the two products
return T * S * (K + 1 + V)
