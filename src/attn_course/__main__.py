"""The command line: ``attn-course``, or ``python -m attn_course``."""

import argparse
import sys

from attn_course import __version__
from attn_course.exercises.engine.command import add_commands
from attn_course.files import ending_in_one_line


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; ``--help`` lists what there is."""

    def error(self, message):
        self.exit(2, f"{self.prog}: error: {message}; --help lists what there is\n")


def main(arguments=None):
    """Run a command; the result is the exit code."""
    common = Parser(add_help=False)
    version = f"attn-course {__version__}"
    common.add_argument("--version", action="version", version=version)
    parser = Parser(prog="attn-course", description=__doc__, parents=[common])
    commands = parser.add_subparsers(dest="topic", required=True)
    exercises = commands.add_parser(
        "exercises", help="exercises with feedback", parents=[common]
    )
    add_commands(exercises)
    options = parser.parse_args(arguments)
    with ending_in_one_line("what was solved is kept"):
        return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
