import numpy as np

# %% not done yet
lambda *given: None
# %% always 64
lambda *given: 64
# %% always 128
lambda *given: 128
# %% always none
lambda *given: 0
# %% four times the letters
lambda share, widths, lengths, letters: 4 * letters
# %% the first width
lambda share, widths, lengths, letters: widths[0]
# %% the first run alone
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share[0, :, lengths == letters][0]) if x >= 0.5), 0
)
# %% the last run alone
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share[-1, :, lengths == letters][0]) if x >= 0.5), 0
)
# %% nine tenths
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share.min(0)[:, lengths == letters]) if x >= 0.9), 0
)
# %% the share itself
lambda share, widths, lengths, letters: share.min(0)[:, lengths == letters].max()
# %% all widths
lambda share, widths, lengths, letters: widths
# %% at the next length
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share.min(0)[:, lengths >= letters][:, -1]) if x >= 0.5), 0
)
# %% not a number
lambda *given: np.nan
