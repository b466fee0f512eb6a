"""Flash attention: exact in float64, its gradients, its tiles; the online softmax; bytes counted by loops."""

import math

import numpy as np
import pytest
from support import FACE, FACES, draw, gradients, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.mechanisms.flash import pytorch as flash_torch, tf as flash_tf

B, H, K, V = 2, 3, 5, 7
LENGTHS = ((1, 1), (53, 53), (7, 41), (41, 7))


def inputs_of(T, S):
    shapes = {"query": (T, K), "key": (S, K), "value": (S, V)}
    return {name: draw(B, H, *shape, seed=n) for n, (name, shape) in enumerate(shapes.items())}


def masks_of(T, S):
    """None, padding with an empty row, one per head with an empty row, one for all."""
    rng = np.random.default_rng(T)
    padding = (np.arange(S) < np.array([[S], [0]]))[:, None, None]
    each = rng.random((B, H, T, S)) < 0.5
    each[0, 0, 0] = False
    return None, padding, each, each[0, 0], each[:, :1]


def at_once(inputs, mask, causal):
    return reference.scaled_dot_product_attention(*inputs.values(), mask, causal=causal)[0]


def test_online_softmax_by_hand():
    """1 and 2, then 4: the sum 1 + e^-1 shrinks by e^-2, and 1 is added."""
    highest, total, kept, part = reference_renew([1.0, 2.0], -np.inf, 0.0)
    assert (highest, total, kept) == (2.0, 1 + math.exp(-1), 0.0) and part[1] == 1
    highest, total, kept, _ = reference_renew([4.0], highest, total)
    assert highest == 4.0 and kept == math.exp(-2)
    assert total == pytest.approx(math.exp(-3) + math.exp(-2) + 1, rel=1e-15)
    found = reference.online_softmax(np.array([1.0, 2.0, 4.0]), block_size=2)
    assert found == pytest.approx(np.exp([-3, -2, 0]) / total, rel=1e-15)


def reference_renew(score, highest, total):
    from attn_course.mechanisms.flash.reference import renew

    found = renew(np.array(score), np.array([max(highest, -1e300)]), np.array([total]))
    return [x.item() if x.size == 1 else x for x in found]


@FACES
@pytest.mark.parametrize("block_size", [1, 3, 17, 100])
def test_online_softmax_is_the_softmax(face, block_size):
    score = 30 * draw(3, 5, 17)
    score[0, 0], score[1, 2, :9], score[2, 0, 0] = -np.inf, -np.inf, 900.0
    found = numbers(face.online_softmax(tensor(face, score), block_size=block_size))
    np.testing.assert_allclose(found, reference.masked_softmax(score), rtol=1e-12, atol=1e-300)
    halves = tensor(face, score, "float16")
    if face is not reference:
        assert face.online_softmax(halves, block_size=block_size).dtype == halves.dtype


@FACE
def test_online_softmax_has_the_gradient_of_the_softmax(face):
    score, weight = draw(3, 11), draw(3, 11, seed=1)

    def total(function):
        return lambda score: function(score) * tensor(face, weight)

    found = gradients(face, total(lambda x: face.online_softmax(x, block_size=4)), {"score": score})
    expected = gradients(face, total(lambda x: face.masked_softmax(x)), {"score": score})
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-10, atol=1e-14)


@FACES
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("T", "S"), LENGTHS)
def test_exact_in_float64(face, T, S, causal):
    inputs = inputs_of(T, S)
    for mask in masks_of(T, S):
        for block_size in (1, 100) if mask is None and T < 50 else (5,):
            given = {"causal": causal, "block_size": block_size}
            found, weights = face.flash_attention(*to(face, *inputs.values()), mask, **given)
            assert weights is None
            np.testing.assert_allclose(numbers(found), at_once(inputs, mask, causal), rtol=0, atol=1e-12)


@FACE
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("T", "S"), LENGTHS[1:])
def test_gradients_are_those_of_dense_attention(face, T, S, causal):
    inputs, weight = inputs_of(T, S), draw(B, H, T, V, seed=9)
    for mask in masks_of(T, S):

        def total(face, name, mask=mask, **options):
            function, given = getattr(face, name), tensor(face, weight)
            return lambda *heads: function(*heads, mask, causal=causal, **options)[0] * given

        found = gradients(face, total(face, "flash_attention", block_size=5), inputs)
        expected = gradients(pytorch, total(pytorch, "scaled_dot_product_attention"), inputs)
        for name, x in expected.items():
            np.testing.assert_allclose(found[name], x, rtol=1e-10, atol=1e-10)


