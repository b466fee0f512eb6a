"""The player with the window sees three cards to either side. Sixteen cards are dealt,
each animal twice: write `fool(animals, numbers)`, which lays them out anew so that this
player can't know a single answer. animals and numbers (16), whole numbers; return an
order (16): the index of the card that comes first, second, and so on. The player that
sees all cards is not fooled: it does not mind the order.

1. For which distances does the window's player guess?
2. Put one card of every animal into the first half. Where do the others go?
3. The second half in the same order as the first: every twin is eight places away.
"""

from attn_course.core.masks import sliding_window_mask
from attn_course.tasks.pairs import CARDS, pairs, twins

title = "fool the card player"
level, minutes = 2, 15
kind = "open"
before = "the game of pairs"


def cases(rng):
    game = next(pairs(5, seed=int(rng.integers(1000))))
    return [Case("a deal", row) for row in zip(*game[:2], strict=True)]


def measure(results, animals, numbers):
    """How many cards have their twin within the window."""
    if len(results) != 1 or results[0].shape != (CARDS,):
        raise Refused("return one order of all 16 cards")
    order = results[0]
    if order.dtype.kind not in "iu" or sorted(order.tolist()) != [*range(CARDS)]:
        raise Refused("each card is laid once: the numbers 0 to 15 in some order")
    window = sliding_window_mask(CARDS, CARDS, 4, causal=False)
    place = twins(animals[None, order])[0]
    return np.array(int(window[np.arange(CARDS), place].sum()))


# %% solution
def fool(animals, numbers):
    ...  # (16), (16); return an order (16)
    first = np.unique(animals, return_index=True)[1]
    second = np.setdiff1d(np.arange(16), first)
    return np.concatenate([first, second[np.argsort(animals[second])]])


# %% mistake: twins lie side by side: that is what the window's player wants
return np.argsort(animals, kind="stable")
# %% mistake: the second half is a mirror of the first: in the middle twins meet
return np.concatenate([first, second[np.argsort(-animals[second])]])
# %% mistake: these are the cards as they were dealt
return np.arange(16)
# %% mistake: each half holds every animal once, but in another order: some twins are
# near
return np.concatenate([first, second])
# %% mistake: return one order of all 16 cards: this is one half
return first
# %% mistake: the order is that of the numbers; the player looks for the animal
return np.argsort(numbers, kind="stable")
