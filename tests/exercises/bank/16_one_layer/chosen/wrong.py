import numpy as np

# %%
return order <= count
# %%
return order < count - sinks
# %%
return order < count + sinks
# %%
return order > count
# %%
raised = score
# %%
raised = np.where(np.arange(len(score)) < sinks, -np.inf, score)
# %%
raised = np.where(np.arange(len(score)) <= sinks, np.inf, score)
# %%
raised = np.where(np.arange(len(score)) < sinks, np.inf, -score)
# %%
raised = np.where(np.arange(len(score)) < sinks, np.inf, np.abs(score))
# %%
raised = np.where(np.arange(len(score)) < sinks, 0.0, score)
# %%
raised = np.where(np.arange(len(score)) >= len(score) - sinks, np.inf, score)
# %%
raised = np.where(np.arange(len(score)) < 1, np.inf, score)
# %%
order = np.argsort(-raised, kind="stable")
# %%
return np.arange(len(score)) < sinks
# %%
return np.ones(len(score), bool)
