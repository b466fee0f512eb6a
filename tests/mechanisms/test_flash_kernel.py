"""The Triton kernel, forward and backward, run by Triton's interpreter on the CPU."""

import json
import sys

import pytest
from aside import run

from attn_course.records import load_record

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="Triton exists for Linux alone")]


@pytest.mark.parametrize("capability", [75, 90], ids=["T4", "H100"])
def test_the_kernel_is_attention(capability):
    """With both GPUs' tiles. On a GPU: `make test-gpu`."""
    done = run(f"import kernel_cases; kernel_cases.main(capability={capability})", TRITON_INTERPRET="1")
    assert done.returncode == 0 and done.stdout == "17 cases agree\n", done.stderr


@pytest.fixture(scope="module")
def compiled():
    """What the compiler makes of every kernel for every GPU: rows of the record."""
    done = run("import sys; sys.argv = ['', '--print']; from experiments import kernels; kernels.main()")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_kernel_starts_on_every_gpu(compiled):
    """Five GPUs, two widths, three kernels: shared memory is there, and little is spilled from registers."""
    assert len({(row["gpu"], row["width"], row["kernel"]) for row in compiled}) == len(compiled) == 30
    assert {row["gpu"] for row in compiled} == {"T4", "A10", "A100", "L4", "H100"}
    for row in compiled:
        assert 0 < row["shared_kib"] <= row["shared_kib_limit"], row
        little = 512 if row["gpu"] == "H100" else 256  # there a tile that spills was the fastest of those timed
        assert row["spilled_bytes"] <= little and 0 < row["registers"] <= 255, row


def test_float32_starts_on_the_smallest_memory():
    """Tiles for 16 bits would take 176 and 208 of the 99 KiB that an A10 has."""
    code = (
        "import json; from experiments.kernels import flash, row_of\n"
        "names = 'forward_kernel', 'query_kernel'\n"
        "tiles = [(86, name, 128, *flash.tile_sizes(name, 86, 128, 4).values()) for name in names]\n"
        "print(json.dumps([row_of(*tile, dtype='fp32') for tile in tiles]))"
    )
    done = run(code)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["shared_kib"] <= row["shared_kib_limit"] for row in rows] == [True, True], rows


def test_products_run_on_tensor_cores(compiled):
    """From Ampere on. For a T4 Triton has none, which the record has to say."""
    for row in compiled:
        assert (row["tensor_core"] > 0) == (row["capability"] >= 80), row


def test_the_record_of_kernels_is_what_the_compiler_says(compiled):
    record = load_record("kernels")
    assert record["versions"]["triton"]
    assert record["rows"] == compiled, "run python -m experiments.kernels"
