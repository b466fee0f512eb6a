import numpy as np

# %% not done yet
lambda: None
# %% a text alone
lambda: "6 September 1066"
# %% no place
lambda: ("6 September 1066", 1)
# %% a date that it gets right
lambda: ("1 May 1999", 1, 0)
# %% no date
lambda: ("never", 1, 0)
# %% empty
lambda: ("", 1, 0)
# %% no year
lambda: ("5 May", 1, 0)
# %% two years
lambda: ("5 May 1066 2066", 1, 8)
# %% another language
lambda: ("6 septembre 1066", 1, 14)
# %% the wrong step
lambda: ("6 September 1066", 3, 14)
# %% a place outside
lambda: ("6 September 1066", 1, 99)
# %% places counted from 1
lambda: ("6 September 1066", 1, 15)
# %% the character itself
lambda: ("6 September 1066", 1, "6")
# %% words that confuse it
lambda: ("99 xxxxx 6 September 1999", 1, 0)
# %% a number as text
lambda: (19990501, 1, 0)
# %% a step that is no whole number
lambda: ("6 September 1066", 1.0, 14)
