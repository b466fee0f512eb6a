"""Runs the tests that `make test` and `make test-changed` name, with their progress, then the notebooks.

python tools/run_tests.py                  all tests, and the notebooks that have not passed as they are now
python tools/run_tests.py --only code      the tests alone, or with `notebooks` these alone; with what follows too
python tools/run_tests.py --quick          what most changes can break, alone or of a topic; no notebook
python tools/run_tests.py --topic window   what one topic can break, and the chapters that use it
python tools/run_tests.py --changed main   what the files that differ from a commit can break
"""

import argparse
import os
import signal
import subprocess
import sys

from affected import ROOT, Repository, affected, changed_files, topic_files

PYTEST = [sys.executable, "-m", "pytest"]
NOTEBOOKS = [sys.executable, "tools/notebooks.py", "check"]


def commands(options: argparse.Namespace) -> list[list[str]]:
    """What is to be run, one after the other. Raises ValueError for a topic or a commit that is not there."""
    return [found for kind, found in plan(options).items() if options.only in (None, kind)]


def plan(options: argparse.Namespace) -> dict[str, list[str]]:
    """The commands that are needed, "code" and "notebooks"."""
    tests = [*PYTEST, "-n", options.jobs, "--dist", "worksteal", *(["-m", "not slow"] if options.quick else [])]
    notebooks = [*NOTEBOOKS, "--jobs", options.jobs, *(["--again"] if options.again else [])]
    if not (options.topic or options.changed):
        return {"code": tests} if options.quick else {"code": tests, "notebooks": notebooks}
    repository = Repository()
    changed = topic_files(options.topic, repository) if options.topic else changed_files(options.changed)
    found = affected(changed, repository)
    if found.topics is not None:
        tests += ["--topics", ",".join(found.topics)]
    chosen = {"code": [*tests, *found.tests]} if found.tests else {}
    return chosen | ({"notebooks": [*notebooks, *found.chapters]} if found.chapters and not options.quick else {})


def run(command: list[str]) -> int:
    """The exit code of a command. Ctrl-C stops it and all that it started, which say nothing then."""
    started = subprocess.Popen(command, cwd=ROOT, start_new_session=True)
    try:
        return started.wait()
    except BaseException:
        os.killpg(started.pid, signal.SIGTERM)
        started.wait()
        raise


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="without what compiles, exports, saves and trains")
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--topic", help="a folder of mechanisms or models")
    chosen.add_argument("--changed", metavar="COMMIT", help="compare with where we left this commit's line")
    parser.add_argument("--only", choices=("code", "notebooks"), help="one half of it")
    parser.add_argument("--again", action="store_true", help="also the notebooks that passed as they are now")
    parser.add_argument("--jobs", default="auto", help="processes at once; as many as the machine has cores")
    options = parser.parse_args(arguments)
    try:
        chosen = commands(options)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if not chosen:
        print("nothing that a test or a chapter uses has changed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return next((code for code in map(run, chosen) if code), 0)
    except KeyboardInterrupt:
        print("\nstopped by Ctrl-C; no file was changed", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
