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


def install_command(extra):
    """The pip command for this package with an extra: ``torch``, ``tf`` or ``all``."""
    return f'pip install "attn-course[{extra}] @ git+{repository_url()}"'
