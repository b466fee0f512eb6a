# %% the window finds it: this repeat lies outside the window
return words.split(), 4
# %% the window finds it: the word written last stands there once
return words.split(), 1
# %% the place is a whole number: at 11 the window would leave the line
return words.split(), 11
# %% return a list of twelve words and a place: this is one text
return words, 5
# %% 'pi' is none of the words
return ["pi", *words.split()[1:]], 5
