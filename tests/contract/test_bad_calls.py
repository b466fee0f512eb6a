"""Every bad call is answered by a ValueError or TypeError that names the argument."""

import re
from collections import defaultdict

import pytest
from bad_calls import bad_calls

CALLS = defaultdict(list)
for where, what, call, names in bad_calls():
    CALLS[where, re.split(r"[(: ]", what)[0]].append((what, call, names))


def answer(call, names):
    """What is wrong with the answer to a bad call, or None."""
    try:
        found = call()
    except (ValueError, TypeError) as error:
        named = any(re.search(rf"\b{name}\b", str(error)) for name in names)
        return None if named else f"names none of {names}: {type(error).__name__}: {str(error)[:200]}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    return f"no error: {type(found).__name__}"


@pytest.mark.parametrize("group", CALLS, ids="-".join)
def test_bad_calls_are_named(group):
    answers = {what: answer(call, names) for what, call, names in CALLS[group]}
    assert not {what: found for what, found in answers.items() if found}


def test_there_are_many():
    assert sum(map(len, CALLS.values())) > 3000
