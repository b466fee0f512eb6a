"""The rules that a chapter keeps, as functions that return complaints: RULES has those of a page, CELL_RULES of a cell.

    python tools/page_rules.py 04    complaints about book/04_*.md, its words, cells and claims

tests/book runs `complaints` over the chapters; docs/chapters.md lists the rules.
"""

import ast
import builtins
import re
import symtable
import sys
from pathlib import Path

from chapters import code_cells, read_source, sources, tags
from execute import IGNORED
from marks import FRAMEWORKS, framework_of
from mystmd.blocks import parse
from nbformat import NotebookNode

# The words before the colon, in their order: the story first, what is looked up last.
HEADINGS = ("The idea", "Part", "By hand", "The formula", "The code", "The methods", "The reason", "Masks")
HEADINGS += ("What it looks at", "Put to work", "What it costs", "Where it breaks", "On your GPU", "Exercises")
HEADINGS += ("Summary", "More", "Look it up")
REQUIRED = ("The idea", "By hand", "Where it breaks", "Exercises", "Summary", "Look it up")
ONE_METHOD = ("The formula", "The code")  # several stand in "The methods"
# A project is built in parts, "## Part 1: ...", in place of By hand, methods and exercises.
PROJECT = ("The idea", "Part", "Put to work", "Where it breaks", "Summary", "Look it up")
MOST_HOOK = 75  # words before the figure
MOST_WORDS, MOST_CELLS, MOST_LINES, MOST_MODEL_LINES = 2_500, 30, 15, 30
TAB_COLUMNS, COLUMNS = 76, 80
TAGS = {"tab-torch", "tab-tf", "check", "both", "trained", "package", "exercise", "solution", "hide-input"}
TAGS |= {"record", "remove-cell", "remove-output", "remove-input", "raises-exception", IGNORED}
FOLDED = {"check", "package", "record", "exercise", "solution", "hide-input", "remove-cell", "remove-input"}
MOST_IGNORED = 0.20
MAGIC = re.compile(r"(?m)^(\s*)[%!].*$")
_NAMES = re.compile(
    r"(?i:\b(pytorch|tensorflow|keras|torch|attn_torch|attn_tf)\b)|\b(tf|nn)\.|\b\w+_(torch|tf)\b|\bimport tf\b"
)
_TRAINS = re.compile(r"\.backward\(|GradientTape|\.apply_gradients\(|\.fit\(|def train")
# A record was made in one framework or in both; whoever reads either page is told which.
_RECORD = re.compile(r"[Rr]ecorded in (NumPy|(PyTorch|TensorFlow)( and TensorFlow)?)\b")
_ADDRESS = re.compile(r"\]\([^)]*\)|\{[\w:]+\}`[^`]*`|https?://\S+|\([\w-]+\)=")


def text_of(path: Path) -> str:
    """The chapter's text without its front matter."""
    return re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)


def tree(cell: NotebookNode) -> ast.Module:
    """The cell's code; lines that only IPython understands count as `pass`."""
    return ast.parse(MAGIC.sub(r"\1pass", cell.source))


def leftover_faults(text: str) -> list[str]:
    """Sentences of the skeleton that nobody has replaced."""
    return [f"still to be written: {line.strip()!r}" for line in text.splitlines() if "TODO" in line]


def ignored_share(chapters: list[Path]) -> tuple[int, int]:
    """How many of the code cells nbval does not compare, and how many there are."""
    cells = [cell for path in chapters for cell in code_cells(read_source(path))]
    return sum(IGNORED in tags(cell) for cell in cells), len(cells)


def complaints(path: Path) -> list[str]:
    """All complaints about one chapter."""
    text, notebook = text_of(path), read_source(path)
    found = [fault for rule in RULES for fault in rule(text)]
    found += [f"{where}: {fault}" for where, cell in _numbered(notebook) for rule in CELL_RULES for fault in rule(cell)]
    return found + [fault for rule in NOTEBOOK_RULES for fault in rule(notebook)]


