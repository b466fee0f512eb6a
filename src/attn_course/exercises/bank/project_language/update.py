"""Write `update(value, slope, mean, square, step, rate)`: one step of Adam for one
parameter. value, slope (its gradient), mean and square have the same shape; step counts
from 1. The new mean is 0.9 of the old one and 0.1 of the slope; the new square 0.99 of
the old one and 0.01 of the slope squared. Both begin at 0 and are too small at first:
divide the mean by 1 - 0.9 ** step, the square by 1 - 0.99 ** step. The new value is
value - rate * mean / (root(square) + 1e-8), with the divided ones. Returns the new
value, and the new mean and square as they were before the division.

1. Two running means; the step follows the first, measured in the root of the second.
2. Keep the running means apart from what is divided: the next step goes on from them.
3. mean = 0.9 * mean + 0.1 * slope; square = 0.99 * square + 0.01 * slope ** 2; value -
   rate * (mean / (1 - 0.9 ** step)) / ((square / (1 - 0.99 ** step)) ** 0.5 + 1e-8)
"""

title = "one step of Adam"
level, minutes = 2, 15
kind = "part"
before = "powers, running means"


def cases(rng):
    def draw(*shape, step=None, rate=None):
        value, slope, mean = (rng.normal(size=shape) for _ in range(3))
        square = rng.uniform(0.5, 2, shape)
        step = int(rng.integers(2, 50)) if step is None else step
        rate = float(rng.uniform(0.05, 0.5)) if rate is None else rate
        return value, slope, mean, square, step, rate

    return [
        *sized(draw, (3, 5), (5, 5), (1, 7)),
        Case("a vector", draw(11)),
        Case("the first step", draw(2, 3, step=1)),
        Case("a late step", draw(7, 2, step=1000)),
        Case("three axes", draw(2, 3, 5)),
    ]


# %% solution
def update(value, slope, mean, square, step, rate):
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    far = mean / (1 - 0.9**step)
    wide = np.sqrt(square / (1 - 0.99**step))
    return value - rate * far / (wide + 1e-8), mean, square


# %% solution: torch
def update_torch(value, slope, mean, square, step, rate):
    ...  # four of one shape, two numbers; return value, mean, square
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    far = mean / (1 - 0.9**step)
    wide = (square / (1 - 0.99**step)) ** 0.5
    return value - rate * far / (wide + 1e-8), mean, square


# %% solution: tf
def update_tf(value, slope, mean, square, step, rate):
    ...  # four of one shape, two numbers; return value, mean, square
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    far = mean / (1 - 0.9**step)
    wide = (square / (1 - 0.99**step)) ** 0.5
    return value - rate * far / (wide + 1e-8), mean, square


# %% mistake: nothing is divided: at the first steps both running means are too small
far, wide = mean, np.sqrt(square)
# %% mistake: the mean is not divided by 1 - 0.9 ** step
far = mean
# %% mistake: the square is not divided by 1 - 0.99 ** step
wide = np.sqrt(square)
# %% mistake: the slope itself is followed; the running mean is
far = slope
# %% mistake: the root is missing
wide = square / (1 - 0.99**step)
# %% mistake: the sign: the value goes against the slope
return value + rate * far / (wide + 1e-8), mean, square
# %% mistake: the shares are exchanged: 0.9 of the old mean are kept
mean = 0.1 * mean + 0.9 * slope
# %% mistake: the shares are exchanged: 0.99 of the old square are kept
square = 0.01 * square + 0.99 * slope**2
# %% mistake: the slope is not squared
square = 0.99 * square + 0.01 * slope
# %% mistake: the running mean is squared; the slope is
square = 0.99 * square + 0.01 * mean**2
# %% mistake: it keeps 0.999 of the square; 0.99 here
square = 0.999 * square + 0.001 * slope**2
# %% mistake: the rate is missing
return value - far / (wide + 1e-8), mean, square
# %% mistake: it returns the divided ones: the next step goes on from the undivided
return value - rate * far / (wide + 1e-8), far, wide**2
# %% mistake: it returns the value alone; the running means too
return value - rate * far / (wide + 1e-8)
# %% mistake: this is plain descent: rate times slope
return value - rate * slope, mean, square
# %% mistake: steps are counted from 1: the first divides by 1 - 0.9
far = mean / (1 - 0.9 ** (step + 1))
wide = np.sqrt(square / (1 - 0.99 ** (step + 1)))
