"""Write rotary positions in the layout *half*, base 10000, `turned(x, positions)`: x
(T, K), K even, positions (T) real numbers, in any order and with gaps; output (T, K).
Columns p and p + K/2 turn together by the angle position * base^(-2 p / K). NumPy, or
PyTorch or TensorFlow with framework="torch" or "tf".

1. Two columns are a point in the plane; a position turns it.
2. angle (T, K/2) = positions[:, None] * 10000.0 ** (-2 p / K), p from 0 to K/2 - 1.
3. first * cos - second * sin, beside first * sin + second * cos.
"""

title = "rotate"
level, minutes = 2, 15
before = "cosine and sine"


def cases(rng):
    def draw(T, half):
        first = float(rng.integers(0, 50))
        return rng.normal(size=(T, 2 * half)), first + np.arange(T, dtype=float)

    def gaps(x, positions):
        jumps = rng.integers(1, 9, len(positions)).astype(float)
        return x, np.cumsum(jumps) + jumps[0]

    cases = fixed_cases(rng, draw, 2, long=(0,), gaps=gaps)
    x, positions = draw(7, 3)
    cases.append(Case("positions in another order", (x, positions[::-1].copy())))
    x, positions = draw(5, 2)
    cases.append(Case("positions between whole numbers", (x, positions / 3)))
    return [*cases, Case("position 0 alone", (rng.normal(size=(1, 6)), np.zeros(1)))]


# %% solution
def turned(x, positions):
    ...  # (T, K), (T); return (T, K)
    half = x.shape[1] // 2
    angle = positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    left = first * np.cos(angle) - second * np.sin(angle)
    right = first * np.sin(angle) + second * np.cos(angle)
    return np.concatenate([left, right], axis=1)


# %% mistakes
from attn_course.reference import rotate

# %% mistake: the layout is mixed up: turn column i with i + K/2, not neighbors
instead = lambda x, t: rotate(x, t, layout="interleaved")
# %% mistake: cosine and sine are exchanged
left = first * np.sin(angle) - second * np.cos(angle)
right = first * np.cos(angle) + second * np.sin(angle)
# %% mistake: it turns the other way: the minus stands at the first column
angle = -positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
# %% mistake: the frequencies fall too slowly: the exponent is -2 i / K
angle = positions[:, None] * 10000.0 ** (-1 * np.arange(half) / x.shape[1])
# %% mistake: the frequencies fall too fast: the exponent is -2 i / K
angle = positions[:, None] * 10000.0 ** (-4 * np.arange(half) / x.shape[1])
# %% mistake: the sign of the exponent is wrong: frequencies fall
angle = positions[:, None] * 10000.0 ** (2 * np.arange(half) / x.shape[1])
# %% mistake: the base is 1000; it is 10000
angle = positions[:, None] * 1000.0 ** (-2 * np.arange(half) / x.shape[1])
# %% mistake: positions are counted from 1; they are given
angle = (positions[:, None] + 1) * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
# %% mistake: positions are counted from 0 on; they are given
angle = np.arange(len(x))[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
# %% mistake: positions may have gaps: use them, not the first one and a count
angle = (positions[0] + np.arange(len(x)))[:, None] * 10000.0 ** (
    -2 * np.arange(half) / x.shape[1]
)
# %% mistake: the second column takes the first one after it was turned
right = left * np.sin(angle) + second * np.cos(angle)
# %% mistake: every column turns by the angle of the first pair
angle = positions[:, None] * 10000.0 ** (0 * np.arange(half))
# %% mistake: both signs are plus: the first column has a minus
left = first * np.cos(angle) + second * np.sin(angle)
# %% mistake: the two halves are joined in the other order
return np.concatenate([right, left], axis=1)
# %% mistake: it is added to x; rotation replaces it
return x + np.concatenate([left, right], axis=1)
