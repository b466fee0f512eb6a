import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% the new token doesn't see itself: its key and value belong to the rest
keys = past_key
values = past_value


# %% the heads are interleaved over the groups
def instead(q, k, v, pk, pv):
    return decode(
        q,
        *(
            np.tile(x, (len(q) // len(x),) + (1,) * (x.ndim - 1))
            for x in (k, v, pk, pv)
        ),
    )


# %% the scale is missing
score = rows @ keys.swapaxes(1, 2)
# %% the new value stands before the past
values = np.concatenate([value[:, None], past_value], axis=1)
# %% the softmax runs over the heads of a group
return (softmax(score, axis=1) @ values).reshape(H, -1)
# %% the scores are not turned into weights
return (score @ values).reshape(H, -1)


# %% it is the new value alone
def instead(query, key, value, past_key, past_value):
    return np.repeat(value, len(query) // len(key), axis=0)


# %% the scores are divided by K; it is the root of K
score = rows @ keys.swapaxes(1, 2) / K
# %% the root is that of the value's width
score = rows @ keys.swapaxes(1, 2) / np.sqrt(value.shape[1])
# %% the root is that of the number of keys
score = rows @ keys.swapaxes(1, 2) / np.sqrt(keys.shape[1])
# %% the values are averaged without the weights
return ((0 * score + 1 / keys.shape[1]) @ values).reshape(H, -1)
# %% exp of a large score overflows: subtract each row's largest one first
return (unsafe_softmax(score) @ values).reshape(H, -1)
