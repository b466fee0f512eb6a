"""The entries of the page "Phrasebook", as Markdown, from what experiments/phrasebook holds.

The lines {phrasebook-layer} and {phrasebook-convention} of book/phrasebook.md stand for them, {phrasebook-map} and
{phrasebook-surprises} for a list and a table that are made of them: the book puts them there before the page is read
(book/_ext/reference_pages.py).
"""

import hashlib
import json
import re
import tomllib

from publisher import ROOT
from tables import table

LIBRARIES = ("PyTorch", "Keras", "KerasHub", "Hugging Face")
# The name that a line is about, where it has one.
_CALLED = re.compile(r"\b(?:torch\.nn|keras\.layers|keras\.ops|keras_hub\.layers|F)\.(\w+)")
FOLDER = ROOT / "experiments" / "phrasebook"


def entries():
    """The layers and the conventions, each with its rows."""
    return tomllib.loads((FOLDER / "entries.toml").read_text(encoding="utf-8"))


def stored():
    """When every row was evaluated, with which versions, and what came out."""
    return json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))


def address(entry, row):
    """A row's key in what is stored; it changes with the row's lines."""
    lines = json.dumps([entry.get("prepare"), entry.get("same"), row], sort_keys=True)
    return f"{row['library']}/{hashlib.sha256(lines.encode()).hexdigest()[:12]}"


def layer_line(entry, row, answers):
    lines = [f"`{row[name]}`" for name in ("build", "call") if name in row]
    error = answers[address(entry, row)]
    within = "the same numbers" if error == 0 else f"the same within {error:.0e}".replace("e-0", "e-")
    note = f"; {row['note']}" if "note" in row else ""
    return f"- **{row['library']}** {', called '.join(lines)}: {within}{compared(entry, row)}{note}.{imports(row)}"


def compared(entry, row):
    """Our layer and its call where they are not the entry's own."""
    lines = [*re.findall(r"(?m)^ours = (.+)$", row.get("ours", "")), row.get("same", entry["own"])]
    shown = [f"`{line}`" for line in lines if line != entry["own"]]
    return f" as {', called '.join(shown)}" if shown else ""


def imports(row):
    """Where a line's names are from, if the library doesn't give them at its top."""
    lines = [f"`{line}`" for line in row.get("prepare", "").splitlines() if line.startswith("from ")]
    return f" {', '.join(lines)}" if lines else ""


def convention_line(entry, row, answers):
    assert answers[address(entry, row)] is True, f"{entry['name']}: {row['library']} does not hold"
    return f"- **{row['library']}** `{row['code']}`: {row['says']}.{imports(row)}"


def target(entry):
    """What a link to an entry's section names."""
    return "phrase-" + re.sub(r"\W+", "-", entry["name"].lower()).strip("-")


def last_name(line):
    """`MultiheadAttention` of `torch.nn.MultiheadAttention(D, H)`."""
    return "`" + re.match(r"[\w.]+", line)[0].split(".")[-1] + "`"


def layer_map(listed):
    """A line per layer: what it is called here and in each library that has it."""
    lines = []
    for entry in listed["layer"]:
        called = {row["library"]: last_name(row.get("build", row.get("call"))) for row in entry["row"]}
        named = [
            f"ours {last_name(entry['own'])}",
            *(f"**{name}** {called[name]}" for name in LIBRARIES if name in called),
        ]
        lines += [f"- {{ref}}`{entry['name']} <{target(entry)}>`: {', '.join(named)}"]
    return "\n".join(lines)


def surprises(listed):
    """The answers in bold, by library."""
    rows = []
    for library in LIBRARIES:
        for entry in listed["convention"]:
            link = f"{{ref}}`{entry['name']} <{target(entry)}>`"
            for row in entry["row"]:
                if row["library"] == library and "**" in row["says"]:
                    name = _CALLED.search(row["code"])
                    told = f"`{name[1]}`: " if name and f"`{name[1]}`" not in row["says"] else ""
                    rows += [[library, link, told + row["says"]]]
    return table(["In", "Question", "Answer"], rows)


def section(kind, entry, answers):
    """The Markdown of one entry."""
    lines = [f"({target(entry)})=", f"### {entry['name']}", f"% search: {entry['search']}", ""]
    if kind == "layer":
        lines += [f"- **Ours** `{entry['own']}`"]
    line = layer_line if kind == "layer" else convention_line
    return "\n".join([*lines, *(line(entry, row, answers) for row in entry["row"]), ""])


TABLES = {"map": layer_map, "surprises": surprises}


def with_phrases(text):
    """A page's text with the entries in place of the lines that stand for them, and the date and versions."""
    if "{phrasebook" not in text:
        return text
    told, listed = stored(), entries()
    named = told["versions"].items()
    versions = ", ".join(f"{name} {version}" for name, version in named).replace("Face ", "Face transformers ")
    text = text.replace("{phrasebook-versions}", f"{versions} on {told['date']}")

    def put(match):
        if match[1] in TABLES:
            return TABLES[match[1]](listed)
        return "\n".join(section(match[1], entry, told["answers"]) for entry in listed[match[1]])

    return re.sub(r"(?m)^```\{phrasebook-(\w+)\}\n```$", put, text)
