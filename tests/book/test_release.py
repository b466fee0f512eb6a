"""A release: what stands in its way, its tag beside the branch, its files, the site of all versions, the feed."""

import re
import subprocess
import zipfile
from xml.etree import ElementTree

import bundles
import packing
import pytest
from changes import changes, feed
from chapters import read_notebook
from notebooks import build
from publisher import ROOT, make_publisher, publisher, version
from release import main
from site_of_versions import assemble, collect

CHANGELOG = "# Changes\n\n## 7.8.9 - 2026-05-04\n\n- *New*: all.\n\n## 7.8.8 - 2026-01-02\n\n- Old.\n"
CITATION = 'cff-version: 1.2.0\nversion: 7.8.9\ndate-released: "2026-05-04"\n'


def git(root, *arguments):
    command = ["git", "-c", "core.hooksPath=", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def ready(form, monkeypatch):
    """A small repository, all of which is committed and of one version."""
    for name, value in (("AUTHOR", "A"), ("COMMITTER", "A")):
        monkeypatch.setenv(f"GIT_{name}_NAME", value)
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    (form / ".gitignore").write_text("_build/\n", encoding="utf-8")
    (form / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    (form / "CITATION.cff").write_text(CITATION, encoding="utf-8")
    build(form, [], run=False)
    git(form, "init", "-q", "-b", "main")
    git(form, "add", "-A")
    git(form, "commit", "-q", "-m", "all")
    return form


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("CHANGELOG.md", "## 7.8.9 - 2026-05-04", "## Unreleased", "CHANGELOG.md has no section '## 7.8.9 - YYYY"),
        ("CHANGELOG.md", " - 2026-05-04", "", "CHANGELOG.md has no section '## 7.8.9 - YYYY"),
        ("CITATION.cff", "7.8.9", "7.8.8", "CITATION.cff names another version or date"),
        ("CITATION.cff", "05-04", "05-05", "CITATION.cff names another version or date"),
        ("pyproject.toml", '"7.8.9"', '"7.9.0.dev0"', "the version is 7.9.0.dev0"),
        ("pyproject.toml", '"7.8.9"', '"7.8.8"', "book/02_average.ipynb is of another version"),
        ("pyproject.toml", "first-org", "OWNER", "the repository has no publisher"),
        ("pyproject.toml", '"main"', '"v7.8.9"', "the ref is v7.8.9"),
    ],
)
def test_what_does_not_agree_is_named(ready, change, capsys, name, old, new, said):
    change(ready / name, old, new)
    git(ready, "commit", "-q", "-a", "-m", "a change")
    assert main(["--root", str(ready), "tag"]) == 1
    assert said in capsys.readouterr().err
    assert git(ready, "tag") == "" and not (ready / "dist").exists()


def test_changed_files_and_an_old_tag_are_named(ready, capsys):
    (ready / "CHANGELOG.md").write_text(CHANGELOG + "\n", encoding="utf-8")
    git(ready, "tag", "v7.8.9")
    assert main(["--root", str(ready), "tag"]) == 1
    said = capsys.readouterr().err
    assert "files are changed and not committed" in said and "the tag v7.8.9 exists" in said


def test_the_tag_opens_itself_and_the_branch_goes_on(ready, monkeypatch, capsys):
    seen, alone = [], []

    def build_all(tree, out):
        seen.append((publisher(tree).ref, version(tree)))
        alone.extend(path.read_text(encoding="utf-8") for path in bundles.notebooks(tree)["notebooks-torch"])

    monkeypatch.setattr("release.build_all", build_all)
    before = git(ready, "rev-parse", "HEAD")
    assert main(["--root", str(ready), "tag"]) == 0
    assert "git push origin v7.8.9" in capsys.readouterr().out
    assert seen == [("v7.8.9", "7.8.9")], "its files are built at the tag"
    assert git(ready, "rev-parse", "HEAD") == before and publisher(ready).ref == "main"
    assert git(ready, "status", "--porcelain") == "" and git(ready, "rev-parse", "v7.8.9^") == before
    notebook = git(ready, "show", "v7.8.9:book/02_average.ipynb")
    assert "course/blob/v7.8.9/book/02_average.ipynb" in notebook and "course@v7.8.9" in notebook
    assert "course/blob/notebooks/v7.8.9/02_average_torch.ipynb" in alone[0] and "course@v7.8.9" in alone[0]
    for text in (notebook, *alone):
        assert "/main" not in text and "course@main" not in text
    # The tag's own tree passes the check that the workflow makes; another's does not.
    git(ready, "checkout", "-q", "v7.8.9")
    assert main(["--root", str(ready), "check", "v7.8.9"]) == 0
    assert main(["--root", str(ready), "check", "v7.8.8"]) == 1


def test_a_release_that_fails_leaves_nothing(ready, monkeypatch):
    def fail(tree, out):
        raise ValueError("no disk")

    monkeypatch.setattr("release.build_all", fail)
    assert main(["--root", str(ready), "tag"]) == 1
    assert git(ready, "tag") == "" and len(git(ready, "worktree", "list").splitlines()) == 1


