"""Every public layer and function in one graph of any size, in small chunks: PyTorch's, by XLA, exported."""

import graphs
import pytest
from both_frameworks import first_weights  # noqa: F401
from cases import CASES
from chunked import several_chunks  # noqa: F401

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
WHOLE = pytest.mark.parametrize("case", [c for c in CASES if not c.cell], ids=lambda case: case.name)


@WHOLE
def test_one_graph_in_torch(case):
    graphs.check_one_graph_in_torch(case)


@EACH
def test_one_graph_in_keras(case):
    graphs.check_one_graph_in_keras(case)


@WHOLE
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # the exporter's own, in a loop
def test_exported(case):
    graphs.check_exported(case)
