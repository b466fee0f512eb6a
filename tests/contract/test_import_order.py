"""What linters can't say of the package: twins, packages without a framework, slices; read from syntax trees."""

import ast
from pathlib import Path

import pytest

import attn_course

SOURCE = Path(attn_course.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
TWINS = {"reference", "pytorch", "tf"}


def parts_of(path):
    """The module's name below ``attn_course``, as a tuple; a package without ``__init__``."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts


MODULES = {parts_of(path) for path in FILES}


def imports_of(tree, package):
    """All modules that the tree imports, also inside functions, as absolute dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                lead = package[: len(package) - node.level + 1]
                base = ".".join((*lead, base)) if base else ".".join(lead)
            yield base
            # ``from attn_course.mechanisms.dot_product import tf`` imports a module too
            yield from (f"{base}.{alias.name}" for alias in node.names)


def ours(path):
    """What a file imports of the package, as the parts of existing modules."""
    package = ("attn_course", *parts_of(path))
    if path.name != "__init__.py":
        package = package[:-1]
    names = imports_of(ast.parse(path.read_text(encoding="utf-8")), package)
    found = {tuple(name.split(".")[1:]) for name in names if name.split(".")[0] == "attn_course"}
    return {parts for parts in found if parts in MODULES and parts}


TWIN_FILES = [path for path in FILES if path.stem in TWINS]
FOREIGN = {"pytorch": {"tensorflow", "keras"}, "tf": {"torch"}, "reference": {"torch", "tensorflow", "keras"}}
DOOR = {f"attn_course.frameworks.{name}": {"tf": "tensorflow"}.get(name, name) for name in ("torch", "keras", "tf")}


def frameworks_in(names):
    """The frameworks among the imported names, also those that come through our door, ``attn_course.frameworks``."""
    return {DOOR.get(name, name.split(".")[0]) for name in names} & {"torch", "tensorflow", "keras"}


def test_twins_import_only_their_own_kind():
    """pytorch.py may import another topic's pytorch.py, never a tf.py or reference.py; and so on."""
    wrong = {path: {parts for parts in ours(path) if parts[-1] in TWINS - {path.stem}} for path in TWIN_FILES}
    assert len(wrong) > 100 and not {path: found for path, found in wrong.items() if found}


def test_twins_name_no_foreign_framework():
    for path in TWIN_FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = set(imports_of(tree, ("attn_course", *parts_of(path)[:-1])))
        assert not FOREIGN[path.stem] & frameworks_in(names), path


def test_a_package_imports_no_framework():
    packages = [path for path in FILES if path.name == "__init__.py"]
    for path in packages:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # At its top alone: a function may.
        top = ast.Module([node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)], [])
        assert not frameworks_in(imports_of(top, ("attn_course", *parts_of(path)))), path
    assert len(packages) > 50


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from ..masks import x", "attn_course.masks"),
        ("from . import tf", "attn_course.topic.tf"),
        ("def f():\n    import attn_course.topic.tf", "attn_course.topic.tf"),
        ("from attn_course.topic import reference", "attn_course.topic.reference"),
    ],
)
def test_the_reader_sees_every_kind_of_import(line, found):
    assert found in set(imports_of(ast.parse(line), ("attn_course", "topic")))


def strides(tree):
    """The lines of slices that leave elements out."""
    steps = [
        (node.lineno, ast.unparse(node.step)) for node in ast.walk(tree) if isinstance(node, ast.Slice) and node.step
    ]
    return [line for line, step in steps if step != "-1"]


@pytest.mark.parametrize("path", [path for path in TWIN_FILES if path.stem == "tf"], ids=lambda path: path.parent.name)
def test_nothing_is_left_out_by_a_slice_in_tensorflow(path):
    """Such a slice takes 20 times as long as ``chunked.by_turns``, its gradient too."""
    assert strides(ast.parse(path.read_text(encoding="utf-8"))) == []


def test_a_slice_that_leaves_out_is_found():
    assert strides(ast.parse("x[..., 1::2] + x[::-1] + x[a:b] + x[:, ::n]")) == [1, 1]
