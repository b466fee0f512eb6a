"""Our layers in tools that nobody here wrote: `make test-clients`, which installs them. `make test` leaves it out.

A tool that is missing is an error, never a skip.
"""

import sys
import warnings
from pathlib import Path

from both_frameworks import fresh_compiler  # noqa: F401

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "contract"), str(HERE.parent / "oracles"), str(HERE.parents[1] / "tools")]

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what the tools warn about while they are imported is not ours
    import accelerate  # noqa: F401
    import peft  # noqa: F401
    import transformers  # noqa: F401
