"""`tools/repository.py` leaves no old address behind, and badge and install cell name one ref."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from chapters import read_notebook
from publisher import ROOT, UNSET, authors, make_publisher, publisher
from repository import main, move, read_text, rewrite, text_files

NEW = "https://github.com/new-org/other.name"


def git(root, *arguments):
    subprocess.run(["git", "-c", "core.hooksPath=", *arguments], cwd=root, check=True, capture_output=True)


def addresses(root, old):
    """The files that still hold the old repository's address."""
    slug, pages = f"{old.org}/{old.name}".lower(), f"{old.org}.github.io/{old.name}".lower()
    texts = {path: (read_text(path) or "").lower() for path in text_files(root)}
    return [path.name for path, text in texts.items() if slug in text or pages in text]


def names_of(notebook):
    """Repository and ref of the badge, and of the install cell."""
    text = "\n".join(cell.source for cell in notebook.cells)
    badge = re.search(r"\(https://colab\.research\.google\.com/github/([^/]+/[^/]+)/blob/(.+?)/book/", text)
    install = re.search(r"git\+https://github\.com/([^/]+/[^@]+)@([^\"]+)\"", text)
    return badge.groups(), install.groups()


def test_no_old_address_is_left_and_notebooks_name_one_ref(tmp_path):
    """On a copy of this repository's files under git, without its history."""
    for path in text_files(ROOT):
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    old, notebooks = publisher(tmp_path), sorted((tmp_path / "book").glob("*.ipynb"))
    assert addresses(tmp_path, old), "the check itself finds nothing"
    assert {names_of(read_notebook(path)) for path in notebooks} == {((old.slug, old.ref),) * 2}
    move(tmp_path, NEW, "v9.9")
    assert publisher(tmp_path) == make_publisher(NEW, "v9.9")
    assert addresses(tmp_path, old) == []
    assert {names_of(read_notebook(path)) for path in notebooks} == {(("new-org/other.name", "v9.9"),) * 2}


def test_what_a_copy_without_an_address_says_is_taken_out(small):
    """By the first address alone; the rest of the page stays."""
    git(small, "init", "-q")
    project, page = small / "pyproject.toml", small / "book" / "a.md"
    text = project.read_text(encoding="utf-8").replace(publisher(small).org, UNSET)
    project.write_text(text, encoding="utf-8")
    told = "<!-- until the course has an address -->\nNo address yet.\n\n<!-- until then -->\n\n"
    page.write_text(f"Before.\n\n{told}Between.\n\n{told}After.\n", encoding="utf-8")
    move(small, NEW, "v9.9")
    assert page.read_text(encoding="utf-8") == "Before.\n\nBetween.\n\nAfter.\n"
    if publisher(ROOT).org == UNSET:
        for name in ("README.md", "book/intro.md"):
            told = (ROOT / name).read_text(encoding="utf-8")
            assert told.count("<!-- until the course has an address -->") == told.count("<!-- until then -->") == 1


def test_an_address_for_mail(small):
    """Set, set again, and left alone; the package's metadata carries it."""
    git(small, "init", "-q")
    project = small / "pyproject.toml"
    shutil.copy(ROOT / "pyproject.toml", project)
    for email in ("a@example.org", "b.c@mail.example.org"):
        move(small, NEW, email=email)
        (author,) = tomllib.loads(project.read_text())["project"]["authors"]
        assert author == {"name": "attn_course authors", "email": email}
    before = project.read_bytes()
    move(small, NEW)
    assert project.read_bytes() == before
    assert main([NEW, "--email=nobody", f"--root={small}"]) == 2
    assert project.read_bytes() == before


