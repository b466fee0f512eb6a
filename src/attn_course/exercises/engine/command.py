"""``attn-course exercises``: list them, check a file, print progress, grade a class."""

import argparse
import contextlib
import json
import os
import secrets
import sys
import time
from pathlib import Path

from attn_course.exercises.engine.checking import judge
from attn_course.exercises.engine.files import EXERCISES
from attn_course.exercises.engine.progress import load, progress, solved
from attn_course.exercises.engine.submission import SILENT, collect


def _above_zero(kind):
    def read(text):
        number = kind(text)
        if not 0 < number < float("inf"):
            raise argparse.ArgumentTypeError(f"must be above 0, got {text}")
        return number

    read.__name__ = kind.__name__  # argparse says "invalid int value"
    return read


def _seed(text):
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or above, got {text}")
    return number


_seed.__name__ = "seed"


def add_commands(parser):
    """Add the subcommands to an `argparse` parser; each sets ``run``."""
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    parser.set_defaults(run=list_all)
    parser.add_argument("--json", action="store_true", help="print JSON")

    def add(name, run, words):
        command = commands.add_parser(name, help=words, description=words)
        command.set_defaults(run=_in_one_line(run))
        # Before the command or after it: only where it stands does it say something.
        command.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help="print JSON"
        )
        return command

    add("list", list_all, "list the exercises")
    for name, run, words in (
        ("check", check_file, "check the answers of a script or a notebook"),
        ("watch", watch_file, "check them each time the file is saved, until all pass"),
    ):
        check = add(name, run, words)
        check.add_argument("file", type=Path)
        check.add_argument("--seed", type=_seed, help="repeat the cases of a seed")
    shown = add("progress", show_progress, "print what is solved, and a short string")
    shown.add_argument("code", nargs="?", help="a string of progress, to bring it back")
    _add_grade(add)
    export = add("export", export_all, "write notebooks for a class")
    export.add_argument("format", choices=["nbgrader"])
    export.add_argument(
        "folder", type=Path, nargs="?", default=Path("source/attention")
    )


def _add_grade(add):
    grade = add(
        "grade", grade_all, "grade a folder of submissions (practice, not exams)"
    )
    grade.add_argument("folder", type=Path, help="files, or a folder per student")
    grade.add_argument("--csv", type=Path, help="the file to write; else the screen")
    grade.add_argument("--feedback", type=Path, help="a folder for a text per student")
    grade.add_argument("--seed", type=_seed, help="the teacher's own; else drawn")
    grade.add_argument("--seed-file", type=Path, help="a file with the seed in it")
    grade.add_argument("--cases", type=Path, help="a Python file with hidden CASES")
    positive = _above_zero(float)
    grade.add_argument(
        "--seconds", type=positive, default=10.0, help="of a processor, per call"
    )
    grade.add_argument(
        "--total", type=positive, default=3600.0, help="seconds per submission"
    )
    count = _above_zero(int)
    grade.add_argument("--jobs", type=count, default=1, help="submissions at a time")
    grade.add_argument("--memory", type=count, default=8192, help="MiB per submission")


def _in_one_line(run):
    def guarded(options):
        try:
            return run(options)
        except BrokenPipeError:  # whoever reads has enough, as in `list | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (OSError, ValueError, argparse.ArgumentTypeError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2

    return guarded


def list_all(options):
    """Print one line per exercise."""
    done = load()
    told = ("name", "title", "level", "minutes", "kind", "before")
    rows = [
        {fact: getattr(each, fact) for fact in told} | {"solved": each.name in done}
        for each in EXERCISES.values()
    ]
    if options.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        mark = "x" if row["solved"] else " "
        size = f"level {row['level']}, {row['minutes']} min; before: {row['before']}"
        print(f"[{mark}] {row['name']:20} {row['title']} ({size})")
    return 0


def check_file(options):
    """Check every answer of a file; 0 if all are right, 1 if not, 2 if none."""
    if options.file.is_dir():
        raise ValueError(f"a folder, where a file is needed: {options.file}")
    if not options.file.is_file():
        raise ValueError(f"no such file: {options.file}")
    results = {}

    def record(name, answer, framework):
        seed = secrets.randbelow(2**24) if options.seed is None else options.seed
        fault, _ = judge(EXERCISES[name], answer, framework, seed)
        results[name] = fault
        if fault is None:
            solved(name)
        if not options.json:
            print(f"{name}: {fault or 'correct'}")
        return fault is None

    errors = collect(options.file, record)
    if not results and not errors:
        errors = [f"{options.file}: {SILENT}"]
    if options.json:
        print(json.dumps({"results": results, "errors": errors}))
    else:
        for error in errors:
            print(error, file=sys.stderr)
    if not results:
        return 2
    return int(bool(errors) or any(fault is not None for fault in results.values()))


def watch_file(options):
    """Check a file each time it is saved; 0 once all of its answers are right."""

    def saved():
        return options.file.stat().st_mtime_ns if options.file.is_file() else seen

    seen = None
    seen, code = saved(), check_file(options)
    while code:
        time.sleep(0.2)
        if saved() != seen:
            seen, code = saved(), check_file(options)
    return 0


def show_progress(options):
    """Print what is solved; with a code, bring it back first."""
    if options.json:
        with contextlib.redirect_stdout(None):
            code = progress(options.code)
        names = load()
        shown = {"code": code, "solved": sorted(names), "all": len(EXERCISES)}
        print(json.dumps(shown))
        return 0
    print(f'keep this: progress("{progress(options.code)}")')
    return 0


def _seed_of(options):
    if options.seed is not None and options.seed_file is not None:
        raise ValueError("give --seed or --seed-file, not both")
    if options.seed_file is not None:
        return _seed(options.seed_file.read_text(encoding="utf-8").strip())
    return secrets.randbelow(2**31) if options.seed is None else options.seed


def grade_all(options):
    """Grade a folder; 0 unless it isn't one."""
    from attn_course.exercises.engine import box

    if not options.folder.is_dir():
        raise ValueError(f"no such folder: {options.folder}")
    if box.missing():
        raise ValueError(f"nothing is marked without a sandbox: {box.missing()}")
    from attn_course.exercises.engine.folder import mark_folder
    from attn_course.exercises.engine.marking import Limits

    seed, cases = _seed_of(options), ""
    if options.cases is not None:
        cases = options.cases.read_text(encoding="utf-8")
    limits = Limits(options.seconds, total=options.total, megabytes=options.memory)
    given = {"feedback": options.feedback, "jobs": options.jobs, "limits": limits}
    with contextlib.ExitStack() as stack:
        out = sys.stderr if options.json else sys.stdout  # stdout holds JSON alone
        if options.csv is not None:
            opened = options.csv.open("w", newline="", encoding="utf-8")
            out = stack.enter_context(opened)
        rows = mark_folder(options.folder, out, seed, cases, **given)
    if options.json:
        print(json.dumps({"seed": seed, "rows": rows}))
    else:
        print(f"submissions: {len(rows)}, seed {seed}", file=sys.stderr)
    return 0


def export_all(options):
    """Write the exercises as source notebooks of nbgrader."""
    from attn_course.exercises.engine.nbgrader import export

    paths = [str(path) for path in export(options.folder)]
    print(json.dumps(paths) if options.json else "\n".join(paths))
    return 0
