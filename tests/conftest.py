"""What every session can be asked for: no slow tests, the contract of some topics alone, tests in a drawn order."""

import gc
import inspect
import os
import random
import re
import signal
from functools import cache

import pytest

# Its threads wait for each other in loops, which takes a processor from the tests beside.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy

# A test of the package is slow when it compiles, exports, saves, starts a process or reads 16,000 positions; any other
# when it needs a framework, executes a notebook, marks a class or starts a process. What is left, without numbers of
# other libraries, is what most changes can break: make test QUICK=yes.
SLOW = re.compile(
    r"\.compile\(|export\(|jit_compile|\.save\(|one_graph|run_layer_test|tensorflow\.function|16k|16_384|subprocess|[tT]riton"
)
PACKAGE = {"contract", "mechanisms", "models"}
STARTS = re.compile(r"subprocess|Popen|\bbuild\(")
EXECUTES = {"built", "second_built", "form_built", "poisoned", "sandbox"}


def pytest_addoption(parser):
    parser.addoption("--order", type=int, metavar="SEED", help="shuffle all tests, the same way for the same seed")
    parser.addoption("--topics", metavar="A,B", help="of the contract, only the cases of these topics")


def pytest_configure():
    """What is started in the background ignores Ctrl-C, and so does all that it starts; some tests send it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def keep(collect=gc.collect):
    """What is there stays for the session: a full collection need not walk through it.

    Keras asks for one at every attribute that it deletes, and waits: those are left out.
    """
    gc.collect = lambda *_: 0
    collect()
    gc.freeze()


def pytest_collection_finish():
    keep()


@pytest.hookimpl(trylast=True)  # after the fixtures are taken down
def pytest_runtest_teardown(item, nextitem):
    if nextitem is None or nextitem.path != item.path:
        keep()


@cache
def source(function):
    return inspect.getsource(function)


def is_slow(item):
    if item.path.parent.name in PACKAGE:
        return bool(SLOW.search(source(item.function)))
    if item.path.parent.name == "oracles":
        return True
    needs = hasattr(item.module, "both_frameworks") or not EXECUTES.isdisjoint(item.fixturenames)
    return needs or bool(STARTS.search(source(item.function)))


def topic_of(case):
    """The folder of the mechanism or model that a case of the contract builds."""
    from attn_course import pytorch

    return getattr(pytorch, case.layer or case.name).__module__.split(".")[-2]


@pytest.hookimpl(tryfirst=True)  # before marks choose
def pytest_collection_modifyitems(config, items):
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
    if (topics := config.getoption("topics")) is not None:
        left = [item for item in items if hasattr(item, "callspec") and "case" in item.callspec.params]
        left = [item for item in left if item.path.parent.name == "contract"]
        left = {item for item in left if topic_of(item.callspec.params["case"]) not in topics.split(",")}
        config.hook.pytest_deselected(items=list(left))
        items[:] = [item for item in items if item not in left]
    if (seed := config.getoption("order")) is not None:
        random.Random(seed).shuffle(items)
