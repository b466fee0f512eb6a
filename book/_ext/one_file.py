"""A page loads one style sheet and one script that waits: those of the theme, the builder and the course, joined.

Runs on the built site. `framework.js` stays by itself, since it runs before the first line is drawn, and so does what
a page alone needs: its figures. Rules for icons that no page shows are left out.
"""

import hashlib
import re
from pathlib import Path

from icons import used
from sphinx.application import Sphinx

STYLE, SCRIPT = "styles/course.css", "course_all.js"
_SHEET = re.compile(
    r'[ \t]*<link [^>]*href="[^"]*_static/([^"?]+)[^"]*"[^>]*rel="stylesheet"[^>]*/>\n?|'
    r'[ \t]*<link rel="stylesheet"[^>]*href="[^"]*_static/([^"?]+)[^"]*"[^>]*/>\n?'
)
_SCRIPT = re.compile(
    r'[ \t]*<script[^>]* src="[^"]*_static/(?!framework|attn_widgets|scripts/bootstrap|scripts/pydata)'
    r'([^"?]+)[^"]*"></script>\n?'
)
_SETTING = re.compile(r"[ \t]*<script>((?:let toggle|var togglebutton|DOCUMENTATION_OPTIONS\.)[^<]*)</script>\n?")
_ICON = re.compile(r'((?:\.fa-[\w-]+:before,?)+)\{content:"\\[0-9a-f]+"\}')


def styles(static: Path, names: list[str], site: Path) -> str:
    """The sheets in their order, with paths as from the folder of the joined one."""
    shown, found = used(site), []
    for name in names:
        text = (static / name).read_text(encoding="utf-8")
        text = text.replace('@import "../basic.css";', (static / "basic.css").read_text(encoding="utf-8"))
        text = re.sub(r"url\((file|math/)", r"url(../\1", text)
        text = _ICON.sub(lambda rule: rule[0] if set(re.findall(r"fa-[\w-]+", rule[1])) & shown else "", text)
        found.append(re.sub(r"/\*.*?\*/|^\s+", "", text, flags=re.DOTALL | re.MULTILINE))
    return "\n".join(found)


def head(page: str) -> tuple[str, str, str]:
    """A page in front of, in and behind the place of its styles and scripts."""
    return re.match(r"(?s)(.*?<head>)(.*?</head>)(.*)", page).groups()


def join(app: Sphinx, error: Exception | None) -> None:
    site = Path(app.outdir)
    if error or app.builder.name != "html":
        return
    static = site / "_static"
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html") if "_static" not in path.parts}
    pages = {path: text for path, text in pages.items() if "_static/framework.js" in text}
    fresh = [text for text in pages.values() if STYLE not in text]
    if fresh:  # a page that was not written again has the joined ones already
        sheets = [one or other for one, other in _SHEET.findall(head(fresh[0])[1])]
        scripts = list(dict.fromkeys(_SCRIPT.findall(head(fresh[0])[1])))
        settings = list(dict.fromkeys(_SETTING.findall(head(fresh[0])[1])))
        settings = [line for line in settings if "pagename" not in line]
        (static / "joined.txt").write_text("\n".join([*sheets, "", *settings, "", *scripts]), encoding="utf-8")
    sheets, settings, scripts = (part.split("\n") for part in (static / "joined.txt").read_text().split("\n\n"))
    parts = [(static / name).read_text(encoding="utf-8") for name in scripts if name != "scripts/fontawesome.js"]
    parts.insert(1, "\n".join(settings))  # behind documentation_options.js
    versions = {}
    for name, text in {STYLE: styles(static, sheets, site), SCRIPT: "\n;".join(parts)}.items():
        (static / name).write_text(text, encoding="utf-8")
        versions[name] = hashlib.sha256(text.encode()).hexdigest()[:8]
    for path, text in pages.items():
        before, inside, after = head(text)
        up = re.search(r'data-content_root="([^"]*)"', before)[1]
        if STYLE not in inside:
            link = iter([f'<link rel="stylesheet" href="{up}_static/{STYLE}">\n'])
            inside = _SHEET.sub(lambda _, link=link: next(link, ""), inside)
            inside = _SCRIPT.sub(lambda script: "" if script[1] in scripts else script[0], _SETTING.sub("", inside))
            inside = inside.replace(
                "</head>",
                f'<script defer data-sd-tabs-storage-prefix="sphinx-design-tab-id-" '
                f'src="{up}_static/{SCRIPT}"></script>\n</head>',
            )
        for name, version in versions.items():
            inside = re.sub(rf'{re.escape(name)}(\?v=\w+)?"', f'{name}?v={version}"', inside)
        if (new := before + inside + after) != text:
            path.write_text(new, encoding="utf-8")


def copied(app: Sphinx, _env, _added: set, _changed: set, _removed: set) -> list[str]:
    """A page to be read again where a file beside the pages is new: without a new page the builder copies none."""
    made = Path(app.outdir, "_static", SCRIPT)
    files = [path for folder in app.config.html_static_path for path in Path(app.srcdir, folder).rglob("*.*")]
    new = made.exists() and any(path.stat().st_mtime > made.stat().st_mtime for path in files)
    return [app.config.root_doc] if new else []


def setup(app: Sphinx) -> dict:
    app.connect("env-get-outdated", copied)
    app.connect("build-finished", join, priority=950)  # behind icons
    return {"parallel_read_safe": True, "parallel_write_safe": True}
