"""A gated delta-rule layer works in chunks of `size` tokens. It was probed with keys at
right angles and beta 1: heard[t, s] (T, T) is the share of what was written at s that a
query at t reads; decay (T). Write `diagnose(heard, decay, size)`, which returns what is
wrong, and t and s, a pair that shows it: there heard is as the fault makes it, and not
as a healthy layer does. The names: "healthy" (with any pair); "state lost", not handed
to some chunk; "late decay", which fades what its own token wrote, too; "no decay",
none within a chunk. It is tried on runs that you have not seen.

1. What does a healthy layer hold at t of what was written at s? Which decays count?
2. kept = np.cumprod(decay): healthy is kept[t] / kept[s]. Where does heard differ?
3. At the first pair that differs: 0 is "state lost"; t == s is "late decay"; all else
   is "no decay".
"""

title = "diagnose a state"
level, minutes = 2, 15
kind = "open"
before = "11.recurrent"

CAUSES = ("healthy", "state lost", "late decay", "no decay")


def made(decay, size):
    """name -> heard with that fault; a state is lost at every chunk."""
    kept, chunk = np.cumprod(decay), np.arange(len(decay)) // size
    right, same = np.tril(kept[:, None] / kept), chunk[:, None] == chunk
    faults = right, right * same, right * decay, np.where(same, right > 0, right)
    return dict(zip(CAUSES, faults, strict=True))


def cases(rng):
    def run(cause, size, chunks):
        decay = rng.uniform(0.6, 0.95, size * chunks)
        decay[: size // 2] = 1
        tables = made(decay, size)
        heard = tables["healthy" if cause == "state lost" else cause]
        if cause == "state lost":  # at one of the chunks
            start = size * int(rng.integers(1, chunks))
            heard[start:, :start] = 0
        return heard, decay, size

    found = [(cause, *size) for cause in CAUSES for size in ((4, 3), (3, 4))]
    found = [found[place] for place in rng.permutation(len(found))]
    return [Case("a run that you have not seen", run(*each)) for each in found]


def measure(results, heard, decay, size):
    """The name's number; a pair that does not show it is refused."""
    if len(results) != 3:
        raise Refused("return three things: a name, t and s")
    place = one_of(CAUSES)(results[:1])
    t, s = (
        int(x) if x.shape == () and x.dtype.kind in "iu" else -1 for x in results[1:]
    )
    if not 0 <= s <= t < len(decay):
        raise Refused("not a pair: t and s are whole numbers, 0 <= s <= t < T")
    tables, name = made(decay, size), str(results[0])
    found, right, wrong = (x[t, s] for x in (heard, tables["healthy"], tables[name]))
    told = f"heard[{t}, {s}] is {found:.3g}"
    if name == "healthy":
        return place
    if np.isclose(found, right, atol=1e-4):
        raise Refused(f"this pair shows nothing: {told}, as in a healthy layer")
    if not np.isclose(found, wrong, atol=1e-4):
        raise Refused(f"this pair shows another fault: {told}, {name!r} is {wrong:.3g}")
    return place


# %% solution
def diagnose(heard, decay, size):
    ...  # (T, T), (T), a number; return a name, t and s
    kept = np.cumprod(decay)
    right = np.tril(kept[:, None] / kept)
    wrong = np.argwhere(~np.isclose(heard, right, atol=1e-3))
    if not len(wrong):
        return "healthy", 0, 0
    t, s = wrong[0]
    if heard[t, s] == 0:
        return "state lost", t, s
    return "late decay" if t == s else "no decay", t, s


# %% mistake: not every run is healthy
instead = lambda heard, decay, size: ("healthy", 0, 0)
# %% mistake: this pair shows nothing: take one where heard is not as it should be
t, s = 1, 0
# %% mistake: this pair shows nothing: what is written at s fades from s + 1 on
right = np.tril(decay * kept[:, None] / kept)
# %% mistake: this pair shows another fault: not every fault is a lost state
if heard[t, s] >= 0:
    ...
# %% mistake: this pair shows another fault: only a late decay shows where t is s
return "no decay" if t == s else "late decay", t, s
# %% mistake: not a pair: t comes first, then s
return "late decay" if t == s else "no decay", s, t
