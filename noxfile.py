"""`make test-versions`: the wheel with lowest, locked and newest versions of each extra, on each Python here.

Each session gets an environment of its own, one framework alone, the core of the contract of all layers
(tests/contract) and a use of the wheel (tests/install/use_wheel.py). What is not here is skipped and named: a Python,
a set of versions, PyTorch without CUDA (several GB: CUDA=yes installs it).
"""

import os
import re
import shutil
import sys
from pathlib import Path

import nox
from nox.command import CommandFailed

sys.path.append("tools")
from bundles import wheel
from execute import SETTINGS

PYTHONS = ("3.11", "3.12", "3.13")
# What picks each set of versions; lowest and newest are about the package's own requirements.
SETS = {
    "lowest": ["--resolution", "lowest-direct"],
    "locked": ["--constraint", "requirements/requirements.lock"],
    "newest": [],
}
FACES = {"torch": "pytorch", "tf": "tf"}
# Numbers against the specification for every layer, and what a version changes first: files, compilers, precision.
FILES = {"torch": "test_torch.py", "tf": "test_keras.py"}
CHOSEN = {
    "torch": "not tf and not drives_both and (agrees or compiled or copies or autocast or functional)",
    "tf": "not pytorch and not drives_both and (agrees or saved or mixed or carried)",
}
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False


def asked(extra):
    """What the package and one extra ask for. On Linux TensorFlow is its build without CUDA, of the same code."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"][extra]]
    small = sys.platform == "linux" and os.uname().machine == "x86_64"
    return [re.sub(r"^tensorflow\b", "tensorflow-cpu", line) if small else line for line in lines]


def brings_cuda(pins):
    """PyTorch's pin where its build is one for CUDA."""
    cuda = any(pin.startswith(("nvidia-", "cuda-")) for pin in pins)
    return next((pin for pin in pins if cuda and pin.startswith("torch==")), None)


def chosen(session, extra, which):
    """The pins of one set, resolved and not installed."""
    wanted = Path(session.create_tmp(), "wanted.txt")
    wanted.write_text("\n".join(asked(extra)), encoding="utf-8")
    command = ["uv", "pip", "compile", "--quiet", "--no-annotate", "--no-header", "--only-binary", ":all:"]
    try:
        found = session.run(*command, "--python-version", session.python, *SETS[which], str(wanted), silent=True)
    except CommandFailed:
        session.skip("not tested: there is no such set of versions here")
    pins = [line for line in found.splitlines() if re.match(r"[\w.-]+==", line)]
    if os.environ.get("CUDA") != "yes" and (torch := brings_cuda(pins)):
        session.skip(f"not tested: the index has {torch} for CUDA alone, several GB: CUDA=yes installs it")
    return pins


@nox.session(python=PYTHONS)
@nox.parametrize("which", [*SETS])
@nox.parametrize("extra", [*FACES])
def versions(session, extra, which):
    tools = [
        line for line in Path("requirements.txt").read_text().splitlines() if re.match("(pytest|hypothesis)==", line)
    ]
    try:
        pins = chosen(session, extra, which)
        session.install(*pins, *tools, str(wheel(Path.cwd(), Path(session.create_tmp()))))
        session.log(
            f"with {', '.join(pin for pin in pins if re.match('torch|tensorflow|keras|numpy|matplotlib|tqdm', pin))}"
        )
        try_it(session, extra)
    finally:
        shutil.rmtree(session.virtualenv.location)  # up to 2 GB


def try_it(session, extra):
    """The use of the wheel, and the contract of the layers of one framework."""
    ini = Path(session.create_tmp(), "pytest.ini").resolve()
    ini.write_text("[pytest]\n")  # warnings of other versions are not ours
    given = dict.fromkeys(name for name in os.environ if name.startswith(("PYTHON", "ATTN_COURSE", "KERAS")))
    given |= {
        **SETTINGS,
        "PYTHONPATH": os.pathsep.join(str(Path(name).resolve()) for name in ("tests", "tests/install")),
    }
    records = ",".join(sorted(path.stem for path in Path("src/attn_course/records").glob("*.json")))
    session.run("python", "tests/install/use_wheel.py", records, FACES[extra], env=given)
    given["ATTN_COURSE_WITHOUT"] = "tf" if extra == "torch" else "torch"
    options = ["-q", "-x", "-c", str(ini), "--rootdir", "tests", "-p", "one_framework", "-p", "no:cacheprovider"]
    files = ["tests/contract/test_layers.py", f"tests/contract/{FILES[extra]}"]
    session.run("python", "-m", "pytest", *options, "-k", CHOSEN[extra], *files, env=given)
