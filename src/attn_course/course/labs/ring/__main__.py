"""Runs attention over several processes, or over devices of TensorFlow.

By default every way is compared, in float64, with the attention of one process.
``library`` asks what PyTorch does by itself. ``killed`` and ``stopped`` do that to one
of the processes in the middle of a ring: all end, with a message.
"""

import argparse
import os
import signal
import sys

from attn_course.course.labs.ring import Sizes, bytes_sent, in_order, pairs, zigzag
from attn_course.files import ending_in_one_line

SIGNALS = {"killed": signal.SIGKILL, "stopped": signal.SIGSTOP}


def main(words=None):
    """What the command line asks for; the result is the exit code."""
    program = "python -m attn_course.course.labs.ring"
    parser = argparse.ArgumentParser(prog=program, description=__doc__)
    actions = ("compare", "library", *SIGNALS)
    parser.add_argument("action", choices=actions, nargs="?", default="compare")
    parser.add_argument("--framework", choices=("torch", "tf"), default="torch")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--length", type=int, default=64, help="positions of the text")
    given = parser.parse_args(words)
    R = int(os.environ.get("WORLD_SIZE", given.processes))  # which torchrun sets
    sizes = Sizes(S=given.length, R=R)
    try:
        zigzag(sizes.S, R)
    except ValueError as error:
        parser.error(str(error))
    if given.framework == "tf":
        from attn_course.course.labs.ring.tf import compare

        return show(compare(sizes), sizes)
    from attn_course.course.labs.ring import pytorch as lab

    if "WORLD_SIZE" in os.environ:
        rank, found = lab.join(lab.compare, sizes)
        return 0 if rank else show(found, sizes)
    try:
        if given.action in SIGNALS:
            lab.start(R, lab.end_in_the_ring, SIGNALS[given.action])
        if given.action == "library":
            return tell(*lab.start(R, lab.ask_library)[0])
        return show(lab.start(R, lab.compare, sizes), sizes)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1


def show(found, sizes):
    """Largest error and bytes of every way, the bytes by the formula, and the pairs."""
    formula = bytes_sent(sizes)
    for name in found[0]:
        errors, sent = zip(*(ways[name] for ways in found), strict=True)
        expected = formula[name.partition(",")[0]]
        print(f"{name}: error {max(errors):.0e}", end="; ")
        print(f"bytes sent {max(sent):,}, by the formula {expected:,}")
    for name, cut in (("in order", in_order), ("zigzag", zigzag)):
        counted = pairs(cut(sizes.S, sizes.R))
        each, waited = counted.sum(axis=0), counted.max(axis=1).sum()
        print(f"pairs, {name}: {each} by process, {waited} are waited for")
    return 0


def tell(heads, answers):
    """What the library did with heads, and what it said of the context."""
    print(f"heads by DTensor: error {heads[0]:.0e}, called {heads[1]}")
    for backend, answer in answers.items():
        print(f"context_parallel, {backend}: {answer}")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with ending_in_one_line("nothing was to be kept"):
        sys.exit(main())
