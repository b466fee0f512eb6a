"""The pages of the package, one a topic of the catalog, as Markdown. `make derived` writes them into book/api.

The line LISTED of book/api.md stands for the list of all topics. In the notebooks it stands for their sections: the
labels are looked up there (tools/mystmd), and each has its place in the list. The package is not imported.
"""

import ast
import functools
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "attn_course"
ROOMS = ("core", "mechanisms", "mechanisms/parts", "models")
EXAMPLES = ROOT / "examples" / "topics" / "pytorch.py"  # a function a topic, in PyTorch
# How what they use of PyTorch reads in TensorFlow.
IN_TF = (
    (r"import torch", "import tensorflow as tf"),
    (r"attn_course\.pytorch", "attn_course.tf"),
    (r"torch\.tensor\(", "tf.constant("),
    (r"torch\.randn\(([^()]*)\)", r"tf.random.normal((\1))"),
    (r"torch\.allclose\((\w+), (\w+), atol=([\w-]+)\)", r"tf.reduce_max(tf.abs(\1 - \2)) < \3"),
    (r"\((\w+(?:\[[^]]*\])?) > 0\)\.sum\(\)", r"tf.math.count_nonzero(\1)"),
    (r"\((\w+)\.sum\(-1\) < 1\)\.all\(\)", r"tf.reduce_all(tf.reduce_sum(\1, -1) < 1)"),
    (r"\(([^()]+)\)\.abs\(\)\.max\(\)", r"tf.reduce_max(tf.abs(\1))"),
    (r"(\w+)\.abs\(\)\.max\(\)", r"tf.reduce_max(tf.abs(\1))"),
    (r"\.eval\(\)|\.requires_grad_\(False\)", ""),
)
LISTED = "```{api-topics}\n```"
# What the search should find a topic by, beside the words of its section.
SEARCH = {
    "gated": "QK-norm, qk norm, sink softmax, output gate, gated attention",
    "paged": "BlockPool, block table, free list, fork, copy on write",
    "serving": "continuous batching, chunked prefill, prefix cache, preemption, scheduler, inference server",
    "quantized": "KV cache quantization, int8, int4, KIVI, Hadamard rotation, QuaRot",
    "speculative": "speculative sampling, draft model, prompt lookup, n-gram",
}


def folder(topic):
    """Where a topic stands."""
    return next(path for room in ROOMS if (path := SOURCE / room / topic).joinpath("__init__.py").exists())


def topics():
    """The topics of the catalog, in its order."""
    tree = ast.parse((SOURCE / "catalog.py").read_text(encoding="utf-8"))
    (listed,) = [x.value for x in tree.body if isinstance(x, ast.Assign) and ast.unparse(x.targets[0]) == "TOPICS"]
    return [name.id for name in listed.elts]


def label(topic):
    return f"api-{topic.replace('_', '-')}"


def declaration(topic):
    """The tree of a topic's package: its docstring, and what it declares."""
    return ast.parse((folder(topic) / "__init__.py").read_text(encoding="utf-8"))


def overview(topic):
    """The docstring of a topic's package without its first line: formula, arguments, parameters, source."""
    return ast.get_docstring(declaration(topic)).partition("\n")[2].strip("\n")


def told(topic):
    """Title, sentence and chapters of a topic."""
    tree = declaration(topic)
    title, colon, sentence = ast.get_docstring(tree).splitlines()[0].partition(": ")
    if not colon or not sentence.endswith("."):
        raise ValueError(f'{topic}: the docstring must begin with "Title: sentence."')
    chapters = [x.value.value for x in ast.walk(tree) if isinstance(x, ast.keyword) and x.arg == "chapter"]
    return title, f"{sentence[0].upper()}{sentence[1:]}", list(dict.fromkeys(chapters))


def example(topic, face):
    """The lines of a topic's example in a framework, as its page shows them; none where it has none."""
    return examples(face).get(topic, [])


@functools.cache
def examples(face):
    """By topic; the body of a function begins below its one line of `def`."""
    text = EXAMPLES.read_text(encoding="utf-8")
    for torch, tf in IN_TF if face == "tf" else ():
        text = re.sub(torch, tf, text)
    found = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]
    return {one.name: [line[4:] for line in text.splitlines()[one.lineno : one.end_lineno]] for one in found}


def section(topic, head="##", up=""):
    """The Markdown of a topic: a section, or with a head of "#" a page, from which chapters lie one folder up."""
    title, sentence, chapters = told(topic)
    text = sentence + "".join(f" {{doc}}`{up}{chapter}`." for chapter in chapters)
    words = [f"% search: {SEARCH[topic]}"] if topic in SEARCH else []
    return "\n".join(
        [f"({label(topic)})=", f"{head} {title}", *words, "", text, "", f"```{{api-topic}} {topic}", "```", ""]
    )


def sections():
    return "\n".join(section(topic) for topic in topics())


def with_sections(text):
    """A page's text with every section in place of the line, if it has the line."""
    return text.replace(LISTED, sections()) if LISTED in text else text


def pages(root=ROOT):
    """The file of every topic's page, and its text, which begins with what it is made from."""
    found = {}
    for topic in topics():
        made = f"% Made by `make derived`; edit {(folder(topic) / '__init__.py').relative_to(ROOT)}."
        found[root / "book" / "api" / f"{topic}.md"] = f"{made}\n\n{section(topic, '#', '../')}"
    return found


def stale(root=ROOT):
    """The pages that are not what the topics say: path, and text, or None where no topic is left."""
    wanted = pages(root)
    left = {path: None for path in (root / "book" / "api").glob("*.md") if path not in wanted}
    return left | {
        path: text for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    }


def write(root=ROOT):
    (root / "book" / "api").mkdir(exist_ok=True)
    for path, text in stale(root).items():
        if text is None:
            path.unlink()
        else:
            path.write_text(text, encoding="utf-8")
