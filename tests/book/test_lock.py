"""Every pin stands in its hashed lock, which names no index. `make lock` resolves; this asks nobody."""

import re

import pytest
from publisher import ROOT


@pytest.mark.parametrize("name", ["requirements", "requirements-book", "requirements-clients"])
def test_a_lock_is_in_step(name):
    lines = re.findall(r"(?m)^[^#\n-].*", (ROOT / f"{name}.txt").read_text(encoding="utf-8"))
    pins = [line.partition(";")[0] for line in lines]
    assert [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.+]+", pin)] == [], "a pin is exact"
    lock = (ROOT / f"{name}.lock").read_text(encoding="utf-8")
    entries = [line for line in lock.replace("\\\n", " ").splitlines() if not line.startswith("#")]
    assert all("--hash=sha256:" in entry for entry in entries)
    held = {entry.split()[0].replace(".", "-") for entry in entries}
    assert pins and [pin for pin in pins if pin.lower().replace(".", "-") not in held] == [], "run make lock"
    assert "://" not in lock and "index" not in lock
