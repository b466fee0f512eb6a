"""What is installed is what the pins say, and nothing that a tool needs is missing."""

import importlib.metadata as metadata
import re

import pytest
from packaging.requirements import Requirement
from publisher import ROOT

PINS = dict(re.findall(r"(?m)^([\w.-]+)==([\w.+]+)", (ROOT / "requirements/clients.txt").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", PINS)
def test_it_is_here_with_what_it_needs(name):
    assert metadata.version(name) == PINS[name]
    for line in metadata.requires(name) or []:
        needed = Requirement(line)
        if needed.marker is None or needed.marker.evaluate({"extra": ""}):
            assert needed.specifier.contains(metadata.version(needed.name), prereleases=True), line
