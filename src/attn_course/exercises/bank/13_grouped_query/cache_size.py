"""Predict, then measure. gpt-oss 120B has 18 layers that see everything and 18 with a
window of 128, each with 8 key heads of width 64. How many bytes does its cache take
behind 131,072 tokens, at 16 bits? Enter your guess, then write `cache_size(full,
windowed, num_kv_heads, key_dim, context, window)`.

1. Per layer and position: keys and values of all key heads, 2 bytes each.
2. A layer with a window keeps min(context, window) positions.
3. 2 * 2 * num_kv_heads * key_dim * (full * context + windowed * ...)
"""

title = "predict the size of a cache"
level, minutes = 1, 10
kind = "predict"
before = "min"
predict = "gpt-oss 120B behind 131,072 tokens"
ask = (18, 18, 8, 64, 131072, 128)


def cases(rng):
    cases = []
    for full, windowed in ((3, 5), (7, 2), (1, 4)):
        context, window = int(rng.integers(200, 900)), int(rng.integers(20, 100))
        heads, width = int(rng.integers(1, 9)), int(rng.choice([48, 64, 128]))
        sizes = full, windowed, heads, width, context, window
        cases.append(Case("layers of both kinds", sizes))
    cases.append(Case("no layer has a window", (5, 0, 3, 64, 700, 50)))
    cases.append(Case("all layers have a window", (0, 5, 3, 64, 700, 50)))
    return [*cases, Case("a context shorter than the window", (2, 3, 5, 64, 30, 50))]


# %% solution
def cache_size(full, windowed, num_kv_heads, key_dim, context, window):
    ...  # six numbers; return a number of bytes
    positions = full * context + windowed * min(context, window)
    numbers = 2 * num_kv_heads * key_dim  # of a key and a value
    return 2 * numbers * positions


# %% mistake: keys and values both count: twice as many
numbers = num_kv_heads * key_dim
# %% mistake: 16 bits are 2 bytes
return 16 * numbers * positions
# %% mistake: a window keeps no more than `window` positions
positions = full * context + windowed * context
# %% mistake: a short context doesn't fill the window
positions = full * context + windowed * window
# %% mistake: the layers with a window are missing
positions = full * context
# %% mistake: 16 bits are 2 bytes, not 4
return 4 * numbers * positions
# %% mistake: keys, values and the bytes of a number are missing
return numbers * positions // 2
# %% mistake: the layers that see everything are missing
positions = windowed * min(context, window)
# %% mistake: not all layers have a window
positions = full * min(context, window) + windowed * min(context, window)
# %% mistake: the key heads are missing
numbers = 2 * key_dim
# %% mistake: the width is missing
numbers = 2 * num_kv_heads
# %% mistake: a window keeps at most `window`: take the smaller
positions = full * context + windowed * max(context, window)
# %% mistake: the window is a constant; it is handed over
positions = full * context + windowed * min(context, 128)
