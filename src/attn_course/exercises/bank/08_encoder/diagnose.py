"""Small decoders learn to say six drawn tokens a second time; in each run one thing may
be wrong. Write `diagnose(loss, maps, norms, gradients, entropy, free, cached)`, which
returns "healthy", "leaking mask", "dead head", "shift by one", "norm misplaced", "cache
off by one" or "scale missing". loss: in nats, every 20 steps; maps (blocks, heads, T,
T); norms of the stream before, between and after two blocks; gradients (blocks, heads):
their size at each head; entropy: of the maps before training, as a share of the largest
possible (1); free and cached: the share of wrong tokens in generation, free: computed
anew each step, cached: with kept keys and values. It is tried on runs that you have not
seen.

1. Half of the tokens are drawn: no honest loss falls below about 1.1. Which two faults
   get there?
2. A map shows a look ahead; a gradient of 0 a dead head; equal norms a norm after the
   sum.
3. np.triu(maps, 1).max() > 0; gradients.min() == 0; np.ptp(norms[1:]) < 1; cached
   against free.
"""

from attn_course.records import load_record

title = "diagnose runs that train badly"
level, minutes = 3, 30
kind = "open"
before = "04.with_cache, 08.pre_norm"

ROWS = load_record("ailing")["rows"]
CAUSES = tuple(dict.fromkeys(row["cause"] for row in ROWS))  # in their order
SEEN = ("loss", "maps", "norms", "gradients", "entropy", "free", "cached")
SHOWN = 0  # the seed whose runs a page may show; the others are for the check


def cases(rng):
    rows = [row for row in ROWS if row["seed"] != SHOWN]
    found = []
    for place in rng.permutation(len(rows)):
        arguments = (np.array(rows[place][name]) for name in SEEN)
        found.append(Case("a run that you have not seen", tuple(arguments)))
    return found


measure = one_of(CAUSES)


# %% solution
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    ...  # arrays and numbers; return one of the names
    if np.triu(maps, 1).max() > 0:
        return "leaking mask"
    if gradients.min() == 0:
        return "dead head"
    if np.ptp(norms[1:]) < 1:
        return "norm misplaced"
    if loss[-1] < 0.5:
        return "shift by one"
    if entropy < 0.7:
        return "scale missing"
    return "cache off by one" if cached > free + 0.1 else "healthy"


# %% mistake: a leaking mask is not seen: look above the diagonal of the maps
if np.tril(maps, -1).max() > 2:
    ...
# %% mistake: a dead head is not seen: no gradient reaches it
if gradients.min() < 0:
    ...
# %% mistake: a misplaced norm is not seen: after each block the stream has the same
# size
if np.ptp(norms[1:]) < 0:
    ...
# %% mistake: a shifted target is not seen: its loss is lower than the data allow
if loss[-1] < -0.5:
    ...
# %% mistake: a missing scale is not seen: its maps are sharp before the first step
if entropy < 0:
    ...
# %% mistake: a cache that is off is not seen: compare what is written with and without
# it
return "healthy"
