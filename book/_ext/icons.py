"""Of the theme's icons only those that the pages use: the script that brings them all weighs more than a chapter.

The theme has its icons twice, as a script and as fonts. After the build the script is emptied, and each font is cut
down to the icons whose names stand in the built pages or in the theme's own scripts.
"""

import logging
import re
from functools import cache
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

logging.getLogger("fontTools").setLevel(logging.WARNING)  # each step would be a line of the builder's output
EMPTY = "/* The icons are fonts, cut down to those that are used: see book/_ext/icons.py. */\n"
_CODE = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\([0-9a-f]+)"\}')
_FACE = re.compile(r"src:url\(([^)]*?/webfonts/(fa-[\w-]+))\.woff2\)[^;}]*")


@cache  # what is changed after the build has no other icons
def used(site: Path) -> set[str]:
    """The names that pages and the theme's scripts write, such as "fa-download"."""
    texts = [*site.rglob("*.html"), *(site / "_static").glob("scripts/*.js"), *(site / "_static").glob("*.js")]
    texts = [path for path in texts if path.name != "fontawesome.js"]
    return {name for path in texts for name in re.findall(r"fa-[a-z0-9-]+", path.read_text(encoding="utf-8"))}


def points(style: str, names: set[str]) -> set[int]:
    """The characters that draw the icons of these names."""
    found = {}
    for rules, code in _CODE.findall(style):
        for name in re.findall(r"\.(fa-[\w-]+):before", rules):
            found[name] = int(code, 16)
    return {found[name] for name in names if name in found}


def cut(font: Path, characters: set[int]) -> bytes:
    """The font with these characters alone, compressed."""
    options = subset.Options(flavor="woff", hinting=False, layout_features=[], notdef_outline=True)
    options.name_IDs = [0, 1, 2, 13, 14]  # copyright and licence stay
    drawn = TTFont(font, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(drawn)
    drawn.flavor = "woff"
    out = BytesIO()
    drawn.save(out)
    return out.getvalue()


def shrink(app, error):
    """Runs on the built site."""
    static = Path(app.outdir, "_static")
    style = static / "styles" / "pydata-sphinx-theme.css"
    if error or app.builder.format != "html" or not style.exists():
        return
    text = style.read_text(encoding="utf-8")
    characters = points(text, used(Path(app.outdir)))
    for font in sorted(static.glob("vendor/fontawesome/webfonts/*.ttf")):
        font.with_suffix(".woff").write_bytes(cut(font, characters))
        font.with_suffix(".woff2").unlink(missing_ok=True)
        font.unlink()
    style.write_text(_FACE.sub(r'src:url(\1.woff) format("woff")', text), encoding="utf-8")
    scripts = static / "scripts"
    (scripts / "fontawesome.js").write_text(EMPTY, encoding="utf-8")
    (scripts / "fontawesome.js.map").unlink(missing_ok=True)


def setup(app):
    app.connect("build-finished", shrink, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
