import numpy as np

from attn_course.exercises import softmax

# %%
w = softmax(e)
# %%
w = softmax(np.where(mask, e, 0))
# %%
w = softmax(np.where(mask, -np.inf, e))
# %%
w = e * mask
# %%
s = np.tanh(np.hstack([c, p["target"][token], s]) @ p["state_weight"] + p["state_bias"])
# %%
s = np.tanh(np.hstack([p["target"][token], s, c]) @ p["state_weight"] + p["state_bias"])
# %%
return np.hstack([c, s]) @ p["output_weight"] + p["output_bias"], s
# %%
s = np.tanh(np.hstack([p["target"][token], c, s]) @ p["state_weight"])
# %%
return np.hstack([s, c]) @ p["output_weight"], s
# %%
return np.hstack([s, c]) @ p["output_weight"] + p["output_bias"]
# %%
return s, np.hstack([s, c]) @ p["output_weight"] + p["output_bias"], s
# %%
s = np.hstack([p["target"][token], c, s]) @ p["state_weight"] + p["state_bias"]
# %%
e = ((s @ p["query_weight"])[:, None] + m @ p["memory_weight"]) @ p["score_weight"]
# %%
c = m.mean(1)
# %%
s = np.tanh(np.hstack([p["target"][: len(s)], c, s]) @ p["state_weight"] + p["state_bias"])
# %%
return np.hstack([s, c]) @ p["output_weight"] + p["output_bias"] - c.max(), s