def test_a_second_derivative_is_right_or_an_error():
    """PyTorch's own fused kernels have none. The gradient of this sum does not depend on what comes in."""
    x = draw(1, 2, 5, 3)
    leaf, mask = torch.tensor(x, requires_grad=True), torch.from_numpy(draw(5, 5) > -1)

    def attend(x, other):
        return pytorch.flash_attention(x, x.sin(), other * x, mask, causal=True, block_size=2)[0]

    assert torch.autograd.gradgradcheck(attend, (leaf, torch.tensor(draw(1, 2, 5, 3, seed=1), requires_grad=True)))
    constant = tensorflow.constant(x)
    with tensorflow.GradientTape() as outer:
        outer.watch(constant)
        with tensorflow.GradientTape() as inner:
            inner.watch(constant)
            output = tf.flash_attention(constant, constant, constant)[0]
        first = inner.gradient(output, constant)
        with pytest.raises(LookupError, match="no second derivative"):
            outer.gradient(first, constant)


@FACE
def test_large_scores_and_long_rows(face):
    """Rows whose highest score comes first, last and in between; scores of 1e4."""
    inputs = inputs_of(13, 97)
    inputs["query"] *= 1e4
    for order in (slice(None), slice(None, None, -1)):
        turned = inputs | {name: inputs[name][:, :, order].copy() for name in ("key", "value")}
        found = face.flash_attention(*to(face, *turned.values()), block_size=8)[0]
        np.testing.assert_allclose(numbers(found), at_once(inputs, None, False), rtol=0, atol=1e-10)


@FACE
@pytest.mark.parametrize(("dtype", "step"), [("float32", 2**-24), ("float16", 2**-11), ("bfloat16", 2**-8)])
def test_rounded_once(face, dtype, step):
    inputs = {name: numbers(tensor(face, x, dtype)) for name, x in inputs_of(31, 61).items()}
    found = face.flash_attention(*to(face, *inputs.values(), dtype=dtype), causal=True, block_size=4)[0]
    assert dtype in str(found.dtype)
    expected = at_once(inputs, None, True)
    # One rounding to the dtype, and what sums in float32 lose.
    assert np.abs(numbers(found) - expected).max() <= (step + 2**-19) * np.abs(expected).max()


def largest(monkeypatch, module, name):
    """How many scores of one head a tile has at most, while it runs."""
    sizes, scores = [], getattr(module, name)

    def counted(*arguments):
        found = scores(*arguments)
        sizes.append((int(found.shape[-2]), int(found.shape[-1])))
        return found

    monkeypatch.setattr(module, name, counted)
    return sizes


@pytest.mark.parametrize(("face", "module"), [(pytorch, flash_torch), (tf, flash_tf)], ids=["pytorch", "tf"])
def test_no_tile_is_larger_than_said_and_the_future_is_not_visited(face, module, monkeypatch):
    sizes = largest(monkeypatch, module, "scores")
    inputs = {name: x[:1, :1] for name, x in inputs_of(67, 67).items()}
    face.flash_attention(*to(face, *inputs.values()), block_size=4)
    assert max(sizes) == (16, 4) and sum(T * S for T, S in sizes) >= 67 * 67
    everything = len(sizes)
    sizes.clear()
    face.flash_attention(*to(face, *inputs.values()), causal=True, block_size=4)
    assert len(sizes) < 0.7 * everything
    sizes.clear()
    gradients(face, lambda *heads: face.flash_attention(*heads, block_size=4)[0], inputs)
    assert (4, 67) in sizes and max(T * S for T, S in sizes) == 4 * 67, "a block of queries, and all keys"


def test_peak_memory_grows_as_the_length():
    """Of PyTorch's own count of every tensor: forward and backward, without the inputs."""
    assert 0.9 < exponent(lambda x: pytorch.flash_attention(x, x, x, block_size=16)[0]) < 1.2
    assert exponent(lambda x: pytorch.scaled_dot_product_attention(x, x, x)[0]) > 1.7


def exponent(function):
    peaks = []
    for n in (512, 2048):
        x = torch.randn(1, 1, n, 16, requires_grad=True)
        with torch.profiler.profile(profile_memory=True) as profile:
            function(x).sum().backward()
        held = np.cumsum([event.nbytes() for event in memory_events(profile)])
        peaks.append(held.max())
    return math.log(peaks[1] / peaks[0]) / math.log(4)


def memory_events(profile):
    return [event for event in profile.profiler.kineto_results.events() if event.name() == "[memory]"]


