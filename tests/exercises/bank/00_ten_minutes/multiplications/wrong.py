# %%
lambda T, S, K, V: T * S * K
# %%
lambda T, S, K, V: T * S * V
# %%
lambda T, S, K, V: T * S * K * V
# %%
lambda T, S, K, V: 2 * T * S * (K + V)
# %%
lambda T, S, K, V: T * S * (K + V) + 0.5
# %%
lambda T, S, K, V: T * S * (K - 1 + V)
# %%
lambda T, S, K, V: T * S * (K + 1 + V)
# %%
lambda T, S, K, V: T * S * K + T * S * K
# %%
lambda T, S, K, V: T * S * K + T * K * V
# %%
lambda T, S, K, V: T * S * K + S * K * V
# %%
lambda T, S, K, V: S * S * K + S * S * V
# %%
lambda T, S, K, V: T * T * K + T * T * V
# %%
lambda T, S, K, V: (T + S) * K + (T + S) * V
# %%
lambda T, S, K, V: 128 * T * S
