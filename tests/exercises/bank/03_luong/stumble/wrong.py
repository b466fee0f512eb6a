import numpy as np

# %% not done yet
lambda: None
# %% words alone
lambda: ["one"] * 12
# %% a place alone
lambda: 5
# %% eleven words
lambda: (["one"] * 11, 5)
# %% the digits of pi
lambda: (["three", "one", "four", "one", "five", "nine", "two", "six", "five", "three", "five", "eight"], 9)
# %% no word repeats
lambda: (["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero", "one"], 5)
# %% digits as numbers
lambda: ([5] * 12, 5)
# %% the first place
lambda: (["one"] * 12, 0)
# %% a negative place
lambda: (["one"] * 12, -3)
# %% a place between two
lambda: (["one"] * 12, 5.5)
# %% a repeat two words further on
lambda: (["zero", "one", "five", "three", "five", "four", "six", "seven", "eight", "nine", "zero", "one"], 3)
# %% a repeat with one word between
lambda: (["zero", "five", "one", "five", "two", "three", "four", "six", "seven", "eight", "nine", "zero"], 4)
# %% a place as text
lambda: (["one"] * 12, "five")