def heading_faults(text: str) -> list[str]:
    """H2s: a fixed word, a colon and a claim, in their order."""
    tokens, faults, words = parse(text), [], []
    titles = [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open" and t.tag == "h2"]
    for title in titles:
        word, colon, claim = title.partition(":")
        if number := re.fullmatch(r"Part (\d+)", word):
            if int(number[1]) != words.count("Part") + 1:
                faults.append(f"'## {title}' is part {words.count('Part') + 1}")
            word = "Part"
        if word not in HEADINGS:
            faults.append(f"'## {title}' does not begin with one of: {', '.join(HEADINGS)}")
        elif not (colon and claim.strip()):
            faults.append(f"'## {title}' says nothing of its own: a colon and a claim follow")
        words.append(word)
    one_method = () if "The methods" in words else ONE_METHOD
    wanted = PROJECT if "Part" in words else (*REQUIRED, *one_method)
    faults += [f"no heading '## {word}: ...'" for word in wanted if word not in words]
    shown = [word for number, word in enumerate(words) if word != "Part" or words[number - 1] != "Part"]
    known = [HEADINGS.index(word) for word in shown if word in HEADINGS]
    if known != sorted(set(known)):
        faults.append(f"the headings stand in another order, or twice: {words}")
    return faults


def story_faults(text: str) -> list[str]:
    """A hook, a figure to drag, perhaps a guess, three questions; then the story, each section leading to the next."""
    head, *parts = re.split(r"(?m)^## ", text)
    hook, figure, behind = re.split(r"(?m)^```\{code-cell\}", head + 2 * "```{code-cell}\n", maxsplit=2)[:3]
    faults, project = [], any(part.startswith("Part ") for part in parts)
    hook = re.sub(r"(?m)^%.*\n", "", hook)  # what is said to the search is not read
    if (count := len(re.findall(r"\w[\w'’-]*", hook.partition("\n# ")[2]))) > MOST_HOOK:
        faults.append(f"the hook has {count} words, at most {MOST_HOOK}")
    if ":::{guess}" in hook:
        faults.append("the guess stands before the figure that it is about")
    if not re.search(r"(?m)^(explore|live)\w*\(", figure):
        faults.append("the head's first cell is no figure to drag: explore...( or live_...(")
    before = re.search(r"(?ms)^(:{4,})\{dropdown\} Before you start.*?^\1\s*$", figure + behind)
    if before is None:
        faults.append("the head has no fold '::::{dropdown} Before you start: ...'")
    elif len(re.findall(r"(?m)^:::\{dropdown\} \d", before[0])) != 3:
        faults.append("'Before you start' holds three questions")
    said = "to beat" if project else "use this when"
    if said not in re.split(r"(?m)^## Summary", text)[-1].lower():
        faults.append(f"the summary does not say '{said}'")
    for part in parts:
        name, last = part.partition(":")[0], _prose(part, *FRAMEWORKS, "dropdown").strip().splitlines()[-1:]
        told = name in HEADINGS[: HEADINGS.index("Exercises")]
        if told and (not last or re.match(r"[|>#-]", last[0])):
            faults.append(f"'## {name}' does not end in a sentence that leads on")
    return faults


def _told(text: str) -> str:
    """What stands open on the page: the card and "More" are folded."""
    return re.sub(r"(?ms)^## (More|Look it up)\b.*?(?=^## |^:::\{bibliography|\Z)", "", text)


def head_faults(text: str) -> list[str]:
    """Before the first H2: minutes to read and to run."""
    head = re.split(r"(?m)^## ", text, maxsplit=1)[0]
    wanted = {
        r"\d+\s+min(utes?)?\s+to\s+read\b": "'N minutes to read'",
        r"\d+\s+(s|seconds|min(utes?)?)\s+to\s+run\b": "'N s to run'",
    }
    faults = [f"the head does not say {what}" for form, what in wanted.items() if not re.search(form, head)]
    if not re.search(r"(?m)^(:{3,}|`{3,})\{bibliography\}", text):
        faults.append("no {bibliography} directive at the end")
    return faults


def _prose(text: str, *left_out: str) -> str:
    """The text without code cells and without the blocks of these names, such as "dropdown"."""
    lines = text.splitlines()
    for token in parse(text):
        if token.type in ("fence", "colon_fence"):
            name = re.match(r"\{([\w:-]+)\}", token.info.strip())
            if name is None or name[1] in ("code-cell", "bibliography", *left_out):
                lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
        elif token.type in ("math_block", "math_block_label", "myst_line_comment", "amsmath"):
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    inner = rf"(?ms)^[ ]*(:{{3,}})\{{(?:{'|'.join(left_out)})\}}.*?^[ ]*\1[ ]*$"  # inside another block
    return re.sub(inner, "", "\n".join(lines)) if left_out else "\n".join(lines)


def prose_faults(text: str) -> list[str]:
    """A framework is named in its own prose alone."""
    faults = []
    for line in _prose(text, *FRAMEWORKS).splitlines():
        if match := _NAMES.search(_RECORD.sub("", _ADDRESS.sub("", line))):
            faults.append(f"{match[0]!r} outside :::{{torch}} and :::{{tf}}: {line.strip()[:70]!r}")
    return faults


def words(text: str) -> int:
    """The words that a reader of one framework meets outside folds; a formula counts as one."""
    text, counts = _told(text), []
    for other in FRAMEWORKS:
        prose = re.sub(r"(?m)^\s*:{3,}.*$", "", _prose(text, other, "dropdown"))
        prose = re.sub(r"\$[^$]+\$", "x", _ADDRESS.sub("", prose))
        counts.append(len(re.findall(r"\w[\w'’.-]*", prose)))
    return max(counts)


def visible(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells that stand open on the page."""
    found, folded = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"(?m)^## (.*)", cell.source):
                folded = heading.startswith(("More:", "Look it up:"))
        elif not folded and not FOLDED & set(tags(cell)):
            found.append(cell)
    return found


def word_faults(text: str) -> list[str]:
    count = words(text)
    return [f"{count} words outside folds, at most {MOST_WORDS}"] if count > MOST_WORDS else []


def count_faults(notebook: NotebookNode) -> list[str]:
    count = len(visible(notebook))
    return [f"{count} visible code cells, at most {MOST_CELLS}"] if count > MOST_CELLS else []


def _numbered(notebook: NotebookNode):
    """Where each code cell stands, and the cell."""
    cells = enumerate(code_cells(notebook), start=1)
    return [(f"code cell {number} ({cell.source.partition(chr(10))[0][:40]!r})", cell) for number, cell in cells]


def tag_faults(cell: NotebookNode) -> list[str]:
    return [f"the tag {tag} is not known" for tag in sorted({*tags(cell)} - TAGS)]


def size_faults(cell: NotebookNode) -> list[str]:
    """A cell is short, and its lines are; a model or a loop that trains one may be longer."""
    found, lines = set(tags(cell)), cell.source.splitlines()
    model = _TRAINS.search(cell.source) or any(isinstance(node, ast.ClassDef) for node in ast.walk(tree(cell)))
    most = MOST_MODEL_LINES if model or found & {"solution", "check"} else MOST_LINES
    columns, longest = TAB_COLUMNS if framework_of(cell) else COLUMNS, max(map(len, lines), default=0)
    faults = [f"a line of {longest} characters, at most {columns}"] if longest > columns else []
    if len(lines) > most and not found & {"hide-input", "remove-cell"}:
        faults.append(f"{len(lines)} lines, at most {most}")
    return faults


def neutral_faults(cell: NotebookNode) -> list[str]:
    """No framework in a cell that all share, nor in its caption."""
    if framework_of(cell) or "both" in tags(cell):
        return []
    settings = cell.metadata.get("mystnb", {})
    shown = settings.get("figure", {}).get("caption", "") + " " + settings.get("image", {}).get("alt", "")
    faults = [f"it has no tab and names {match[0]!r}"] if (match := _NAMES.search(cell.source)) else []
    if match := _NAMES.search(_RECORD.sub("", shown)):
        faults.append(f"caption and text of an untagged figure name no framework, here {match[0]!r}")
    return faults


def check_faults(cell: NotebookNode) -> list[str]:
    """Asserts stand in check cells. A check begins with its claim, can fail, and prints nothing."""
    nodes = [*ast.walk(tree(cell))]
    asserted = [node.test for node in nodes if isinstance(node, ast.Assert)]
    if "check" not in tags(cell):
        return ["an assert belongs in a cell tagged check"] if asserted else []
    faults = [] if re.match(r"# ?\S", cell.source) else ["a check begins with its claim, a comment"]
    called = [ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)]
    if {"print", "display"} & set(called):
        faults.append("a check prints nothing")
    never = ast.Constant | ast.Tuple  # `assert (x, "message")` is always true
    if all(isinstance(test, never) for test in asserted) and not re.search(r"\b(check|assert_)\w*", " ".join(called)):
        faults.append("the check asserts nothing that can fail")
    return faults


def package_faults(cell: NotebookNode) -> list[str]:
    shows = re.search(r"(?m)^(\w+\.)?source\(", cell.source) and "package" not in tags(cell)
    return ["source(...) belongs in a cell tagged package"] if shows else []


def training_faults(notebook: NotebookNode) -> list[str]:
    """What is not compared is checked: by a later cell, in its framework, that uses a name from it."""
    faults, cells = [], _numbered(notebook)
    for place, (where, cell) in enumerate(cells):
        if IGNORED in tags(cell):
            later = [one for _, one in cells[place + 1 :] if "check" in tags(one)]
            used = {name for one in later if framework_of(one) == framework_of(cell) for name in names(one)[1]}
            if not names(cell)[0] & used:
                faults.append(f"{where}: {IGNORED}, and no check after it, in its framework, uses a name of it")
    return faults


def hidden_faults(notebook: NotebookNode) -> list[str]:
    """What an open cell uses can be opened on the page too."""
    faults: list[str] = []
    hidden: dict[str, str] = {}  # a name, and the cell that alone defines it
    for where, cell in _numbered(notebook):
        bound, read = names(cell)
        if {"remove-cell", "remove-input"} & set(tags(cell)):
            hidden |= dict.fromkeys(bound, where)
            continue
        if not FOLDED & set(tags(cell)):
            used = sorted(read & hidden.keys())
            faults += [f"{where} uses {name!r}, which only {hidden[name]} says: tag that hide-input" for name in used]
        hidden = {name: place for name, place in hidden.items() if name not in bound}
    return faults


def card_cells(notebook: NotebookNode, framework: str) -> list[NotebookNode]:
    """The cells of the card that somebody runs who has this framework alone."""
    found, inside = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            for heading in re.findall(r"(?m)^## (.*)", cell.source):
                inside = heading.startswith("Look it up:")
        elif inside and not {"both", *(f"tab-{other}" for other in FRAMEWORKS if other != framework)} & set(tags(cell)):
            found.append(cell)
    return found


def names(cell: NotebookNode) -> tuple[set[str], set[str]]:
    """The global names that a cell binds, and those that it reads without binding them."""
    bound, read, tables = set(), set(), [symtable.symtable(MAGIC.sub(r"\1pass", cell.source), "cell", "exec")]
    for table in tables:  # it grows: functions, classes and comprehensions have tables of their own
        tables += table.get_children()
        for symbol in table.get_symbols():
            top = table.get_type() == "module"
            if top and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
            elif symbol.is_referenced() and (top or symbol.is_global()):
                read.add(symbol.get_name())
    return bound, read - bound


def card_faults(notebook: NotebookNode) -> list[str]:
    """Names that the card reads and neither it nor the page's first cell binds."""
    faults = []
    for framework in FRAMEWORKS:
        known = {*dir(builtins), *names(code_cells(notebook)[0])[0]}
        for cell in card_cells(notebook, framework):
            bound, read = names(cell)
            if missing := sorted(read - known):
                first = cell.source.splitlines()[0][:40]
                faults.append(f"the card's cell {first!r} uses {', '.join(missing)}, bound outside the card")
            known |= bound
    return list(dict.fromkeys(faults))


def record_faults(text: str) -> list[str]:
    """A section that shows a stored record says in which framework it was made."""
    faults = []
    held: dict[str, str] = {}  # a variable, and the record in it
    for section in re.split(r"(?m)^(?=#{2,3} )", text):
        cells = _open_cells(section)
        found = re.findall(r'(?m)^[^#\n]*load_record\("(\w+)"\)', cells)
        found += [record for name, record in held.items() if re.search(rf"(?<![\w.\"]){name}\[", cells)]
        for name in dict.fromkeys(found):
            if not _RECORD.search(section):
                title = section.partition("\n")[0]
                faults.append(f"{title!r} shows the record {name!r} without '(Recorded in PyTorch.)', or what made it")
        for name, made in re.findall(r"(?m)^(\w+) = (.*)", cells):
            held.pop(name, None)
            if record := re.fullmatch(r'load_record\("(\w+)"\)', made):
                held[name] = record[1]
    return faults


def _open_cells(section: str) -> str:
    """The framework-free cells of a section that are no checks."""
    cells = re.findall(r"(?ms)^```\{code-cell\} ipython3\n(.*?)^```$", section)
    return "\n".join(cell for cell in cells if not re.search(r"tags: \[.*(tab-|check)", cell))


RULES = (heading_faults, story_faults, head_faults, prose_faults, word_faults, record_faults)
CELL_RULES = (tag_faults, size_faults, neutral_faults, check_faults, package_faults)
NOTEBOOK_RULES = (count_faults, training_faults, hidden_faults, card_faults)


def main(selected: list[str]) -> int:
    """Print the complaints about the selected chapters, and what a budget applies to."""
    faults = 0
    for path in sources(selected=selected):
        notebook, found = read_source(path), complaints(path)
        kinds = [set(tags(cell)) for cell in code_cells(notebook)]
        claims, ignored = (sum(tag in kind for kind in kinds) for tag in ("check", IGNORED))
        shown = f"{words(text_of(path))} words, {len(visible(notebook))} visible of {len(kinds)} code cells"
        print(f"{path.name}: {shown}, {claims} claims, {ignored} cells not compared")
        print("".join(f"  {fault}\n" for fault in found), end="")
        faults += len(found)
    return min(faults, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
