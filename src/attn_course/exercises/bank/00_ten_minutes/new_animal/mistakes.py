# %% the fox gets: these are the drinks, and "drank"
return keys[8:].mean(axis=0)
# %% the fox gets: this is the way from the animals, not to them
return -keys[:8].mean(axis=0)
# %% return one key of two numbers: the mean runs over the numbers, not over the animals
return keys[:8].mean(axis=1)
# %% the fox gets: the right direction, but too short
return 0.1 * keys[:8].mean(axis=0)
# %% the fox gets: "drank" is no animal
return keys[8]
