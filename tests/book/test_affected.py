"""What a change can reach, on this repository: neither too little nor everything."""

import re
import subprocess
from pathlib import Path

import pytest
from affected import EVERYTHING, Repository, affected, changed_files, folders_of_tests, main, topic_files, topic_of
from chapters import sources
from publisher import ROOT

REPOSITORY = Repository()
PACKAGE = "src/attn_course"


def reached(*changed):
    return affected(set(changed), REPOSITORY)


def test_a_topic_reaches_its_tests_and_its_chapters_and_not_others():
    tests, topics, chapters = reached(f"{PACKAGE}/mechanisms/window/pytorch.py")
    assert {"tests/mechanisms/test_window.py", "tests/contract/test_torch.py"} <= set(tests)
    assert "window" in topics and "luong" not in topics
    assert "10" in chapters and "02" not in chapters
    assert not {"tests/mechanisms/test_luong.py", "tests/book/test_slides.py"} & set(tests)


def test_what_all_stand_on_reaches_all_topics():
    tests, topics, chapters = reached(f"{PACKAGE}/core/layer/pytorch.py")
    assert topics is None and {"02", "06", "10", "13"} <= set(chapters)
    assert {"tests/mechanisms/test_window.py", "tests/mechanisms/test_latent.py"} <= set(tests)


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("tests/mechanisms/test_flash.py", "tests/mechanisms/test_flash.py"),
        ("tests/mechanisms/linearized_cases.py", "tests/mechanisms/test_hashing.py"),
        ("tests/mechanisms/conftest.py", "tests/mechanisms/test_masks.py"),
        ("tests/contract/cases.py", "tests/contract/test_keras.py"),
        ("tests/exercises/bank/10_sparse.txt", "tests/exercises/test_answers.py"),
        ("tools/new.py", "tests/book/test_new.py"),
        ("noxfile.py", "tests/book/test_versions.py"),
        ("tools/slides.py", "tests/book/test_slides.py"),
        ("book/02_bahdanau.md", "tests/book/test_page_rules.py"),
    ],
)
def test_a_file_outside_the_package_reaches_what_uses_it(changed, test):
    found = reached(changed)
    assert test in found.tests
    assert found.chapters == (["02"] if changed.startswith("book/") else [])
    assert not {"tests/models/test_decoding.py"} & set(found.tests)


def test_what_decides_how_tests_run_reaches_everything():
    for file in ("requirements.txt", "requirements/book.txt", "pyproject.toml", "tests/support.py"):
        assert EVERYTHING.fullmatch(file)
        found = reached(file)
        assert found.topics is None and len(found.chapters) >= 16
        is_test = re.compile(r"tests/(?!site|install|clients|compiled|gpu).*/test_\w+\.py")
        all_tests = [f for f in REPOSITORY.files if is_test.fullmatch(f)]
        assert len(found.tests) == len(all_tests)


def test_every_folder_of_tests_is_run_by_a_command():
    """By `make test` or, where more is installed first, by one of its own; a plan names files of the first alone."""
    folders = {
        "/".join(Path(file).parts[:2]) for file in REPOSITORY.files if re.search(r"^tests/.*/test_\w+\.py", file)
    }
    elsewhere = set(re.findall(r"pytest .*(tests/\w+)", (ROOT / "Makefile").read_text(encoding="utf-8")))
    own = {"tests/site", "tests/install", "tests/clients", "tests/compiled", "tests/gpu"}
    assert elsewhere == own and elsewhere.isdisjoint(folders_of_tests())
    assert folders == elsewhere | set(folders_of_tests())
    for topic in sorted({name for file in REPOSITORY.files if (name := topic_of(file))}):
        for test in reached(*topic_files(topic, REPOSITORY)).tests:
            assert "/".join(Path(test).parts[:2]) in folders_of_tests(), (topic, test)


def needing(file):
    """The chapters that need a file, as they would be run again."""
    chapters = [source for source in sources() if f"{PACKAGE}/{file}" in REPOSITORY.needed(f"book/{source.name}")]
    assert {source.stem[:2] for source in chapters} <= {*reached(f"{PACKAGE}/{file}").chapters}, "and are looked at"
    return {source.stem[:2] for source in chapters}


def test_what_a_chapter_needs():
    """Modules, the packages on the way to them, what a text names: records, data, exercises, sources that are read."""
    assert needing("mechanisms/window/pytorch.py") == {"08", "10"}
    assert needing("mechanisms/window/__init__.py") == {"08", "10"}
    assert "14" in needing("mechanisms/flash/triton.py"), "read by source(...), never imported"
    assert needing("records/associative.json") == {"11"}
    assert needing("tasks/mixes.json") >= {"10", "13", "14", "15", "16"}
    assert needing("exercises/bank/10_sparse/chapter.toml") == {"10"}
    assert needing("exercises/bank/project_dates/chapter.toml") == {"03"}
    assert needing("course/plots/explore/core.js") >= {"00", "04", "10"}
    assert len(needing("exercises/engine/checking.py")) == len(needing("__init__.py")) == 18


def test_a_text_reaches_the_files_that_name_it():
    assert "tests/book/test_release.py" in reached("CHANGELOG.md").tests
    assert reached("no" + "body.txt") == ([], [], [])


def test_wrong_names_are_answered_with_the_right_ones(capsys):
    assert main(["--topic", "windw"]) == 1
    assert re.fullmatch(r"TOPIC must be one of .*, window; got 'windw'\n", capsys.readouterr().err)
    assert main(["--since", "no-such-commit"]) == 1
    assert "no-such-commit" in capsys.readouterr().err
    assert topic_files("gated", REPOSITORY) >= {f"{PACKAGE}/mechanisms/parts/gated/tf.py"}


def test_changed_files_are_those_since_the_lines_parted(tmp_path):
    def git(*arguments):
        names = ["-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *names, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def write(name):
        (tmp_path / name).write_text(name)
        git("add", name)
        git("commit", "-m", name)

    git("init", "-b", "main")
    write("first")
    git("switch", "-c", "branch")
    write("committed")
    git("switch", "main")
    write("of_main_alone")
    git("switch", "branch")
    (tmp_path / "first").write_text("changed")
    (tmp_path / "unknown").write_text("new")
    assert changed_files("main", tmp_path) == {"first", "committed", "unknown"}
