# %% numpy
def stumble():
    return ["one"] * 12, 5


# %% numpy 2
def stumble():
    """The word written last follows an equal one itself."""
    return ["zero", "two", "two", "four", "five", "six", "seven", "eight", "nine", "one", "three", "zero"], 2
