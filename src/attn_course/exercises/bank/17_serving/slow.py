"""A server may read at most `budget` tokens a step, and should give a place away as soon
as it is free. Write `slow(states, tokens, budget)`, which says what it does wrong: "in
batches" if a request that has ended keeps its place, "no budget" if a step reads more
than the budget, "too few blocks" if a request lost its keys and values and reads all
anew, or "healthy". states (requests, steps): 0 waits, 1 reads its prompt, 2 writes, 3
holds a place and does nothing; tokens (steps): tokens that the model read in each step.
It is tried on servers that you have not seen.

1. Which state may follow which? Who holds a place at its row's end has ended before.
2. A request that wrote and reads again lost what it had.
3. ((states == 2).cumsum(1) > 0) & (states == 1); and the last state of a row that is
   not 0.
"""

from attn_course.course.plots.explore.schedules import timeline

title = "diagnose a slow server"
level, minutes = 3, 25
kind = "open"
before = "17.deal"

CAUSES = ("healthy", "in batches", "no budget", "too few blocks")


def cases(rng):
    def served(cause):
        answers, prompts = rng.integers(4, 12, 6), rng.integers(6, 12, 6)
        prompts[int(rng.integers(0, 2))] = 40
        asked = list(zip(prompts.tolist(), answers.tolist()))
        limit = None if cause == "no budget" else 12
        states, tokens = timeline(
            asked, at_once=3, budget=limit, continuous=cause != "in batches"
        )
        if cause == "too few blocks":  # the last one out reads its text again
            row = int(np.flatnonzero(states[:, -1] == 2)[0])
            place = np.flatnonzero(states[row] == 2)[1]
            states = np.insert(states, [place] * 3, 0, axis=1)
            for other in range(6):
                if states[other, place - 1] == 2:
                    states[other, place : place + 3] = 2
            states[row, place : place + 3] = 0, 0, 1
            tokens = np.insert(tokens, [place] * 3, [2, 2, 9])
        return states, tokens, 12

    order = [CAUSES[place % 4] for place in rng.permutation(12)]
    return [Case("a server that you have not seen", served(cause)) for cause in order]


measure = one_of(CAUSES)


# %% solution
def slow(states, tokens, budget):
    ...  # (n, steps), (steps), a number; return one of the names
    if tokens.max() > budget:
        return "no budget"
    wrote = (states == 2).cumsum(axis=1) > 0
    if (wrote & (states == 1)).any():
        return "too few blocks"
    last = [row[row > 0][-1] for row in states]
    return "in batches" if 3 in last else "healthy"


# %% mistake: a step with more tokens than the budget is not seen
if tokens.mean() > budget:
    ...
# %% mistake: a request that reads again is not seen
wrote = (states == 2).cumsum(axis=1) < 0
# %% mistake: who has ended and keeps its place is not seen
return "in batches" if 4 in last else "healthy"
# %% mistake: who waits for its turn in the budget holds a place too, and has not ended
return "in batches" if (states == 3).any() else "healthy"
# %% mistake: a server that does nothing wrong is healthy
return "in batches" if 3 in last else "too few blocks"
