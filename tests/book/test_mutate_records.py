"""Mutated records: what the tool takes for measured, and what a page's cells then say."""

import json
from pathlib import Path

import mutate_records
import pytest

PAGE = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
---

```{code-cell} ipython3
from attn_course.records import load_record
exact = {}
for row in load_record("made")["rows"]:
    if row["steps"] == 400:
        exact.setdefault(row["kind"], []).append(row["exact"])
```

```{code-cell} ipython3
{kind: sum(runs) for kind, runs in exact.items()}
```

```{code-cell} ipython3
:tags: [tab-torch]
import torch
exact = torch.zeros(3)
```

```{code-cell} ipython3
:tags: [check]
assert min(exact["one"]) > max(exact["other"])
assert sum(exact["far"]) < 3
```
"""
SHARES = {"one": (0.5, 0.52), "other": (0.47, 0.49), "far": (0.1, 0.1), "free": (0.6, 0.7)}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page that says: one is ahead of the other; what is far stays below a sum. Of what is free it says nothing."""
    rows = [
        {"kind": kind, "steps": 400, "seed": seed, "exact": share, "hidden": 0.1 * seed + share}
        for kind, shares in SHARES.items()
        for seed, share in enumerate(shares)
    ]
    rows = [row | {"framework": "pytorch"} for row in rows] + [row | {"framework": "tf"} for row in rows[::2]]
    made = {"date": "2026-11-27", "versions": {"numpy": "2"}, "rows": rows}
    monkeypatch.setattr(mutate_records.records, "load_record", lambda name: json.loads(json.dumps(made)))
    monkeypatch.setattr(mutate_records, "read_by", lambda text: ["made"])
    monkeypatch.setattr(mutate_records, "ROOT", tmp_path)
    source = Path(tmp_path, "01_made.md")
    source.write_text(PAGE)
    return source


def found(source):
    return {part.told.partition(": ")[2]: kind for part, kind, _ in mutate_records.Page(source).parts(99, 0)}


def test_what_a_page_says_is_tight_or_wide_and_the_rest_is_shown(page):
    kinds = found(page)
    assert {kinds["kind one"], kinds["kind other"]} == {"tight"}
    assert kinds["kind far"] == "shown"  # 0.3 and the range of 0.6 three times are less than 3
    assert kinds["kind free"] == "shown" and kinds["seed 0"] == "tight"
    assert len(kinds) == 16, "what the page does not name, and what was set, stay"


def test_a_check_made_too_weak_is_seen(page):
    page.write_text(PAGE.replace('assert min(exact["one"]) > max(exact["other"])', 'assert min(exact["one"]) > 0.2'))
    kinds = found(page)
    assert kinds["kind one"] == "wide" and kinds["kind other"] == "shown"


def test_a_stopped_run_goes_on(page, monkeypatch):
    assert found(page)
    monkeypatch.setattr(mutate_records.Page, "tried", None)
    assert found(page)


def test_a_cell_is_left_out_for_what_a_framework_gave_alone(page, capsys):
    page.write_text(PAGE.replace("< 3", "< 3 + 0 * exact_torch"))
    assert "cell 3 is left out: name 'exact_torch'" in (found(page), capsys.readouterr().err)[1]
    page.write_text(PAGE.replace("< 3", "< 0"))
    with pytest.raises(AssertionError):
        mutate_records.Page(page)
