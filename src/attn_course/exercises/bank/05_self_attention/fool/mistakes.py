# %% twins lie side by side: that is what the window's player wants
return np.argsort(animals, kind="stable")
# %% the second half is a mirror of the first: in the middle twins meet
return np.concatenate([first, second[np.argsort(-animals[second])]])
# %% these are the cards as they were dealt
return np.arange(16)
# %% each half holds every animal once, but in another order: some twins are near
return np.concatenate([first, second])
# %% return one order of all 16 cards: this is one half
return first
# %% the order is that of the numbers; the player looks for the animal
return np.argsort(numbers, kind="stable")
