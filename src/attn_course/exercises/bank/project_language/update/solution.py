import numpy as np


# %% numpy
def update(value, slope, mean, square, step, rate):
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    far = mean / (1 - 0.9**step)
    wide = np.sqrt(square / (1 - 0.99**step))
    return value - rate * far / (wide + 1e-8), mean, square


# %% torch
def update_torch(value, slope, mean, square, step, rate):
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    far = mean / (1 - 0.9**step)
    wide = (square / (1 - 0.99**step)) ** 0.5
    return value - rate * far / (wide + 1e-8), mean, square


# %% tf
def update_tf(value, slope, mean, square, step, rate):
    mean = 0.9 * mean + 0.1 * slope
    square = 0.99 * square + 0.01 * slope**2
    far = mean / (1 - 0.9**step)
    wide = (square / (1 - 0.99**step)) ** 0.5
    return value - rate * far / (wide + 1e-8), mean, square
