import numpy as np

# %%
return theta / s
# %%
return theta
# %%
return theta * ramp + theta / s * (1 - ramp)
# %%
return theta * (1 - ramp) + theta * s * ramp
# %%
ramp = (pairs - low) / (high - low)
# %%
ramp = pairs > low
# %%
low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (1, 32))
# %%
low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (64, 2))
# %%
low, high = (K / 2 * np.log(most / (n)) / np.log(base) for n in (32, 1))
# %%
low, high = max(low, 0), min(np.ceil(high), K - 1)
# %%
low, high = max(np.floor(low), 0), min(high, K - 1)
# %%
low, high = (K / 2 * np.log(most / (2 * np.pi * n)) / np.log(10000) for n in (32, 1))
# %%
low, high = (K / 2 * np.log(2048 / (2 * np.pi * n)) / np.log(base) for n in (32, 1))
# %%
theta = base ** (-pairs / K)
# %%
low, high = (K * np.log(most / (2 * np.pi * n)) / np.log(base) for n in (32, 1))


# %%
def f(K, base, s, most):
    from attn_course.reference import rotary_frequencies

    return rotary_frequencies(K, base=base, method="llama3", factor=s, trained_length=most)[0]


# %%
def f(K, base, s, most):
    from attn_course.reference import rotary_frequencies

    return rotary_frequencies(K, base=base, method="ntk", factor=s)[0]
