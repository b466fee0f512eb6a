"""Write the public modules, `attn_course.pytorch`, `.tf` and `.reference`, from the `__all__` of every topic.

And the pages of book/api, one a topic, and the README.md of experiments and tools. `python tools/derived.py` writes
them, `--check` fails if one is stale. Nothing of the package is imported. A star takes the names of a literal
`__all__`, so that type checkers and editors see them.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

import api_sections
import programs

SOURCE = Path(__file__).parents[1] / "src" / "attn_course"
WORDS = {
    "pytorch": "Every public name in PyTorch.",
    "tf": "Every public name in TensorFlow.",
    "reference": "Every public specification, in NumPy and float64.",
}
MADE = "# Made by `make derived`; edit the literal `__all__` of a topic."
LISTED = '__all__ = [name for name in dir() if not name.startswith("_")]'
ROOMS = ("core", "mechanisms", "models")


def names_of(path):
    """The literal ``__all__`` of a file."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name) and target.id == "__all__":
            return sorted(ast.literal_eval(node.value))
    return []


def face(kind, source=SOURCE):
    """The text of a public module: of a face of the package, as the tests call it."""
    files = sorted(path for room in ROOMS for path in (source / room).rglob(f"{kind}.py"))
    topics = {".".join(path.relative_to(source).parts[:-1]): names_of(path) for path in files}
    counts = Counter(name for names in topics.values() for name in names)
    if twice := [name for name, count in counts.items() if count > 1]:
        raise ValueError(f"{kind}: more than one topic lists {', '.join(twice)}, and the last would hide the others")
    lines = [f"from attn_course.{topic}.{kind} import *" for topic, names in topics.items() if names]
    return "\n".join([MADE, f'"""{WORDS[kind]}"""', "", *lines, "", LISTED, ""])


def stale(source=SOURCE):
    """The public modules that are not what the topics say: path and text."""
    texts = {source / f"{kind}.py": face(kind, source) for kind in WORDS}
    return {path: text for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text}


def write(source=SOURCE):
    """Write them, and return their paths."""
    found = stale(source)
    for path, text in found.items():
        path.write_text(text, encoding="utf-8")
    return list(found)


def main(check):
    if not check:
        write()
        api_sections.write()
        programs.write()
    elif found := [*stale(), *api_sections.stale(), *programs.stale()]:
        sys.exit(f"stale: {', '.join(path.name for path in found)}; run `make derived`")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
