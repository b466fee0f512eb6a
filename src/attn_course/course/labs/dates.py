"""The dates of chapters 1 and 2 as a task: what to train on, how large, how long."""

from attn_course.course.labs.seq2seq import Task
from attn_course.tasks.dates import load_dates, source_vocabulary, target_vocabulary

STEPS = 240
LONG = 30  # characters: from here on a date counts as long


def task():
    """The dates with the sizes of chapters 1 and 2."""
    test = load_dates("test")
    return Task(
        name="dates",
        train=load_dates("train"),
        test=test,
        source_vocabulary=source_vocabulary(),
        target_vocabulary=target_vocabulary(),
        edges=(1, 10, 20, LONG, 49),
        embedding_dim=64,
        hidden_dim=128,
        batch_size=128,
        shown=long_dates(test),
    )


def long_dates(dates, count=5):
    """Places of long dates: the first of a new day in a new language, and so on."""
    found, days, languages = [], set(), set()
    for place, source in enumerate(dates.sources):
        day, language = dates.targets[place], dates.locales[place]
        if len(source) >= LONG and day not in days and language not in languages:
            found.append(place)
            days.add(day)
            languages.add(language)
    return tuple(found[:count])
