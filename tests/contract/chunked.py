"""Small chunks, for a folder or a module that takes this in."""

import pytest

from attn_course import pytorch, tf

CHUNKED = "linear_attention", "delta_rule_attention", "performer_attention", "random_feature_attention"


@pytest.fixture(autouse=True)
def several_chunks(monkeypatch):
    """Of a few positions too: one of 64 would hold them all."""
    for function in (getattr(face, name) for face in (pytorch, tf) for name in CHUNKED):
        monkeypatch.setitem(function.__kwdefaults__, "chunk_size", 4)
