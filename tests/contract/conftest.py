"""Everything here uses the frameworks."""

import pytest
from both_frameworks import (
    fresh_compiler,  # noqa: F401
    keras,
    torch,
)


@pytest.fixture(autouse=True)
def seed():
    """A layer's first weights are drawn: the same in every run."""
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)
