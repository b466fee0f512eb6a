"""Find the bugs. Attention with ALiBi for any number of heads: query (H, T, K), key (H,
S, K), value (H, S, V), the last query on the last key, not causal; output (H, T, V).
There are two faults, and with 8 heads only one would show. `softmax(score)` is given.

1. ALiBi has two rules: how slopes are chosen, and where the bias is added.
2. The paper's rule for H that is no power of two; and the root divides the products,
   not the bias.
3. The slopes of n = 2 ** int(log2(H)) heads, then every other slope of 2 n heads, H in
   all; product / np.sqrt(K) - slopes * distance.
"""

title = "find the bugs in ALiBi"
level, minutes = 3, 20
kind = "bug"
before = "04.with_cache"
usual = "overflow unscaled queries keys causal"


def cases(rng):
    def draw(H, T, extra, K, V):
        S = T + extra
        return normals(rng, (H, T, K), (H, S, K), (H, S, V))

    cases = fixed_cases(rng, draw, 5, long=(1,), large=strong)
    for heads in (4, 6, 12, 15, int(rng.choice([8, 16, 20]))):
        cases.append(Case("another number of heads", draw(heads, 3, 2, 5, 7)))
    return [*cases, Case("no cache yet", draw(3, 7, 0, 2, 5))]


# %% solution
def with_alibi(query, key, value):
    H, T, K = query.shape
    S, near = key.shape[1], 2 ** int(np.log2(H))
    slopes = 2.0 ** (-8 * np.arange(1, near + 1) / near)
    between = 2.0 ** (-8 * np.arange(1, 2 * near + 1) / (2 * near))
    slopes = np.concatenate([slopes, between[0::2]])[:H]
    distance = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
    score = query @ key.swapaxes(1, 2) / np.sqrt(K)
    return softmax(score - slopes[:, None, None] * distance) @ value


# %% starter
def with_alibi(query, key, value):
    H, T, K = query.shape
    S = key.shape[1]
    slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)
    distance = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
    score = query @ key.swapaxes(1, 2) - slopes[:, None, None] * distance
    return softmax(score / np.sqrt(K)) @ value


# %% mistake: the slopes of a number that is no power of two are those of the power
# below, and every other of twice that many
slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)
# %% mistake: the bias is divided by the root of K
return softmax(score - slopes[:, None, None] * distance / np.sqrt(K)) @ value
# %% mistake: queries and keys are aligned at the start; the last query stands on the
# last key
distance = np.abs(np.arange(S) - np.arange(T)[:, None])
# %% mistake: the bias rewards distance: its sign is wrong
return softmax(score + slopes[:, None, None] * distance) @ value
# %% mistake: there is no bias
return softmax(score) @ value
# %% mistake: the slopes are in the wrong order
slopes = np.concatenate([slopes, between[0::2]])[:H][::-1]
# %% mistake: the slopes between are taken from the second on; the first comes first
slopes = np.concatenate([slopes, between[1::2]])[:H]
# %% mistake: the slopes are sorted; the ones between come after the others
slopes = np.sort(np.concatenate([slopes, between[0::2]])[:H])[::-1]
# %% mistake: the slopes are those of the power above, cut off
slopes = slopes if near == H else between[:H]
# %% mistake: the slope of the first head is 1; it is 2^(-8 / H)
slopes = 2.0 ** (-8 * np.arange(near) / near)
# %% mistake: the distance is not absolute
distance = np.arange(S - T, S)[:, None] - np.arange(S)
# %% mistake: the distance is squared
distance = (np.arange(S) - np.arange(S - T, S)[:, None]) ** 2
# %% mistake: the exponents are half as large: it is 2^(-8 h / H)
slopes = 2.0 ** (-4 * np.arange(1, near + 1) / near)
between = 2.0 ** (-4 * np.arange(1, 2 * near + 1) / (2 * near))
# %% mistake: the slopes are the first ones of twice as many heads
slopes = between[:H]
# %% mistake: every head has the first one's slope
slopes = slopes[:1]
# %% mistake: head h has the slope 2^-h, whatever the number of heads: it is 2^(-8 h / H)
slopes = 2.0 ** -np.arange(1.0, H + 1)
# %% mistake: a key behind the query has no bias; its distance counts too
distance = np.maximum(np.arange(S - T, S)[:, None] - np.arange(S), 0)
