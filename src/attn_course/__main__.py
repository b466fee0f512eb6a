"""The command line: ``attn-course``, or ``python -m attn_course``."""

import argparse
import sys

from attn_course import __version__
from attn_course.exercises.engine.command import add_commands


def main(arguments=None):
    """Run a command; the result is the exit code."""
    parser = argparse.ArgumentParser(prog="attn-course", description=__doc__)
    version = f"%(prog)s {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="topic", required=True)
    exercises = commands.add_parser("exercises", help="exercises with feedback")
    add_commands(exercises)
    options = parser.parse_args(arguments)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
