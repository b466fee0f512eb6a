"""How far a float32 result may be off at least: derived from the case itself."""

import numpy as np

from attn_course.exercises.engine.exercise import as_floats
from attn_course.exercises.engine.run import leaves

EPS = float(np.finfo(np.float32).eps)
DRAWS = 3


def _noisy(value, rng):
    """The arguments with every float off by up to one rounding of float32."""
    if isinstance(value, dict):
        return {key: _noisy(each, rng) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(_noisy(each, rng) for each in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value * (1 + EPS * rng.uniform(-1, 1, value.shape))
    return value * (1 + EPS * rng.uniform(-1, 1)) if type(value) is float else value


def bounded(call, solution, case, right, gradients=False):
    """The case with how far each of its results may be off, where it is of float32.

    That is 64 times what a rounding of the arguments moves the right result by, 16
    times what the solution is off by in float32 (a rounding on the way may count more
    than one of the arguments: of a tanh near 1, times 3,000), and 16 roundings of the
    largest number, or of 1. Without bounds where a result holds no floats, or not
    finite ones, or where a rounding changes all, as on a window's edge.

    gradients: whether the last result holds some. They may also be off by 64 roundings
    of the largest argument: the slope of a softmax that is nearly 1 is a difference of
    nearly equal numbers, times what the scores are made with.
    """
    floats = all(each.dtype.kind == "f" and np.isfinite(each).all() for each in right)
    if not case.single or not floats:
        return case
    rng = np.random.default_rng(0)
    wide = as_floats(case.arguments, np.float64)
    largest = [float(np.abs(each).max(initial=0.0)) for each in right]
    least = [16 * EPS * max(1.0, each) for each in largest]
    if gradients:
        sizes = [np.abs(x).max(initial=0.0) for x in leaves(wide) if np.ndim(x)]
        least[-1] = max(least[-1], 64 * EPS * float(max(sizes, default=0.0)))
    bounds = list(least)
    with np.errstate(all="ignore"):
        for _ in range(DRAWS):
            noisy = _noisy(wide, rng)
            moved = call(solution, case._replace(arguments=noisy), "numpy")
            noisy = as_floats(noisy, np.float32)
            single = call(solution, case._replace(arguments=noisy), "numpy")
            for times, found, others in ((64, moved, right), (16, single, moved)):
                for place, (one, other) in enumerate(zip(found, others, strict=True)):
                    off = times * float(np.abs(one - other).max(initial=0.0))
                    if np.isfinite(off):
                        bounds[place] = max(bounds[place], off + least[place])
    smooth = all(
        one - few <= max(few, 0.2 * two)
        for one, few, two in zip(bounds, least, largest, strict=True)
    )
    return case._replace(bounds=tuple(bounds)) if smooth else case
