import numpy as np

# %% the first keys compete with the others, and lose: they are always kept
best = np.argsort(-score)[:count]
kept[best] = True
return kept
# %% the sinks come on top: there are count keys in all
best = sinks + np.argsort(-score[sinks:])[:count]
# %% the sinks compete too, so that some places are given twice
best = np.argsort(-score)[: count - sinks]
# %% the lowest scores are kept
best = sinks + np.argsort(score[sinks:])[: count - sinks]
# %% a low score is far below 0: no absolute values
best = sinks + np.argsort(-np.abs(score[sinks:]))[: count - sinks]
# %% places are counted behind the sinks: add their number
best = np.argsort(-score[sinks:])[: count - sinks]
# %% the last keys are kept, not the first
kept[len(score) - sinks :] = True
# %% only one sink is kept
kept[: min(sinks, 1)] = True
