"""Each reference is formatted once: the builder would do it for every page that cites it, at every build.

What the last build formatted stands in the builder's own record, and holds as long as its entry is the same.
"""

from functools import cache

from pybtex import plugin
from pybtex.style import FormattedEntry
from pybtex.style.formatting import BaseStyle

plugin._load_entry_point = cache(plugin._load_entry_point)  # it looks through all installed packages
ANEW = BaseStyle.format_entry


def remember(app):
    """Every page has the same style, so an entry's text differs by nothing but its label."""
    made = {one.entry.key: (one.entry, one.formatted_entry.text) for one in app.env.get_domain("cite").citations}

    def format_entry(style, label, entry, bib_data=None):
        if entry.key not in made or made[entry.key][0] != entry:
            made[entry.key] = entry, ANEW(style, label, entry, bib_data).text
        return FormattedEntry(entry.key, made[entry.key][1], label)

    BaseStyle.format_entry = format_entry


def setup(app):
    app.connect("builder-inited", remember)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