def test_editors_are_named_in_the_citation_the_pages_the_package_and_the_readme(small):
    git(small, "init", "-q")
    for name in ("pyproject.toml", "CITATION.cff", "_config.yml", "book/intro.md"):
        shutil.copy(ROOT / name, small / name)
    names = ["Ada L. One", "Börje Two"]
    (small / "README.md").write_text("<!-- state -->\n<!-- end of state -->\n", encoding="utf-8")
    move(small, NEW, email="a@example.org", editors=", ".join(names))
    assert (
        (small / "README.md")
        .read_text(encoding="utf-8")
        .startswith("<!-- state -->\nEdited by Ada L. One, Börje Two ·")
    )
    text = {
        name: (small / name).read_text(encoding="utf-8") for name in ("CITATION.cff", "_config.yml", "book/intro.md")
    }
    listed = tomllib.loads((small / "pyproject.toml").read_text())["project"]["authors"]
    assert listed == [{"name": names[0], "email": "a@example.org"}, {"name": names[1]}]
    assert [author["name"] for author in yaml.safe_load(text["CITATION.cff"])["authors"]] == names
    assert authors(small) == ", ".join(names)  # in the feed, and on slides and figures
    assert yaml.safe_load(text["_config.yml"])["author"] == ", ".join(names)
    assert "  author = {{Ada L. One} and {Börje Two}},\n" in text["book/intro.md"]
    assert main([NEW, "--editors=One; {Two}", f"--root={small}"]) == 2


def test_the_bibtex_is_the_citation():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    entry = re.search(r"(?s)```bibtex\n(.*?)```", (ROOT / "book" / "intro.md").read_text(encoding="utf-8"))[1]
    names = " and ".join(f"{{{author['name']}}}" for author in cited["authors"])
    assert f"  author = {{{names}}},\n  title = {{{cited['title']}}}," in entry
    assert f"url = {{{publisher(ROOT).home_url}}}" in entry


def test_each_kind_of_address():
    old, new = make_publisher("https://github.com/a-b/src", "main"), make_publisher(NEW, "v2")
    cases = {
        "git+https://github.com/a-b/src@main": "git+https://github.com/new-org/other.name@v2",
        "git@github.com:a-b/src.git": "git@github.com:new-org/other.name.git",
        "https://github.com/a-b/src/blob/main/x.py": f"{NEW}/blob/v2/x.py",
        "https://github.com/a-b/src/issues, main": f"{NEW}/issues, main",
        "https://github.com/a-b/src.": f"{NEW}.",
        "https://raw.githubusercontent.com/a-b/src/main/x": (
            "https://raw.githubusercontent.com/new-org/other.name/v2/x"
        ),
        "https://img.shields.io/github/license/a-b/src": ("https://img.shields.io/github/license/new-org/other.name"),
        "https://a-b.github.io/src/book/x.html": "https://new-org.github.io/other.name/book/x.html",
        # not ours
        "https://github.com/a-b/src-2": "https://github.com/a-b/src-2",
        "https://github.com/a-b/src.x": "https://github.com/a-b/src.x",
        "https://github.com/a-b/src@main-2": f"{NEW}@main-2",
        "lib/a-b/src": "lib/a-b/src",
    }
    for text, wanted in cases.items():
        assert rewrite(text, old, new) == wanted


BAD = ["github.com/org/name", "https://gitlab.com/org/name", "https://github.com/org", "https://github.com/-org/name"]
BAD += [f"https://github.com/org/name{end}" for end in ("/", ".git", "?x")]
BAD_REFS = ["a b", "../x", 'x"']


@pytest.mark.parametrize(("url", "ref"), [*((url, "main") for url in BAD), *((NEW, ref) for ref in BAD_REFS)])
def test_bad_ones_are_refused(url, ref):
    with pytest.raises(ValueError, match=r"must be (written|the name)"):
        make_publisher(url, ref)


def test_the_tool_needs_python_alone(small):
    """Nothing that is installed is on the path: no environment is made for it."""
    git(small, "init", "-q")
    path = f"import sys; sys.path.insert(0, {str(ROOT / 'tools')!r})"
    program = f"{path}; import repository; sys.exit(repository.main({[NEW, '--root', str(small)]!r}))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and publisher(small).url == NEW, done.stderr
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("repository", "new-mechanism", "new-chapter", "new-exercise", "derived"):
        assert re.search(rf"(?m)^{target}: ##", makefile), "no environment comes before it"
