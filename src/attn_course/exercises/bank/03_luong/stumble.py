"""The finger's window holds three words, and it found its place in the digits of pi.
Write `stumble()`, which returns a line of twelve words (a list, "zero" to "nine") and a
place from 1 to 10 at which the same window fails: words[place - 1] was written last,
words[place] comes next, every word that follows an equal one scores 4, all others 0,
and the word at place gets at most half of the weight.

1. Far repeats lie outside the window. Which repeat can it not shut out?
2. A second word of the window has to score 4: it follows a word equal to the one
   written last.
3. Twice the same digit in a row: five five. Which of the two was written last?
"""

title = "make the finger stumble"
level, minutes = 2, 15
kind = "open"
before = "the figure of the finger"

DIGITS = {"zero", "one", "two", "three", "four", "five"}
DIGITS |= {"six", "seven", "eight", "nine"}


def cases(rng):
    return [Case("your line", ())]


def measure(results):
    """True, of a line at whose place the window of three words fails."""
    if len(results) != 2 or results[0].shape != (12,) or results[1].size != 1:
        raise Refused("return a list of twelve words and a place")
    words, place = [str(each) for each in results[0]], results[1].reshape(())
    if strange := [word for word in words if word not in DIGITS]:
        raise Refused(f"{strange[0]!r} is none of the words zero to nine")
    if place.dtype.kind != "i" or not 1 <= place <= 10:
        raise Refused("the place is a whole number from 1 to 10")
    window = range(int(place) - 1, int(place) + 2)
    last = words[int(place) - 1]
    score = np.array([4.0 * (j > 0 and words[j - 1] == last) for j in window])
    weight = softmax(score)[1]
    if weight > 0.5:
        raise Refused(f"the window finds it: the word at {place} gets {weight:.2f}")
    return np.array(True)


# %% solution
def stumble():
    ...  # return twelve words and a place
    words = "three one four one five five nine two six eight zero seven"
    return words.split(), 5


# %% mistake: the window finds it: this repeat lies outside the window
return words.split(), 4
# %% mistake: the window finds it: the word written last stands there once
return words.split(), 1
# %% mistake: the place is a whole number: at 11 the window would leave the line
return words.split(), 11
# %% mistake: return a list of twelve words and a place: this is one text
return words, 5
# %% mistake: 'pi' is none of the words
return ["pi", *words.split()[1:]], 5
