"""Figures, tables and exercises are counted from 1 on each page, as in the chapter's notebook.

The builder counts through the whole book, so a figure added to chapter 1 would change the numbers of
chapter 9, and "Fig. 1" in the notebook would be "Fig. 17" on the page. Equations restart by the setting
`math_numfig: false`.
"""


def restart(app, env):
    """Runs after the builder gave out its numbers, which are in the order of the text."""
    for kinds in env.toc_fignumbers.values():
        for numbers in kinds.values():
            numbers.update({label: (place,) for place, label in enumerate(numbers, start=1)})
    return []


def setup(app):
    app.connect("env-get-updated", restart, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
