"""The frequencies that sinusoids and rotations share. Imports no framework."""


def frequencies(dim, base):
    """The frequency of every pair of columns, from 1 down to almost 1 / base.

    frequency[i] = base^(-2 i / dim);   its wavelength is 2 pi / frequency[i]

    Python's own floats: a power in float32 would be off by some 5e-7 of its value,
    which the position then multiplies.

    >>> frequencies(4, 10000.0)
    [1.0, 0.01]
    """
    return [base ** (-column / dim) for column in range(0, dim, 2)]
