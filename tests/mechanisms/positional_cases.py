"""What the tests of positions share: sizes."""

import pytest

B, H, T, S, D, K = 2, 3, 5, 7, 11, 6
LAYOUT = pytest.mark.parametrize("layout", ["half", "interleaved"])
