"""What a change can reach, on this repository: neither too little nor everything."""

import re
import subprocess

import pytest
from affected import EVERYTHING, Repository, affected, changed_files, main, topic_files

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
        ("tools/lock.py", "tests/book/test_lock.py"),
        ("book/02_bahdanau.md", "tests/book/test_page_rules.py"),
    ],
)
def test_a_file_outside_the_package_reaches_what_uses_it(changed, test):
    found = reached(changed)
    assert test in found.tests
    assert found.chapters == (["02"] if changed.startswith("book/") else [])
    assert not {"tests/models/test_decoding.py"} & set(found.tests)


def test_what_decides_how_tests_run_reaches_everything():
    for file in ("requirements.txt", "pyproject.toml", "tests/support.py"):
        assert EVERYTHING.fullmatch(file)
        found = reached(file)
        assert found.topics is None and len(found.chapters) >= 16
        all_tests = [f for f in REPOSITORY.files if re.fullmatch(r"tests/(?!site|install).*/test_\w+\.py", f)]
        assert len(found.tests) == len(all_tests)


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