class Memory:
    """Slow memory: every slice that is read or written is counted."""

    def __init__(self, **arrays):
        self.arrays, self.numbers = arrays, 0

    def read(self, name, rows=slice(None), columns=slice(None)):
        found = self.arrays[name][rows, columns]
        self.numbers += found.size
        return found

    def write(self, name, x, rows=slice(None)):
        self.arrays[name][rows] = x
        self.numbers += x.size


def standard(memory):
    """FlashAttention's Algorithm 0: three kernels, each of which reads and writes."""
    memory.write("score", memory.read("query") @ memory.read("key").T / np.sqrt(K))
    memory.write("weights", reference.masked_softmax(memory.read("score")))
    memory.write("output", memory.read("weights") @ memory.read("value"))


def flash(memory, block_size, causal):
    T, S = len(memory.arrays["query"]), len(memory.arrays["key"])
    for start in range(0, T, block_size):
        rows = slice(start, min(start + block_size, T))
        seen = max(0, min(S, rows.stop + S - T)) if causal else S
        query = memory.read("query", rows)
        total, context = np.zeros((rows.stop - start, 1)), np.zeros((rows.stop - start, V))
        for s in range(seen):  # a tile of one key: how many it has changes nothing
            allowed = np.arange(start, rows.stop)[:, None] + S - T >= s if causal else True
            part = np.where(allowed, np.exp(query @ memory.read("key", slice(s, s + 1)).T / np.sqrt(K)), 0)
            total, context = total + part, context + part @ memory.read("value", slice(s, s + 1))
        memory.write("output", context / np.where(total == 0, 1, total), rows)
        memory.write("log_total", np.log(np.where(total == 0, 1, total)), rows)


@pytest.mark.parametrize(("T", "S"), LENGTHS)
def test_traffic_is_what_a_loop_moves(T, S):
    arrays = {name: x[0, 0] for name, x in inputs_of(T, S).items()}

    def fresh():
        made = {"score": np.empty((T, S)), "weights": np.empty((T, S)), "output": np.empty((T, V))}
        return Memory(**arrays, **made, log_total=np.empty((T, 1)))

    memory = fresh()
    standard(memory)
    assert 8 * memory.numbers == reference.memory_traffic(T, S, K, V, itemsize=8)
    for causal in (False, True):
        for block_size in (1, 4, 100):
            memory = fresh()
            flash(memory, block_size, causal)
            given = {"block_size": block_size, "causal": causal, "itemsize": 8}
            assert 8 * memory.numbers == reference.memory_traffic(T, S, K, V, **given)
            expected = reference.scaled_dot_product_attention(*arrays.values(), causal=causal)[0]
            np.testing.assert_allclose(memory.arrays["output"], expected, rtol=1e-10, atol=1e-12)


def test_traffic_falls_with_the_fast_memory_as_theorem_2_says():
    """T S K^2 / M: twice the memory, half the traffic, until all queries fit."""
    T, M = 2**16, np.array([2**16, 2**17, 2**18])
    found = [reference.memory_traffic(T, T, 64, block_size=int(m / (4 * 64))) for m in M]
    assert np.polyfit(np.log(M), np.log(found), 1)[0] == pytest.approx(-1, abs=0.03)
    assert found[0] == pytest.approx(2 * 8 * T * T * 64**2 / M[0], rel=0.02)
    long = [reference.memory_traffic(n, n, 64) for n in (T, 2 * T)]
    assert math.log2(long[1] / long[0]) == pytest.approx(2, abs=0.02)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # PyTorch itself, at its first jvp
def test_torch_func_goes_through():
    """vmap, also over a gradient and a mask, forward mode, and both together: no rule of the tiles is asked for."""
    tensors = [torch.tensor(x) for x in inputs_of(7, 11).values()]
    mask = torch.tensor(draw(B, 1, 7, 11) > -0.5)

    def loss(query, key, value, mask):
        return pytorch.flash_attention(query, key, value, mask, causal=True, block_size=3)[0].sin().sum()

    each = torch.stack([loss(*one) for one in zip(*tensors, mask, strict=True)])
    torch.testing.assert_close(torch.func.vmap(loss)(*tensors, mask), each)
    found = torch.func.vmap(torch.func.grad(loss, argnums=(0, 1, 2)))(*tensors, mask)
    leaves = [x.clone().requires_grad_() for x in tensors]
    torch.testing.assert_close(found, torch.autograd.grad(loss(*leaves, mask), leaves))
    along = torch.tensor(draw(*tensors[0].shape, seed=9))
    _, slope_found = torch.func.jvp(lambda query: loss(query, *tensors[1:], mask), (tensors[0],), (along,))
    torch.testing.assert_close(slope_found, (found[0] * along).sum())
