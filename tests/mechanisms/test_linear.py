"""Linear attention: by hand, by loops, step by step; and the faults that are caught; in chunks: test_chunks.py."""

import numpy as np
import pytest
from linearized_cases import LENGTHS, B, H, K, S, V, call, draw, padding, per_key, refused
from support import FACE, FACES, close, gradients, numbers, slope, tensor, to

from attn_course import pytorch, reference
from attn_course.frameworks import keras, torch
from attn_course.mechanisms.linear.shared import check_decay_kind

NAME = "linear_attention"
MAPS = {"elu": lambda x: x + 1 if x > 0 else np.exp(x), "relu": lambda x: max(x, 0.0), "identity": lambda x: x}


def by_loops(query, key, value, mask=None, *, feature_map="elu", causal=False, decay=None, normalize=True):
    """One similarity after the other, the decay as a product over the keys between."""
    T, S = query.shape[-2], key.shape[-2]
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    for b, h, t in np.ndindex(query.shape[:-1]):
        total = 1e-6
        for s in range(S):
            if (causal and s > t + S - T) or (mask is not None and not mask[b, 0, 0, s]):
                continue
            weight = sum(
                MAPS[feature_map](x) * MAPS[feature_map](y) for x, y in zip(query[b, h, t], key[b, h, s], strict=True)
            )
            for u in range(s + 1, t + S - T + 1):
                if decay is not None and (mask is None or mask[b, 0, 0, u]):
                    weight *= np.broadcast_to(decay, key.shape[:-1])[b, h, u]
            total += weight
            output[b, h, t] += weight * value[b, h, s]
        if normalize:
            output[b, h, t] /= total
    return output


@FACES
def test_by_hand(face):
    """Products 1 and 3, then 2 and 6: the second query averages 10 and 20 with weights 1/4 and 3/4."""
    query, key, value = (np.array([[[[1.0], [2.0]]]]), np.array([[[[1.0], [3.0]]]]), np.array([[[[10.0], [20.0]]]]))
    plain = {"feature_map": "identity", "epsilon": 0.0, "causal": True}
    close(call(face, NAME, query, key, value, **plain), [[[[10.0], [17.5]]]])
    half = np.array([[[0.5, 0.5]]])  # the first key keeps a half: weights 1/7 and 6/7
    close(call(face, NAME, query, key, value, decay=half, **plain), [[[[10.0], [130 / 7]]]])
    close(call(face, NAME, query, key, value, normalize=False, **plain), [[[[10.0], [140.0]]]])
    close(reference.linear_attention(query, key, value, **plain)[1], [[[[1.0, 0.0], [0.25, 0.75]]]])


OPTIONS = [
    {},
    {"feature_map": "relu"},
    {"causal": True},
    {"causal": True, "decay": per_key()},
    {"causal": True, "decay": per_key()[:1, :, :1]},
    {"causal": True, "decay": per_key(), "normalize": False, "feature_map": "identity"},
]


def check_loops(attend):
    """What every implementation passes, and every planted fault fails."""
    for T in LENGTHS:
        for options in OPTIONS:
            for mask in (None, padding()):
                close(attend(*draw(T), mask, **options), by_loops(*draw(T), mask, **options))


def test_the_reference_agrees_with_loops():
    check_loops(lambda *x, **options: call(reference, NAME, *x, **options))


FAULTS = {"no normalizer": {"normalize": False}, "never forgets": {"decay": None}, "sees what comes": {"causal": False}}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_planted_fault_is_caught(fault):
    with pytest.raises(AssertionError):
        check_loops(lambda *x, **options: by_loops(*x, **options | fault))


@FACES
@pytest.mark.parametrize("options", OPTIONS[2:])
def test_steps_agree_with_the_whole(face, options):
    query, key, value = draw()
    whole = call(reference, NAME, query, key, value, **options)
    options = {name: x for name, x in options.items() if name != "causal"}
    decay, state = options.pop("decay", None), None
    for t in range(S):
        at = slice(t, t + 1)
        here = None if decay is None else tensor(face, np.broadcast_to(decay, (B, H, S))[..., at].copy())
        arrays = [tensor(face, x[:, :, at].copy()) for x in (query, key, value)]
        output, state = face.linear_attention_step(state, *arrays, decay=here, **options)
        close(numbers(output), whole[:, :, at])
    assert state[0].shape == (B, H, K, V) and state[1].shape == (B, H, K)


@FACE
def test_a_function_of_ones_own_is_a_feature_map(face):
    def squared(x):
        return x * x

    close(call(face, NAME, *draw(), feature_map=squared), call(reference, NAME, *draw(), feature_map=squared))


