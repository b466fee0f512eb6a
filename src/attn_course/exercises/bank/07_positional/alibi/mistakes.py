import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return unsafe_softmax(score - slopes[:, None, None] * distance) @ value


# %% the slopes of a number that is no power of two are those of the power below, and
# every other of twice that many
def with_alibi(query, key, value):
    H, T, K = query.shape
    S, near = key.shape[1], 2 ** int(np.log2(H))
    slopes = 2.0 ** (-8 * np.arange(1, near + 1) / near)
    between = 2.0 ** (-8 * np.arange(1, 2 * near + 1) / (2 * near))
    slopes = 2.0 ** (-8 * np.arange(1, H + 1) / H)
    distance = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
    score = query @ key.swapaxes(1, 2) / np.sqrt(K)
    return softmax(score - slopes[:, None, None] * distance) @ value


# %% the bias is divided by the root of K
return softmax(score - slopes[:, None, None] * distance / np.sqrt(K)) @ value
# %% queries and keys are aligned at the start; the last query stands on the last key
distance = np.abs(np.arange(S) - np.arange(T)[:, None])
# %% the bias rewards distance: its sign is wrong
return softmax(score + slopes[:, None, None] * distance) @ value
# %% there is no bias
return softmax(score) @ value
# %% the scale is missing
score = query @ key.swapaxes(1, 2)
# %% the slopes are in the wrong order
slopes = np.concatenate([slopes, between[0::2]])[:H][::-1]
# %% the slopes between are taken from the second on; the first comes first
slopes = np.concatenate([slopes, between[1::2]])[:H]


# %% the slopes are sorted; the ones between come after the others
def with_alibi(query, key, value):
    H, T, K = query.shape
    S, near = key.shape[1], 2 ** int(np.log2(H))
    slopes = 2.0 ** (-8 * np.arange(1, near + 1) / near)
    between = 2.0 ** (-8 * np.arange(1, 2 * near + 1) / (2 * near))
    slopes = np.concatenate([slopes, between[0::2]])[:H]
    slopes = np.sort(slopes)[::-1]
    distance = np.abs(np.arange(S) - np.arange(S - T, S)[:, None])
    score = query @ key.swapaxes(1, 2) / np.sqrt(K)
    return softmax(score - slopes[:, None, None] * distance) @ value


# %% the slopes are those of the power above, cut off
slopes = slopes if near == H else between[:H]
# %% the slope of the first head is 1; it is 2^(-8 / H)
slopes = 2.0 ** (-8 * np.arange(near) / near)
# %% the distance is not absolute
distance = np.arange(S - T, S)[:, None] - np.arange(S)
# %% the distance is squared
distance = (np.arange(S) - np.arange(S - T, S)[:, None]) ** 2
# %% the softmax runs over the queries
return softmax(score - slopes[:, None, None] * distance, axis=1) @ value
# %% the exponents are half as large: it is 2^(-8 h / H)
slopes = 2.0 ** (-4 * np.arange(1, near + 1) / near)
between = 2.0 ** (-4 * np.arange(1, 2 * near + 1) / (2 * near))
# %% the slopes are the first ones of twice as many heads
slopes = between[:H]
