import numpy as np

from attn_course.exercises import softmax

# %%
x = i.reshape(-1, len(i))
# %%
return i + gate * (softmax(s) @ (x @ c)).reshape(i.shape)
# %%
return i + gate * (softmax(s).T @ (x @ c)).T.reshape(i.shape)
# %%
return i + gate * (softmax(s, 0) @ (x @ c)).T.reshape(i.shape)
# %%
return gate * (softmax(s) @ (x @ c)).T.reshape(i.shape)
# %%
return i + (softmax(s) @ (x @ c)).T.reshape(i.shape)
# %%
return i + 0.7 * (softmax(s) @ (x @ c)).T.reshape(i.shape)
# %%
return gate * i + gate * (softmax(s) @ (x @ c)).T.reshape(i.shape)
# %%
return (1 - gate) * i + gate * (softmax(s) @ (x @ c)).T.reshape(i.shape)
# %%
s = (x @ a) @ (x @ b).T
# %%
s = (x @ a) @ (x @ b).T / np.sqrt(len(i))
# %%
s = (x @ a) @ (x @ b).T / b.shape[1]
# %%
x = i.transpose(0, 2, 1).reshape(len(i), -1).T
# %%
s = (x @ b) @ (x @ a).T / np.sqrt(b.shape[1])
# %%
return i + gate * (softmax(s) @ x).T.reshape(i.shape)


# %%
def f(i, a, b, c, gate):
    x = i.reshape(len(i), -1).T
    s = (x @ a) @ (x @ b).T / np.sqrt(b.shape[1])
    i += gate * (softmax(s) @ (x @ c)).T.reshape(i.shape)


# %%
return np.squeeze(i) + gate * (softmax(s) @ (x @ c)).T.reshape(i.shape)
# %%
return i + gate * ((np.exp(s) / np.exp(s).sum(1, keepdims=True)) @ (x @ c)).T.reshape(i.shape)