@FACE
@pytest.mark.parametrize(("name", "gate"), [(NAME, "decay"), ("random_feature_attention", "gate")])
def test_gradient_of_a_gate(face, name, gate):
    share, arrays = per_key(3).clip(0.1, 0.9), draw()

    def attend(x):
        return getattr(face, name)(*to(face, *arrays), causal=True, chunk_size=4, **{gate: x})[0]

    found = gradients(face, attend, {"x": share})["x"]
    direction, expected = slope(lambda x: call(reference, name, *arrays, causal=True, **{gate: x}).sum(), share)
    assert (found * direction).sum() == pytest.approx(expected, rel=1e-6)


@FACES
def test_errors(face):
    query, key, value = draw()
    refused(face, NAME, (query, key, value, np.ones((S, S), bool)), "mask must hide a key from all queries")
    refused(face, NAME, (query, key, value), "decay must be None where causal is False", decay=per_key())
    refused(face, NAME, (query, key, value), r"decay must have shape", decay=per_key()[:, :, 1:], causal=True)
    refused(face, NAME, (query, key, value), r"decay must have shape", decay=per_key()[0], causal=True)
    refused(face, NAME, (query, key[..., 1:], value), "key must have shape")
    refused(face, NAME, (query, key, value), "feature_map must be one of elu, relu, identity", feature_map="tanh")
    with pytest.raises(ValueError, match=r"query must have shape .* 1"):
        face.linear_attention_step(None, *(tensor(face, x) for x in (query, key, value)))


def test_retention_decay():
    close(reference.retention_decay(3), [31 / 32, 63 / 64, 127 / 128])
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match="num_heads must be"):
            reference.retention_decay(wrong)
    with pytest.raises(ValueError, match="decay must be one of None, 'fixed', 'learned', got 'slow'"):
        check_decay_kind("slow")


# --- the layer ------------------------------------------------------------------------


@FACE
def test_a_fixed_decay_is_retention(face):
    layer, x = face.LinearAttention(6, 2, decay="fixed"), tensor(face, np.eye(6, dtype=np.float32)[None])
    plain, seen = face.LinearAttention(6, 2), []
    plain.attend = lambda *inputs, **options: seen.append(options) or (inputs[2], None)
    plain(x, causal=True)
    assert "decay" not in seen[0]
    gates = layer.gates(x)
    close(numbers(gates["decay"])[0, :, 0], [31 / 32, 63 / 64])


@FACE
def test_a_learned_decay_begins_by_remembering(face):
    x = np.random.default_rng(0).normal(size=(2, 5, 6)).astype(np.float32)
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)
    decay = numbers(face.LinearAttention(6, 2, decay="learned").gates(tensor(face, x))["decay"])
    assert decay.shape == (2, 2, 5) and decay.mean() > 0.9 and decay.min() > 0.5 and decay.max() < 1


@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_a_learned_decay_is_reset_to_remembering(name):
    """The weight drawn anew, small; the bias back at 4, not at zero; the strength beta at one half."""
    torch.manual_seed(0)
    layer = getattr(pytorch, name)(6, 2, decay="learned")
    with torch.no_grad():
        for x in layer.parameters():
            x.fill_(3.0)
    layer.reset_parameters()
    np.testing.assert_array_equal(numbers(layer.decay.bias), [4.0, 4.0])
    limit = (6 / (6 + 2)) ** 0.5
    assert layer.decay.weight.abs().max() < limit and layer.decay.weight.std() > 0.2 * limit
    if name == "DeltaRuleAttention":
        np.testing.assert_array_equal(numbers(layer.beta.bias), [0.0, 0.0])
        assert layer.beta.weight.abs().max() < limit and layer.beta.weight.std() > 0.2 * limit


@FACES
def test_mamba_2_is_linear_attention_with_a_decay(face):
    """State = exp(dt A) state + dt B x^T, y = C . state, is a masked matrix of C . B times dt x: the duality."""
    (C, b, x), dt, A = draw(), np.random.default_rng(1).uniform(0.1, 2.0, (B, H, S)), -0.7
    state, expected = np.zeros((B, H, K, V)), np.zeros((B, H, S, V))
    for t in range(S):
        written = b[:, :, t, :, None] * x[:, :, t, None, :]
        state = np.exp(dt * A)[:, :, t, None, None] * state + dt[:, :, t, None, None] * written
        expected[:, :, t] = (C[:, :, t, None] @ state)[:, :, 0]
    total = np.cumsum(dt * A, axis=-1)
    left = np.tril(np.exp(total[..., :, None] - total[..., None, :]))
    close((C @ b.swapaxes(-1, -2) * left) @ (dt[..., None] * x), expected)
    options = {"causal": True, "normalize": False, "feature_map": "identity", "decay": np.exp(dt * A)}
    close(call(face, NAME, C, b, dt[..., None] * x, **options), expected)
