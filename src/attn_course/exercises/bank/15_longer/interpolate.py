"""Write position interpolation, `interpolated(x, positions, trained_length)`: RoPE in
the layout half, base 10000, x (T, K), positions (T) in any order. The length is the
largest position plus 1. If it is above trained_length, every position is multiplied by
trained_length / length; otherwise nothing changes. Output (T, K).

1. Positions need not be whole: squeeze them into the trained range.
2. positions * min(1, trained_length / length), then RoPE as before.
3. length = positions.max() + 1; then 07.rotate with the new positions.
"""

title = "position interpolation"
level, minutes = 2, 15
before = "07.rotate"


def cases(rng):
    # The trained length lies below, at and above the last position.
    def draw(T, half):
        first = float(rng.integers(0, 9))
        x = rng.normal(size=(T, 2 * half))
        return x, first + np.arange(T, dtype=float), int(rng.integers(2, 6))

    def case(name, T, half, positions, trained_length):
        positions = np.asarray(positions, float)
        return Case(name, (rng.normal(size=(T, 2 * half)), positions, trained_length))

    cases = fixed_cases(rng, draw, 2, long=(0,))
    cases.append(case("within the trained length", 5, 3, [0, 2, 3, 7, 9], 11))
    cases.append(case("exactly the trained length", 3, 2, [8, 9, 10], 11))
    cases.append(case("one beyond the trained length", 3, 2, [9, 10, 11], 11))
    return [*cases, case("positions in another order", 3, 5, [44, 3, 29], 13)]


# %% solution
def interpolated(x, positions, trained_length):
    ...  # (T, K), (T), a number; return (T, K)
    half, length = x.shape[1] // 2, positions.max() + 1
    positions = positions * min(1.0, trained_length / length)
    angle = positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
    first, second = x[:, :half], x[:, half:]
    left = first * np.cos(angle) - second * np.sin(angle)
    right = first * np.sin(angle) + second * np.cos(angle)
    return np.concatenate([left, right], axis=1)


# %% mistake: short inputs are stretched; only longer ones are squeezed
positions = positions * trained_length / length
# %% mistake: the length is the largest position plus 1
half, length = x.shape[1] // 2, positions.max()
# %% mistake: the length is not the number of rows: positions have gaps
half, length = x.shape[1] // 2, len(x)
# %% mistake: positions are not in order: the last is not the largest
half, length = x.shape[1] // 2, positions[-1] + 1
# %% mistake: the factor is upside down
positions = positions * max(1.0, length / trained_length)
# %% mistake: the base is interpolated; the position is
base = 10000.0 * max(1.0, length / trained_length)
angle = positions[:, None] * base ** (-2 * np.arange(half) / x.shape[1])
# %% mistake: nothing is interpolated
positions = positions * 1.0
# %% mistake: positions are cut off at the trained length; they are squeezed
positions = np.minimum(positions, trained_length - 1)
# %% mistake: it turns the other way: the minus stands at the first column
angle = -positions[:, None] * 10000.0 ** (-2 * np.arange(half) / x.shape[1])
# %% mistake: the exponent is -2 i / K
angle = positions[:, None] * 10000.0 ** (-1 * np.arange(half) / x.shape[1])
