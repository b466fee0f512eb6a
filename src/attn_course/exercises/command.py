"""``attn-course exercises``: list them, check a file, print progress, grade a class."""

import json
import secrets
import sys
from pathlib import Path

from attn_course.exercises import EXERCISES, judge
from attn_course.exercises.progress import encode, load, progress, solved
from attn_course.exercises.submission import collect


def add_commands(parser):
    """Add the subcommands to an `argparse` parser; each sets ``run``."""
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    parser.set_defaults(run=list_all, json=False)

    def add(name, run, words):
        command = commands.add_parser(name, help=words, description=words)
        command.set_defaults(run=run)
        command.add_argument("--json", action="store_true", help="print JSON")
        return command

    add("list", list_all, "list the exercises")
    check = add("check", check_file, "check the answers of a script or a notebook")
    check.add_argument("file", type=Path)
    check.add_argument("--seed", type=int, help="repeat the cases of a seed")
    shown = add("progress", show_progress, "print what is solved, and a short string")
    shown.add_argument("code", nargs="?", help="a string of progress, to bring it back")
    grade = add(
        "grade", grade_all, "grade a folder of submissions (practice, not exams)"
    )
    grade.add_argument("folder", type=Path)
    grade.add_argument("--csv", type=Path, help="the file to write; else the screen")
    grade.add_argument("--seed", type=int, help="the teacher's own; drawn if not given")
    grade.add_argument("--cases", type=Path, help="a Python file with hidden CASES")
    grade.add_argument("--seconds", type=float, default=60.0, help="per submission")
    grade.add_argument(
        "--memory", type=int, default=8192, help="MiB per submission, on Linux"
    )
    export = add("export", export_all, "write notebooks for a class")
    export.add_argument("format", choices=["nbgrader"])
    export.add_argument(
        "folder", type=Path, nargs="?", default=Path("source/attention")
    )


def list_all(options):
    """Print one line per exercise."""
    done = load()
    rows = [
        {
            "name": each.name,
            "level": each.level,
            "minutes": each.minutes,
            "kind": each.kind,
            "before": each.before,
            "solved": each.name in done,
        }
        for each in EXERCISES.values()
    ]
    if options.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        mark = "x" if row["solved"] else " "
        text = f"{row['name']:20} level {row['level']} {row['minutes']:3} min"
        print(f"[{mark}] {text}  {row['kind']:8} before: {row['before']}")
    return 0


def check_file(options):
    """Check every answer of a file; 0 if all are right, 1 if not, 2 if none."""
    if not options.file.is_file():
        print(f"no such file: {options.file}", file=sys.stderr)
        return 2
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
    if options.json:
        print(json.dumps({"results": results, "errors": errors}))
    else:
        for error in errors:
            print(error, file=sys.stderr)
    if not results:
        print("the file checks no answer", file=sys.stderr)
        return 2
    return int(bool(errors) or any(fault is not None for fault in results.values()))


def show_progress(options):
    """Print what is solved; with a code, bring it back first."""
    if options.json:
        names = load()
        shown = {"code": encode(names), "solved": sorted(names), "all": len(EXERCISES)}
        print(json.dumps(shown))
        return 0
    print(f'keep this: progress("{progress(options.code)}")')
    return 0


def grade_all(options):
    """Grade a folder; 0 unless it isn't one."""
    from attn_course.exercises.grading import grade_folder, missing_limits

    if not options.folder.is_dir():
        print(f"no such folder: {options.folder}", file=sys.stderr)
        return 2
    for note in missing_limits():
        print(f"note: {note}", file=sys.stderr)
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    limits = {"seconds": options.seconds, "megabytes": options.memory}
    given = {"seed": seed, "hidden": options.cases, **limits}
    if options.csv is None:
        rows = grade_folder(options.folder, sys.stdout, **given)
    else:
        with options.csv.open("w", newline="", encoding="utf-8") as out:
            rows = grade_folder(options.folder, out, **given)
    if options.json:
        print(json.dumps({"seed": seed, "rows": rows}))
    else:
        print(f"{len(rows)} submissions, seed {seed}", file=sys.stderr)
    return 0


def export_all(options):
    """Write the exercises as source notebooks of nbgrader."""
    from attn_course.exercises.nbgrader import export

    for path in export(options.folder):
        print(path)
    return 0
