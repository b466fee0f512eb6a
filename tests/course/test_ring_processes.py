"""The lab on 2 and 4 processes, on devices of TensorFlow: one process's numbers, the formula's bytes, and an end."""

import subprocess
import sys
import time

import both_frameworks  # noqa: F401
import pytest

from attn_course.course.labs import ring
from attn_course.course.labs.ring import __main__ as command, pytorch as lab


def check(found, sizes):
    """To 1e-12 of one process's attention in float64, with as many bytes as the formula has."""
    assert len(found) == sizes.R
    for ways in found:
        for name, (error, sent) in ways.items():
            assert error < 1e-12, name
            assert sent == ring.bytes_sent(sizes)[name.partition(",")[0]] > 0, name


@pytest.mark.parametrize("R", [2, 4])
def test_processes_have_the_numbers_of_one(R):
    sizes = ring.Sizes(S=16 * R, R=R)
    found = lab.start(R, lab.compare, sizes, wait=120)
    check(found, sizes)
    assert all(set(ways) == {"ring, zigzag", "ring, in order", "gather", "swap", "decode"} for ways in found)


def test_what_the_library_does_itself():
    """Heads by DTensor, with one sum; ``context_parallel`` has no way on a CPU."""
    for heads, answers in lab.start(2, lab.ask_library, wait=120):
        assert heads[0] < 1e-12 and heads[1] == {"c10d_functional.all_reduce": 1}
        assert answers.keys() == {"FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH"}
        assert "does not have a sharding strategy registered" in answers["FLASH_ATTENTION"]
        assert "runs" not in answers.values()


@pytest.mark.parametrize("name", command.SIGNALS)
def test_a_process_that_is_lost_ends_the_run_with_a_message(name):
    """Within 30 s of its loss: a killed one at once, one that stops when the others have waited."""
    lab.start(2, time.monotonic, wait=120)  # the frameworks' start, which on a busy machine takes longer
    started = time.monotonic()
    with pytest.raises(RuntimeError, match=r"failed, all are ended: .*(SIGKILL|Connection closed|Timed out)"):
        lab.start(2, lab.end_in_the_ring, command.SIGNALS[name])
    assert time.monotonic() - started < 30
    assert not lab.torch.multiprocessing.active_children()


def test_the_command_from_both_frameworks(capsys):
    """TensorFlow's devices have to be made before it is used: a process of its own."""
    words = ["-m", "attn_course.course.labs.ring", "--framework", "tf", "--processes", "2"]
    run = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True, timeout=300)
    name, rest = run.stdout.splitlines()[0].split(": error ")
    error, sent = rest.split("; bytes sent ")
    assert name == "gather" and float(error) < 1e-12
    assert sent == "16,384, by the formula 16,384"
    with pytest.raises(SystemExit):
        command.main(["--length", "63"])
    assert "S must be a multiple of 2 R = 8, got 63" in capsys.readouterr().err
