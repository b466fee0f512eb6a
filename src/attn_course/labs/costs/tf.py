"""The mechanisms in TensorFlow, each as one graph."""

from attn_course.bench.tf import program as bench_program
from attn_course.labs.costs.cases import CASES


def program(name, n):
    """A function of no arguments that runs a mechanism at length n, forward."""
    return bench_program(CASES[name].make, n)
