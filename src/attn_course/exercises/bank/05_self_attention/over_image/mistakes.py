import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% exp of a large score overflows: subtract each row's largest one first
return image + gate * (unsafe_softmax(score) @ value).T.reshape(image.shape)
# %% the average runs over the queries
return image + gate * (softmax(score).T @ value).T.reshape(image.shape)
# %% reshape mixes pixels and channels, which are first
tokens = image.reshape(height * width, channels)
# %% the way back mixes pixels and channels: transpose before the reshape
return image + gate * (softmax(score) @ value).reshape(image.shape)
# %% query and key pass a ReLU; the scores should have both signs
query, key = np.maximum(tokens @ query_weight, 0), np.maximum(tokens @ key_weight, 0)
# %% the image itself is not added
return (softmax(score) @ value).T.reshape(image.shape)
# %% the gate is not used
return image + (softmax(score) @ value).T.reshape(image.shape)
# %% the gate is a constant; it is handed over
return image + 0.7 * (softmax(score) @ value).T.reshape(image.shape)
# %% the gate is a constant; it is handed over, and may be 0
return image + 0.0 * (softmax(score) @ value).T.reshape(image.shape)
# %% the scale is missing
value, score = tokens @ value_weight, query @ key.T
# %% the scores are divided by the root of the channels; it is the root of K
value, score = tokens @ value_weight, query @ key.T / np.sqrt(channels)
# %% the softmax runs over the queries
return image + gate * (softmax(score, axis=0) @ value).T.reshape(image.shape)
# %% the gate weighs the image too
return (1 - gate) * image + gate * (softmax(score) @ value).T.reshape(image.shape)
# %% the columns come before the rows
tokens = image.swapaxes(1, 2).reshape(channels, height * width).T
# %% the image itself is averaged, not its values
value, score = tokens, query @ key.T / np.sqrt(key.shape[1])
# %% the scores are divided by K; it is the root of K
value, score = tokens @ value_weight, query @ key.T / key.shape[1]
# %% the image is multiplied by the gate too; only the answer is
return gate * image + gate * (softmax(score) @ value).T.reshape(image.shape)
