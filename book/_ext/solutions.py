"""A book for a class (ATTN_COURSE_SOLUTIONS=no): what the pages serve as files holds no solution either.

The pages themselves leave solutions out in `folds.py`. Beside each page lie its notebook and its source, which the
download menu offers: cells tagged `solution` are taken out of both, once everything is written.
"""

import json
import os
import re
from pathlib import Path

import yaml

HIDDEN = os.environ.get("ATTN_COURSE_SOLUTIONS") == "no"
CELL = re.compile(r"(?ms)^(?P<fence>`{3,}|~{3,})\{code-cell\}[^\n]*\n(?P<body>.*?)^(?P=fence)[ \t]*(?:\n|\Z)")


def tags_of(body):
    """The tags of a code cell in a .md file, from its lines below the fence."""
    if block := re.match(r"(?s)---\n(.*?)\n---\s*?\n", body):
        found = (yaml.safe_load(block[1]) or {}).get("tags", [])
    else:
        line = re.search(r"(?m)^:tags:(.*)$", re.match(r"(?:[ \t]*:[^\n]*\n)*", body)[0])
        found = yaml.safe_load(line[1]) if line else []
    return [found] if isinstance(found, str) else found or []


def source_without(text):
    """A chapter's .md without its solutions."""
    return CELL.sub(lambda cell: "" if "solution" in tags_of(cell["body"]) else cell[0], text)


def notebook_without(text):
    """A notebook's JSON without its solutions."""
    notebook = json.loads(text)
    notebook["cells"] = [cell for cell in notebook["cells"] if "solution" not in cell["metadata"].get("tags", [])]
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def clean_files(app, error):
    """Rewrite every source and every notebook that the site serves."""
    kinds = {".md": source_without, ".ipynb": notebook_without}
    for path in [] if error else sorted(Path(app.outdir).rglob("*")):
        if path.suffix in kinds and path.is_file():
            text = path.read_text(encoding="utf-8")
            if (kept := kinds[path.suffix](text)) != text:
                path.write_text(kept, encoding="utf-8")


def setup(app):
    if HIDDEN:
        app.connect("build-finished", clean_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
