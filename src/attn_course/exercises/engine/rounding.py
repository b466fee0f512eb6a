"""How far a float32 result may be off at least: derived from the case itself."""

import numpy as np

from attn_course.exercises.engine.exercise import as_floats
from attn_course.exercises.engine.run import leaves

EPS = float(np.finfo(np.float32).eps)
DRAWS = 3
PART = 1 / 64  # of a rounding: what does not jump moves by that much less


def _noisy(value, rng, size=EPS):
    """The arguments with every float off by up to ``size`` of itself."""
    if isinstance(value, dict):
        return {key: _noisy(each, rng, size) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(_noisy(each, rng, size) for each in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * (1 + size * rng.uniform(-1, 1, value.shape))
    return value * (1 + size * rng.uniform(-1, 1)) if type(value) is float else value


def _apart(found, right):
    """How far two tuples of results are apart, each by its largest difference."""
    pairs = zip(found, right, strict=True)
    return [float(np.abs(one - other).max(initial=0.0)) for one, other in pairs]


def _jumps(solve, wide, right):
    """Whether a small part of a rounding moves some result nearly as a whole one."""
    whole, part = (
        _apart(solve(_noisy(wide, np.random.default_rng(0), size)), right)
        for size in (EPS, PART * EPS)
    )
    return any(few > 8 * PART * one for one, few in zip(whole, part, strict=True))


def bounded(call, solution, case, right, gradients=False):
    """The case with how far each of its results may be off, where it is of float32.

    That is 64 times what a rounding of the arguments moves the right result by, 16
    times what the solution is off by in float32 (a rounding on the way may count more
    than one of the arguments: of a tanh near 1, times 3,000), and of the largest
    number, or of 1, 16 roundings and as many as the largest argument is: the logarithm
    of a sum of exponentials is rounded like the scores. A fifth of the largest number
    at most. Without bounds where a result holds no floats, or not finite ones, or where
    it jumps, as on a window's edge, which float32 holds as exactly.

    gradients: whether the last result holds some. They may also be off by 64 roundings
    of the largest argument (the slope of a softmax that is nearly 1 is a difference of
    nearly equal numbers, times what the scores are made with), and each by 1,024 of its
    own: that of a number divided by its size is such a difference, too.
    """
    floats = all(each.dtype.kind == "f" and np.isfinite(each).all() for each in right)
    if not case.single or not floats:
        return case
    rng = np.random.default_rng(0)
    wide = as_floats(case.arguments, np.float64)
    sizes = [np.abs(x).max(initial=0.0) for x in leaves(wide) if np.ndim(x)]
    argument = min(EPS * float(max(sizes, default=0.0)), 0.2)
    largest = [float(np.abs(each).max(initial=0.0)) for each in right]
    least = [max(16 * EPS, argument) * max(1.0, each) for each in largest]
    if gradients:
        least[-1] = max(least[-1], 64 * argument)

    def solve(arguments):
        free = case._replace(arguments=arguments, most=0, lines=0)
        return call(solution, free, "numpy")

    bounds = list(least)
    with np.errstate(all="ignore"):
        for _ in range(DRAWS):
            noisy = _noisy(wide, rng)
            moved = solve(noisy)
            single = solve(as_floats(noisy, np.float32))
            for times, off in ((64, _apart(moved, right)), (16, _apart(single, moved))):
                for place, one in enumerate(off):
                    if np.isfinite(one):
                        bounds[place] = max(bounds[place], times * one + least[place])
        capped = [
            min(one, few + max(few, 0.2 * two))
            for one, few, two in zip(bounds, least, largest, strict=True)
        ]
        if capped != bounds and _jumps(solve, wide, right):
            return case
    if gradients:
        capped[-1] = capped[-1] + 1024 * EPS * np.abs(right[-1])
    return case._replace(bounds=tuple(capped))
