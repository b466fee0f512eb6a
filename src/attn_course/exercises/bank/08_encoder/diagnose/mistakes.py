# %% a leaking mask is not seen: look above the diagonal of the maps
if np.tril(maps, -1).max() > 2:
    ...
# %% a dead head is not seen: no gradient reaches it
if gradients.min() < 0:
    ...
# %% a misplaced norm is not seen: after each block the stream has the same size
if np.ptp(norms[1:]) < 0:
    ...
# %% a shifted target is not seen: its loss is lower than the data allow
if loss[-1] < -0.5:
    ...
# %% a missing scale is not seen: its maps are sharp before the first step
if entropy < 0:
    ...
# %% a cache that is off is not seen: compare what is written with and without it
return "healthy"
