# %% numpy
def wrong_date():
    return "10 October 2150", 1, 12


# %% numpy 2
def wrong_date():
    return "12 January 1850", 2, 12
