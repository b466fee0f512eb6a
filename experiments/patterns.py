"""Every data set, every pattern and every seed, in PyTorch; stores the record."""

from itertools import product

from attn_course.course.labs.patterns import DATA, KINDS
from attn_course.course.labs.patterns.pytorch import run
from experiments import run_plan

if __name__ == "__main__":
    run_plan("patterns", list(product(DATA, KINDS)), run)
