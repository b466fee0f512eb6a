"""At which width do 16 letters survive? Write `narrowest(share, widths, lengths,
letters)`: the smallest of the widths at which at least half of the strings of that many
letters come back right in **every** run, 0 if there is none. share (runs, widths,
lengths) holds the shares of right strings; widths and lengths say what its axes stand
for, each in rising order. It is tried on the stored runs of this page, and on others.

1. What must a width show before you would promise 16 letters: its best run, its mean,
   or its worst?
2. Take the column of that length: (runs, widths). Which widths have no run below one
   half?
3. fine = (share[:, :, lengths == letters] >= 0.5).all(axis=(0, 2)); then the first of
   widths[fine].
"""

from attn_course.records import load_record

title = "find the width at which 16 letters survive"
level, minutes = 2, 15
kind = "open"
before = "the figure of the cliff"

WIDTHS, LENGTHS = np.array([16, 32, 64, 128]), np.arange(4, 21, 2)


def stored(steps):
    """The stored runs of a length of training, (runs, widths, lengths)."""
    rows = [row for row in load_record("bottleneck")["rows"] if row["steps"] == steps]
    runs = [[row for row in rows if row["width"] == width] for width in WIDTHS]
    shares = [[[x[-1] for x in row["by_length"]] for row in width] for width in runs]
    return np.array(shares).swapaxes(0, 1)


def cases(rng):
    found = []
    for steps in (1500, 4500, 13_500):
        for letters in (4, 8, 12, 16, 20):
            name = f"{letters} letters after {steps:,} steps"
            found.append(Case(name, (stored(steps), WIDTHS, LENGTHS, letters)))
    lengths, widths = np.array([3, 5, 9]), np.array([7, 11])
    edge = np.array([[[1, 0.5, 0.6], [1, 1, 0.9]], [[1, 0.6, 0], [1, 1, 0.4]]])
    for runs in (edge, edge[::-1].copy()):
        for letters in (5, 9):
            found.append(Case("runs that differ", (runs, widths, lengths, letters)))
    share = -np.sort(-rng.random((3, 2, 3)), axis=2)
    return [*found, Case("drawn", (share, widths, lengths, 5))]


def measure(results, *arguments):
    """The width, as a whole number."""
    if len(results) != 1 or results[0].size != 1:
        raise Refused("return one number, a width")
    width = float(results[0].reshape(()))
    return np.array(int(width) if width.is_integer() else -1)


# %% solution
def narrowest(share, widths, lengths, letters):
    ...  # (runs, widths, lengths), (widths), (lengths), a number; return one
    at = share[:, :, np.flatnonzero(lengths == letters)[0]]
    fine = (at >= 0.5).all(axis=0)
    return widths[fine][0] if fine.any() else 0


# %% mistake: the mean hides a run that fails; every run has to reach one half
fine = at.mean(axis=0) >= 0.5
# %% mistake: one good run is not enough; every run has to reach one half
fine = (at >= 0.5).any(axis=0)
# %% mistake: exactly one half is enough
fine = (at > 0.5).all(axis=0)
# %% mistake: this is the widest of them; the narrowest was asked for
return widths[fine][-1] if fine.any() else 0
# %% mistake: where no width is enough it says the widest; 0 was asked for
return widths[fine][0] if fine.any() else widths[-1]
# %% mistake: the number of letters is no index: look it up in lengths
at = share[:, :, min(letters, share.shape[2] - 1)]
# %% mistake: this is the width's place, not the width
return np.flatnonzero(fine)[0] if fine.any() else 0
