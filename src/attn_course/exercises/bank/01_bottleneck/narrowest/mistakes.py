# %% the mean hides a run that fails; every run has to reach one half
fine = at.mean(axis=0) >= 0.5
# %% one good run is not enough; every run has to reach one half
fine = (at >= 0.5).any(axis=0)
# %% exactly one half is enough
fine = (at > 0.5).all(axis=0)
# %% this is the widest of them; the narrowest was asked for
return widths[fine][-1] if fine.any() else 0
# %% where no width is enough it says the widest; 0 was asked for
return widths[fine][0] if fine.any() else widths[-1]
# %% the number of letters is no index: look it up in lengths
at = share[:, :, min(letters, share.shape[2] - 1)]
# %% this is the width's place, not the width
return np.flatnonzero(fine)[0] if fine.any() else 0
