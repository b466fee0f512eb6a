"""Where the course is published: one reader of pyproject.toml for the book, the notebooks and the tools.

`[project.urls] Repository` and `[tool.attn_course] ref` are the only places where the address stands;
every other text that holds it is made from them (see repository.py).
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNSET = "OWNER"  # stands in the address of a copy that has no publisher yet
COLAB = "https://colab.research.google.com"
BRANCH = "notebooks"  # has the notebooks of one framework, in a folder for main and for each release

# Colab opens notebooks from GitHub alone, so no other host would give a working button.
_URL = re.compile(r"https://github\.com/([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]{1,100})")
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
RELEASE = re.compile(r"v\d+\.\d+\.\d+")  # the tag of a release, whose pages stay at an address of their own


@dataclass(frozen=True)
class Publisher:
    """The publisher's repository and what follows from it."""

    url: str  # https://github.com/ORG/NAME
    org: str
    name: str
    ref: str  # the branch or tag that the Colab button opens and the install cell installs

    @property
    def slug(self) -> str:
        """ORG/NAME, as Colab writes a repository."""
        return f"{self.org}/{self.name}"

    @property
    def home_url(self) -> str:
        """The newest published book, with a slash at the end."""
        return f"https://{self.org}.github.io/{self.name}/"

    @property
    def pages_url(self) -> str:
        """The published book of this ref, with a slash at the end: a release keeps its pages."""
        return f"{self.home_url}{self.ref}/" if RELEASE.fullmatch(self.ref) else self.home_url

    @property
    def install_spec(self) -> str:
        """The pip requirement that installs the package at the notebooks' version."""
        return f"attn-course[labs] @ git+{self.url}@{self.ref}"

    def colab_url(self, path: str) -> str:
        """Address that opens the file `path` of the repository (such as "book/01_x.ipynb") in Colab."""
        return f"{COLAB}/github/{self.slug}/blob/{self.ref}/{path}"

    def alone_url(self, name: str) -> str:
        """Address that opens a notebook of one framework in Colab, such as "01_x_torch.ipynb"."""
        return f"{COLAB}/github/{self.slug}/blob/{BRANCH}/{self.ref}/{name}"

    def file_url(self, path: str) -> str:
        """Address of the file `path` on GitHub."""
        return f"{self.url}/blob/{self.ref}/{path}"

    def raw_url(self, path: str) -> str:
        """Address of the file's content, such as a picture's."""
        return f"https://raw.githubusercontent.com/{self.slug}/{self.ref}/{path}"

    def page_url(self, document: str) -> str:
        """Published page of a source file without its extension, such as "book/01_x"."""
        return f"{self.pages_url}{document}.html"


def make_publisher(url: str, ref: str) -> Publisher:
    """Check the two settings and split the URL. Raises ValueError that says which form is expected."""
    match = _URL.fullmatch(url)
    if match is None or url.endswith((".git", ".")) or match[1].endswith("-"):
        raise ValueError(
            f"the repository must be written https://github.com/ORG/NAME (no .git, no slash at the end), got {url!r}"
        )
    if _REF.fullmatch(ref) is None or ".." in ref or ref.endswith(("/", ".", ".lock")):
        raise ValueError(f"ref must be the name of a branch or a tag, got {ref!r}")
    return Publisher(url=url, org=match[1], name=match[2], ref=ref)


def publisher(root: Path = ROOT) -> Publisher:
    """The settings in the pyproject.toml of the repository at `root`."""
    settings = _settings(root)
    return make_publisher(settings["project"]["urls"]["Repository"], settings["tool"]["attn_course"]["ref"])


def _settings(root: Path) -> dict:
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def version(root: Path = ROOT) -> str:
    """The package's version in the pyproject.toml of the repository at `root`; empty where it names none."""
    return _settings(root)["project"].get("version", "")


def description(root: Path = ROOT) -> str:
    """What the package says of itself in a sentence; empty where it says nothing."""
    return _settings(root)["project"].get("description", "")


def authors(root: Path = ROOT) -> str:
    """Who edits the course: the names in CITATION.cff, parted by commas."""
    return ", ".join(re.findall(r"(?m)^  - name: (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8")))


def unset(root: Path = ROOT) -> str:
    """What a copy without a publisher's address is told; empty where one is set."""
    if publisher(root).org != UNSET:
        return ""
    return (
        f"The publisher's address is not set ({publisher(root).url}): Colab buttons, install cells and links lead "
        "nowhere until make repository URL=https://github.com/ORG/NAME"
    )


if __name__ == "__main__":
    if told := unset():
        print(told)
