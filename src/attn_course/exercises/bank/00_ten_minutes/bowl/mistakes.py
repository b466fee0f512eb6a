# %% loud is 4.24 long: the figure would allow it, the exercise doesn't
return (3, 3), (-1.5, -1.5)
# %% loud loses in fresh: it points where the cat points
return (2.5, 0), (-1.5, -1.5)
# %% loud loses in thirsty: it points where the milk points
return (0, 2.5), (-1.5, -1.5)
# %% loud loses in thirsty and in fresh: the right direction, but too short
return (1, 1), (-1.5, -1.5)
# %% quiet is still heard: a key of zeros scores 0, and exp(0) is not small
return (1.7, 1.7), (0, 0)
