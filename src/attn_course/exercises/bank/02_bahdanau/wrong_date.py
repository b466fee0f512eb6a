"""The model of the figure to type in writes every date of the test right. Find one that
it gets wrong. Write `wrong_date()`, which returns a text, a step and a place: text, an
English date with its month spelled out and a year of four digits, as "5 May 2014" or
"Monday, March 7, 1983"; step, the number of the first of the ten characters that is
wrong, from 1; place, the index in the text, from 0, of the character that has the
largest weight at that step (the figure counts from 1: subtract one). The check runs the
same model.

1. All of its dates lie within about a century. What has it never needed to read?
2. Type years that nobody in a modern text is born in, and step to the first wrong
   digit.
3. Of "1 May 3000" it writes 2000-05-31: step 1 is wrong. Which 0 did it look at? Count
   from 0.
"""

import datetime
import re
from functools import cache

from attn_course.tasks.dates import source_vocabulary, target_vocabulary
from attn_course.tasks.live import load_weights

title = "find a date it gets wrong, and see where it looked"
level, minutes = 2, 20
kind = "open"
before = "the figure that reads what you type"

_NAMES = "january february march april may june july august september october"
MONTHS = f"{_NAMES} november december".split()
OTHERS = {"the", "of", "st", "nd", "rd", "th"}
OTHERS |= {f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur")}
OTHERS.add("sunday")
FORM = 'the text has to be an English date, as "5 May 2014", in at most 48 characters'


def cases(rng):
    return [Case("your date", ())]


def meant(text):
    """The date that an English text says, as year-month-day."""
    words = re.findall(r"[a-z]+", text.lower())
    years = re.findall(r"(?<!\d)\d{4}(?!\d)", text)
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", text)
    months = [word for word in words if word in MONTHS]
    known = re.fullmatch(r"[A-Za-z0-9 .,]{8,48}", text)
    counts = len(years), len(days), len(months), len(re.findall(r"\d+", text))
    rest = set(words) - {*months, *OTHERS}
    if not known or counts != (1, 1, 1, 2) or rest:
        raise Refused(FORM)
    month = MONTHS.index(months[0]) + 1
    try:
        datetime.date(int(years[0]), month, int(days[0]))
    except ValueError:
        raise Refused("the calendar has no such day") from None
    return f"{years[0]}-{month:02}-{int(days[0]):02}"


@cache
def written(text):
    """What the model of the figure writes, and its weights (steps, characters)."""
    net = load_weights("dates")
    tokens = source_vocabulary().encode([text])[0][0]

    def linear(name, x, weight="weight", bias="bias"):
        return x @ net[f"{name}.{weight}"] + net.get(f"{name}.{bias}", 0)

    def gru(name, x, state):
        a = np.split(linear(name, x, "input_weight", "input_bias"), 3)
        b = np.split(linear(name, state, "state_weight", "state_bias"), 3)
        reset, keep = (1 / (1 + np.exp(-a[i] - b[i])) for i in (0, 1))
        return (1 - keep) * np.tanh(a[2] + reset * b[2]) + keep * state

    def run(name, x):
        states = [np.zeros(128, np.float32)]
        for one in x:
            states.append(gru(name, one, states[-1]))
        return states[1:]

    x = net["encoder.embedding.weight"][tokens]
    left = run("encoder.forward_gru", x)
    right = run("encoder.backward_gru", x[::-1])[::-1]
    memory = np.concatenate([left, right], axis=1)
    key = linear("decoder.attention", memory, "memory_weight")
    state = np.tanh(linear("decoder.bridge", right[0]))
    token, said, looks = 1, [], []
    while len(said) < 10 and token != 2:
        query = linear("decoder.attention", state, "query_weight")
        score = np.tanh(query + key) @ net["decoder.attention.score_weight"]
        looks.append(softmax(score))
        token_vector = net["decoder.embedding.weight"][token]
        given = np.concatenate([token_vector, looks[-1] @ memory])
        state = gru("decoder.cell", given, state)
        seen = linear("decoder.readout", np.concatenate([state, given]))
        logits = linear("decoder.output_layer", seen.reshape(-1, 2).max(axis=1))
        token = int(logits.argmax())
        said.append(token)
    return target_vocabulary().decode(np.array([said]))[0], np.array(looks)


def measure(results):
    """Whether step and place are right, of a date that the model gets wrong."""
    if len(results) != 3:
        raise Refused("return three things: text, step, place")
    text, *numbers = results
    if text.dtype.kind != "U" or any(
        n.size != 1 or n.dtype.kind != "i" for n in numbers
    ):
        raise Refused("return a text and two whole numbers: text, step, place")
    text, (step, place) = str(text), (int(n.reshape(())) for n in numbers)
    right = meant(text)
    said, looks = written(text)
    if said == right:
        raise Refused(f"it writes {said}, and that is right: find another date")
    pairs = zip(right, said.ljust(10), strict=True)
    first = next(n for n, (one, two) in enumerate(pairs, 1) if one != two)
    if step != first:
        raise Refused(
            f"it writes {said} for {right}: step {step} is not the first wrong"
        )
    where = int(looks[step - 1].argmax())
    if place != where:
        sign = text[place] if 0 <= place < len(text) else "nothing"
        raise Refused(f"place {place} is {sign!r}: another character has more weight")
    return np.array(True)


# %% solution
def wrong_date():
    ...  # return text, step, place
    return "6 September 1066", 1, 14


# %% mistake: it writes 2014-05-05, and that is right: find a date that fails
return "5 May 2014", 1, 6
# %% mistake: it writes 2066-09-06 for 1066-09-06: this is the second character, the
# first is wrong already
return "6 September 1066", 2, 14
# %% mistake: place 12 is '1': there the digit stands, but its weight lies elsewhere
return "6 September 1066", 1, 12
# %% mistake: the calendar has no such day
return "31 September 1066", 1, 15
# %% mistake: the text has to be an English date: the month is spelled out
return "6.9.1066", 1, 4
