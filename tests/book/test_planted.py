"""The planted faults still fit the package, and the tool takes nothing but a failing test for a catch."""

import subprocess
import sys

import pytest
from planted import FAULTS, ROOT

# What pytest says of a folder with these tests; and `slow` marks what the quick tests leave out.
TESTS = {
    "tests/test_small.py": """
import pytest

def test_right():
    assert True

def test_wrong():
    assert False

@pytest.mark.slow
def test_slow_and_wrong():
    assert False
""",
    "tests/test_unreadable.py": "import nowhere\n",
    "tests/oracles/test_oracle.py": """
import pytest

@pytest.mark.slow
def test_oracle():
    assert False
""",
    "pytest.ini": "[pytest]\nmarkers = slow\n",
}
ANSWERS = [
    ("tests/test_small.py -k right", "", ""),
    ("tests/test_small.py", "tests/test_small.py::test_wrong", ""),
    ("tests/test_small.py -k slow", "", "NO_TESTS_COLLECTED"),  # deselected: nothing was seen
    ("tests/test_small.py -k misspelled", "", "NO_TESTS_COLLECTED"),
    ("tests/nowhere.py", "", "USAGE_ERROR"),
    ("tests/test_unreadable.py", "tests/test_unreadable.py", ""),
    ("tests/oracles/test_oracle.py", "tests/oracles/test_oracle.py::test_oracle", ""),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """What the tool's ``ask`` answers in an interpreter of its own, since it forks."""
    folder = tmp_path_factory.mktemp("planted")
    for name, text in TESTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    program = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools")!r})
from planted import ask
print([tuple(ask(".", arguments.split())) for arguments in {[arguments for arguments, _, _ in ANSWERS]!r}])
"""
    ran = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout


def test_a_catch_is_a_failing_test(answers):
    assert answers.strip() == str([(test, trouble) for _, test, trouble in ANSWERS])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_can_be_planted(fault):
    text = (ROOT / "src" / "attn_course" / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.right) == 1 and fault.wrong != fault.right
    assert (ROOT / fault.tests.split()[0]).exists()


def test_there_are_many_and_each_has_a_name():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 50
