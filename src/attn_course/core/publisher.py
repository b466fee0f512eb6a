"""Where the course is published, and how it is installed from there."""

import importlib.metadata


def repository_url():
    """The publisher's repository: `[project.urls]` of the installed package."""
    for entry in importlib.metadata.metadata("attn-course").get_all("Project-URL", []):
        label, _, url = entry.partition(", ")
        if label == "Repository":
            return url
    raise RuntimeError(
        "the installed package names no Repository in [project.urls] of pyproject.toml"
    )


def requirement(extra=""):
    """What pip installs the package from: its repository, or a copy without an address.

    extra: ``[torch]``, ``[tf]``, ``[all]``, or none.
    """
    url = repository_url()
    if "/OWNER/" in url:  # stands there until the course is published
        return f'".{extra}" in the folder of your copy of the course'
    return f'"attn-course{extra} @ git+{url}"'


def install_command(extra):
    """The pip command for this package with an extra: ``torch``, ``tf`` or ``all``."""
    return f"pip install {requirement(f'[{extra}]')}"