def test_setting_the_version(ready, capsys):
    front = ready / "README.md"
    front.write_text("<!-- state -->\n<!-- end of state -->\n", encoding="utf-8")
    assert main(["--root", str(ready), "version", "8.0.0.dev0"]) == 0
    assert version(ready) == "8.0.0.dev0"
    assert (ready / "CITATION.cff").read_text(encoding="utf-8") == "cff-version: 1.2.0\n", "it was not released"
    assert "version 8.0.0.dev0, not released yet ·" in front.read_text(encoding="utf-8")
    for path in sorted((ready / "book").glob("*.ipynb")):
        assert '!= "8.0.0.dev0"' in read_notebook(path).cells[1].source
    assert main(["--root", str(ready), "version", "7.8.9"]) == 0
    assert (ready / "CITATION.cff").read_text(encoding="utf-8") == CITATION
    assert "version 7.8.9 of 2026-05-04 ·" in front.read_text(encoding="utf-8")
    assert main(["--root", str(ready), "version", "next"]) == 1
    assert "VERSION must be written 1.2.3" in capsys.readouterr().err


def test_no_release_is_claimed_that_was_not_made():
    """Nor does a version that is refused install anything."""
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    own = re.search(r"(?m)^version: (.*)$", cited)
    assert (own and own[1]) in {None, *(change.version for change in changes(ROOT) if change.date)}
    command = ["make", "--no-print-directory", "version", "VERSION=abc"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "VERSION must be written 1.2.3" in done.stderr and done.stdout == ""


def test_what_the_changelog_says(ready, capsys):
    assert [(change.version, change.date) for change in changes(ready)] == [
        ("7.8.9", "2026-05-04"),
        ("7.8.8", "2026-01-02"),
    ]
    assert main(["--root", str(ready), "notes"]) == 0
    assert capsys.readouterr().out == "- *New*: all.\n"


def test_the_feed(ready):
    here = publisher(ready)
    read = ElementTree.fromstring(feed("A book", here, changes(ready), "2026-01-01").partition("\n")[2])
    name = "{http://www.w3.org/2005/Atom}"
    assert read.findtext(f"{name}updated") == "2026-05-04T00:00:00Z"
    entries = read.findall(f"{name}entry")
    assert [entry.findtext(f"{name}title") for entry in entries] == ["Version 7.8.9", "Version 7.8.8"]
    assert entries[0].findtext(f"{name}id") == f"{here.url}/releases/tag/v7.8.9"
    assert "<em>New</em>" in entries[0].findtext(f"{name}content")
    empty = ElementTree.fromstring(feed("A book", here, [], "2026-01-01").partition("\n")[2])
    assert empty.findtext(f"{name}updated") == "2026-01-01T00:00:00Z" and not empty.findall(f"{name}entry")


def packed_book(folder, number, name=None):
    with zipfile.ZipFile(folder / f"attn_course-{number}-book.zip", "w") as archive:
        archive.writestr(name or f"v{number}/index.html", number)


def test_every_release_keeps_its_address(small, tmp_path):
    (small / "_build" / "html").mkdir(parents=True)
    (small / "_build" / "html" / "index.html").write_text("newest")
    (small / "_build" / "slides").mkdir()
    for number in ("0.9.0", "0.10.0"):
        packed_book(tmp_path, number)
    (tmp_path / "attn_course-0.9.0-slides.zip").touch()
    assert assemble(small, tmp_path) == ["v0.10.0", "v0.9.0"]
    site = small / "_build" / "site"
    assert (site / "slides").is_dir()
    assert (site / "index.html").read_text() == "newest" and (site / "v0.9.0" / "index.html").read_text() == "0.9.0"
    links = re.findall(r'href="([^"]+)"', (site / "versions.html").read_text())
    home = "https://first-org.github.io/course/"
    assert links == [home, f"{home}v0.10.0/", f"{home}v0.9.0/"]


@pytest.mark.parametrize("name", ["index.html", "v0.9.0/../../x", "/v0.9.0/x", "v0.9.1/index.html"])
def test_a_book_stays_in_its_folder(small, tmp_path, name):
    (small / "_build" / "html").mkdir(parents=True)
    (small / "_build" / "html" / "index.html").write_text("newest")
    packed_book(tmp_path, "0.9.0", name)
    with pytest.raises(ValueError, match="not in its folder"):
        assemble(small, tmp_path)


def test_the_branch_has_the_notebooks_of_every_version(ready, tmp_path):
    """What Colab opens for those of one framework: each badge leads to a file of it."""
    made = bundles.notebooks(ready)
    for kind in ("notebooks-torch", "notebooks-tf"):
        files = {f"{kind}/{path.name}": path for path in made[kind]} | {"../x.ipynb": b"", f"{kind}/../y.ipynb": b""}
        packing.pack(tmp_path / f"attn_course-0.9.0-{kind}.zip", files)
    branch = collect(ready, tmp_path)
    names = ["02_average_tf.ipynb", "02_average_torch.ipynb"]
    found = sorted(str(path.relative_to(branch)) for path in branch.rglob("*.*") if path.is_file())
    assert found == ["README.md", *(f"{ref}/{name}" for ref in ("main", "v0.9.0") for name in names)]
    for path in made["notebooks-tf"]:
        (address,) = re.findall(r"/blob/notebooks/(\S+?\.ipynb)\)", path.read_text(encoding="utf-8"))
        assert (branch / address).exists()


def test_pages_of_a_release_stand_at_its_own_address():
    here = make_publisher("https://github.com/an-org/course", "main")
    assert here.page_url("book/x") == "https://an-org.github.io/course/book/x.html"
    there = make_publisher("https://github.com/an-org/course", "v1.2.3")
    assert there.page_url("book/x") == "https://an-org.github.io/course/v1.2.3/book/x.html"
    assert there.home_url == here.home_url
