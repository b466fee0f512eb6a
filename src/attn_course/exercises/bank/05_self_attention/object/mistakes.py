# %% this is the subject: the last noun was asked for
table[0, 0] = 1
# %% what is taken from the first noun is missing in its own query
table[0, 0] = -1
# %% a verb that is none is found by nobody
table[1, 1] = -1
# %% the verb still can't choose: only the first two numbers enter queries and keys
table[2, 2] = 1
# %% the first noun looks like a verb now
table[0, 1] = 1
