import numpy as np

from attn_course.exercises.engine.exercise import softmax, unsafe_softmax

# %% the rounds are not equal: weigh them by their sums of exponentials
share = np.ones_like(log_sums) / len(log_sums)
# %% the shares of the rounds add up to 1, not those of the queries
share = softmax(log_sums, axis=1)
# %% the shares have to add up to 1
share = np.exp(log_sums)
# %% exp of a large score overflows: subtract each row's largest one first
share = unsafe_softmax(log_sums, axis=0)
# %% the logarithms are the shares: take their softmax
share = log_sums / log_sums.sum(axis=0)


# %% the largest round takes all
def instead(outputs, log_sums):
    return outputs[log_sums.argmax(axis=0), np.arange(log_sums.shape[1])]


# %% the weighted rounds are averaged; they should be added
return (share[:, :, None] * outputs).mean(axis=0)
# %% the rounds are not added
return share[:, :, None] * outputs
# %% the sum runs over the queries, not over the rounds
return (share[:, :, None] * outputs).sum(axis=1)
# %% the shares are not divided by their sum
share = np.exp(log_sums - log_sums.max(axis=0))
# %% the logarithms are clipped: subtract the largest instead
share = softmax(np.clip(log_sums, -50, 50), axis=0)
# %% the shares are divided by the number of rounds, not by their sum
share = np.exp(log_sums - log_sums.max(axis=0)) / len(log_sums)
# %% a share above a half counts as all
share = softmax(log_sums, axis=0) > 0.5
