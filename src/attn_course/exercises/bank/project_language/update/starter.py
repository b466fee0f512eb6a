# %% torch
def my_update(value, slope, mean, square, step, rate):
    ...  # four of one shape, two numbers; return value, mean, square

# %% tf
def my_update(value, slope, mean, square, step, rate):
    ...  # four of one shape, two numbers; return value, mean, square
