import numpy as np

# %%
return np.exp(score) / (np.exp(score) + np.exp(sink))
# %%
return np.exp(score) / (count * np.exp(score) + np.exp(sink))
# %%
return np.exp(sink) / (count * np.exp(score) + np.exp(sink))
# %%
return count * np.exp(score) / (count * np.exp(score) + 1)
# %%
return count * np.exp(score) / (count * np.exp(score) + sink)
# %%
return count * score / (count * score + sink)
# %%
return count * np.exp(score) / (count * np.exp(score) + count * np.exp(sink))
# %%
return count * np.exp(score)
# %%
return 1.0
# %%
return count / (count + np.exp(sink))
# %%
return count * np.exp(-score) / (count * np.exp(-score) + np.exp(sink))
# %%
return count * np.exp(score) / (count * np.exp(score) + np.exp(-sink))
# %%
return 1 / (1 + np.exp(score + np.log(count) - sink))
# %%
return np.log(count * np.exp(score) + np.exp(sink))
