# %% milk gives the milk too little: straight at it is not best, what does the cat get?
milk = (0, 1.5)
# %% milk is 2.00 long: its key is that long, the query may not be
milk = (0, 2)
# %% even gives cat and milk different shares: this is the query of "thirsty"
even = (2, 1)
# %% even leaves drank too much: the right direction, but too short
even = (1, 1)
# %% drank gets too little: the right direction, but too short
drank = (-0.3, -0.3)
