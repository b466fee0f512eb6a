import numpy as np

# %% nothing is divided: at the first steps both running means are too small
far, wide = mean, np.sqrt(square)
# %% the mean is not divided by 1 - 0.9 ** step
far = mean
# %% the square is not divided by 1 - 0.99 ** step
wide = np.sqrt(square)
# %% the slope itself is followed; the running mean is
far = slope
# %% the root is missing
wide = square / (1 - 0.99**step)
# %% the sign: the value goes against the slope
return value + rate * far / (wide + 1e-8), mean, square
# %% the shares are exchanged: 0.9 of the old mean are kept
mean = 0.1 * mean + 0.9 * slope
# %% the shares are exchanged: 0.99 of the old square are kept
square = 0.01 * square + 0.99 * slope**2
# %% the slope is not squared
square = 0.99 * square + 0.01 * slope
# %% the running mean is squared; the slope is
square = 0.99 * square + 0.01 * mean**2
# %% it keeps 0.999 of the square; 0.99 here
square = 0.999 * square + 0.001 * slope**2
# %% the rate is missing
return value - far / (wide + 1e-8), mean, square
# %% it returns the divided ones: the next step goes on from the undivided
return value - rate * far / (wide + 1e-8), far, wide**2
# %% it returns the value alone; the running means too
return value - rate * far / (wide + 1e-8)
# %% this is plain descent: rate times slope
return value - rate * slope, mean, square
# %% steps are counted from 1: the first divides by 1 - 0.9
far = mean / (1 - 0.9 ** (step + 1))
wide = np.sqrt(square / (1 - 0.99 ** (step + 1)))
