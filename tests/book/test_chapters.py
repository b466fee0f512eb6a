"""The table of contents names the chapters; their form is tested in test_page_rules.py."""

import re

from chapters import sources, toc
from publisher import ROOT

CHAPTERS = sources()


def test_toc_names_the_chapters_in_order():
    listed = [name for name in toc() if re.fullmatch(r"book/\d\d_.*", name)]
    assert listed == [f"book/{path.name}" for path in CHAPTERS], "_toc.yml lists each NN_topic.md, in order"


def test_toc_files_exist():
    missing = [name for name in toc() if not any((ROOT / f"{name}{end}").is_file() for end in ("", ".md"))]
    assert missing == []
