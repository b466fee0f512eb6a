import numpy as np

# %% not done yet
lambda *given: None
# %% always the same
lambda *given: "healthy"
# %% another
lambda *given: "leaking mask"
# %% the most frequent fault
lambda *given: "shift by one"
# %% no name
lambda *given: "broken"
# %% empty
lambda *given: ""
# %% a number
lambda *given: 0
# %% all of them
lambda *given: np.array(["healthy", "leaking mask"])
# %% by the loss alone
lambda loss, *given: "shift by one" if loss[-1] < 0.5 else "healthy"


# %% by what it writes alone
def diagnose(loss, maps, norms, gradients, entropy, free, cached):
    if free > 0.3:
        return "shift by one"
    return "cache off by one" if cached > 0.2 else "healthy"


# %% drawn
def diagnose(loss, *given, seen=[]):
    names = "healthy", "leaking mask", "dead head", "shift by one", "norm misplaced", "scale missing"
    return names[int(1e6 * loss[-1]) % 6]


# %% the order of the record
def diagnose(*given, seen=[]):
    names = "healthy", "leaking mask", "dead head", "shift by one", "norm misplaced", "cache off by one"
    seen.append(0)
    return [*names, "scale missing"][(len(seen) - 1) % 7]
