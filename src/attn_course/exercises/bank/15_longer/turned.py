"""07.rotate comes back. A cache holds keys that RoPE has rotated (layout half, base
10000) for the positions `old`; the keys before that are gone. Now they shall stand at
the positions `new`: the first tokens were dropped, or all positions are squeezed. Write
`turned(key, old, new)`: key (T, K), old and new (T), not always whole; output (T, K).

1. A key that was turned by one angle, then by another, is turned by their sum.
2. It has been turned by old * theta, and new * theta is wanted.
3. Rotate by (new - old)[:, None] * theta, as in 07.rotate.
"""

title = "turn a cache's keys to new positions"
level, minutes = 2, 10
before = "07.rotate, 15.interpolate"


def cases(rng):
    def draw(T, half, change=None):
        key, old = rng.normal(size=(T, 2 * half)), rng.permutation(99)[:T] + 4.0
        old = np.resize(old, T)
        new = 99 * rng.random(T) if change is None else change(old)
        return key, old, new

    return [
        *fixed_cases(rng, draw, 2, long=(0,)),
        Case("four tokens were dropped", draw(7, 3, lambda old: old - 4)),
        Case("squeezed to a quarter", draw(5, 2, lambda old: old / 4)),
        Case("nothing moves", draw(3, 5, lambda old: old)),
    ]


# %% solution
def turned(key, old, new):
    ...  # (T, K), (T), (T); return (T, K)
    half = key.shape[1] // 2
    theta = 10000.0 ** (-np.arange(half) / half)
    angle = (new - old)[:, None] * theta
    first, second = key[:, :half], key[:, half:]
    left = first * np.cos(angle) - second * np.sin(angle)
    right = first * np.sin(angle) + second * np.cos(angle)
    return np.concatenate([left, right], axis=1)


# %% mistake: the keys are rotated already: this turns them a second time
angle = new[:, None] * theta
# %% mistake: it turns the wrong way: from old to new
angle = (old - new)[:, None] * theta
# %% mistake: that undoes the old rotation; the new one is missing
angle = -old[:, None] * theta
# %% mistake: angles are added, positions are not divided
angle = (new / old)[:, None] * theta
# %% mistake: every key moves by the first one's step
angle = (new[0] - old[0]) * theta + 0 * new[:, None]
# %% mistake: the steps are rounded; positions need not be whole
angle = np.round(new - old)[:, None] * theta
# %% mistake: all pairs turn as fast as the first
angle = (new - old)[:, None] * theta[:1] + 0 * theta
# %% mistake: the exponent is -2 i / K
theta = 10000.0 ** (-np.arange(half) / key.shape[1])
# %% mistake: the last pair is number K / 2 - 1, and its exponent is below 1
theta = 10000.0 ** (-np.arange(half) / max(half - 1, 1))
# %% mistake: the layout is half: column i belongs to column i + K / 2
first, second = key[:, ::2], key[:, 1::2]
# %% mistake: the halves are exchanged
return np.concatenate([right, left], axis=1)
# %% mistake: nothing is turned
return key
