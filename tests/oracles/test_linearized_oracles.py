"""fla-core's plain recurrences and performer-pytorch, in float32, stored by ``make_goldens.py``.

Qwen3-Next's gated delta rule: tests/clients.
"""

from pathlib import Path

import numpy as np
from support import FACES, numbers, to

from attn_course import reference

GOLDENS = np.load(Path(__file__).with_name("linearized.npz"))
CAUSAL = {"feature_map": "identity", "normalize": False, "causal": True}


def check(face, name, function, *given, chunk=4, **options):
    """One function of a face on the stored inputs against one stored output, and not against it by accident."""
    arrays = to(face, *(GOLDENS[x].astype(np.float64) for x in given))
    options = {key: to(face, x)[0] if isinstance(x, np.ndarray) else x for key, x in options.items()}
    if face is not reference and chunk:
        options["chunk_size"] = chunk
    found = numbers(getattr(face, function)(*arrays, **options)[0])
    np.testing.assert_allclose(found, GOLDENS[name], rtol=1e-5, atol=1e-5)


@FACES
def test_linear_attention_of_fla(face):
    inputs = "query", "key", "value"
    check(face, "linear", "linear_attention", *inputs, causal=True)
    check(face, "additive", "linear_attention", *inputs, **CAUSAL)


@FACES
def test_decays_of_fla(face):
    """RetNet's fixed decay, and one per key: fla takes its logarithm."""
    inputs = "query", "key", "value"
    decay = GOLDENS["decay"].astype(np.float64)
    check(face, "decayed", "linear_attention", *inputs, decay=decay, **CAUSAL)
    fixed = np.broadcast_to(reference.retention_decay(3)[None, :, None], decay.shape).copy()
    check(face, "retention", "linear_attention", *inputs, decay=fixed, **CAUSAL)


@FACES
def test_delta_rules_of_fla(face):
    """Without a decay and with one."""
    inputs = "query", "unit_key", "value", "beta"
    check(face, "delta", "delta_rule_attention", *inputs)
    check(face, "gated_delta", "delta_rule_attention", *inputs, decay=GOLDENS["decay"].astype(np.float64))


@FACES
def test_favor_of_performer_pytorch(face):
    """Its small number added to every feature set to 0: ours adds none."""
    rows = GOLDENS["projection"].astype(np.float64)
    check(face, "favor", "performer_attention", "query", "key", "value", projection=rows)


def test_the_goldens_tell_the_mechanisms_apart():
    names = ("linear", "additive", "retention", "decayed", "delta", "gated_delta", "favor")
    for one in names:
        for other in names:
            assert (one == other) == np.allclose(GOLDENS[one], GOLDENS[other], atol=1e-2)
