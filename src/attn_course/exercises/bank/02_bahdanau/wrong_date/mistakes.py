# %% it writes 2014-05-05, and that is right: find a date that fails
return "5 May 2014", 1, 6
# %% it writes 2066-09-06 for 1066-09-06: this is the second character, the first is wrong already
return "6 September 1066", 2, 14
# %% place 12 is '1': there the digit stands, but its weight lies elsewhere
return "6 September 1066", 1, 12
# %% the calendar has no such day
return "31 September 1066", 1, 15
# %% the text has to be an English date: the month is spelled out
return "6.9.1066", 1, 4
