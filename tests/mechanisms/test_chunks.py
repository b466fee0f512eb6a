"""Sums over the past, in a loop over chunks or all at once as on a GPU; at once, work grows as the length."""

import numpy as np
import pytest
from linearized_cases import LENGTHS, B, H, S, call, draw, padding, per_column, per_key
from support import FACE, close, gradients, numbers, tensor, to
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from attn_course import pytorch, reference, tf
from attn_course.core.chunked import pytorch as chunked_torch, tf as chunked_tf
from attn_course.core.chunked.shared import chunks_at_once
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.mechanisms.hashing.shared import draw_rotations

CHUNKED = {pytorch: chunked_torch, tf: chunked_tf}
ROWS = reference.orthogonal_projection(6, 5, seed=3)
CASES = {
    "linear": ("linear_attention", {"causal": True}, {}),
    "decay": ("linear_attention", {"causal": True}, {"decay": per_key()}),
    "one decay": ("linear_attention", {"causal": True}, {"decay": per_key()[:1, :, :1]}),
    "sums": ("linear_attention", {"causal": True, "normalize": False, "feature_map": "relu"}, {"decay": per_key()}),
    "performer": ("performer_attention", {"causal": True, "projection": ROWS}, {}),
    "waves": ("performer_attention", {"causal": True, "projection": ROWS, "features": "trigonometric"}, {}),
    "fourier": ("random_feature_attention", {"causal": True, "projection": ROWS}, {"gate": per_key(2)}),
    "delta": ("delta_rule_attention", {}, {"beta": per_key(5)}),
    "gated delta": ("delta_rule_attention", {}, {"beta": per_key(5), "decay": per_key()}),
    "delta by columns": ("delta_rule_attention", {}, {"beta": per_key(5), "decay": per_column()}),
}
CASE = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def inputs(case, T=S):
    """The function's name, all its arrays by name, and its options; keys of length 1, as the delta rule wants them."""
    name, options, gates = case
    query, key, value = draw(T)
    key = key / np.linalg.norm(key, axis=-1, keepdims=True)
    return name, {"query": query, "key": key, "value": value, **gates}, options


def run(face, name, arrays, **options):
    """``call`` with arrays by name."""
    query, key, value, *_ = arrays.values()
    return call(face, name, query, key, value, **dict(list(arrays.items())[3:]), **options)


@pytest.fixture(autouse=True)
def few_in_a_group(monkeypatch):
    """So that 11 positions in chunks of 1 are groups of groups, the last of them not full."""
    for chunked in CHUNKED.values():
        monkeypatch.setattr(chunked, "GROUP", 3)


@CASE
@FACE
@pytest.mark.parametrize("at_once", [False, True])
def test_chunks_are_the_specification(face, case, at_once):
    """Lengths that no chunk divides, behind a cache, more queries than keys, with padding."""
    for T in LENGTHS:
        name, arrays, options = inputs(case, T)
        for mask in (None, padding()):
            expected = run(reference, name, arrays, mask=mask, **options)
            for chunk_size in (1, 3, 4, 64):
                with chunks_at_once(at_once):
                    found = run(face, name, arrays, mask=mask, chunk_size=chunk_size, **options)
                close(found, expected)


@CASE
@FACE
def test_gradients_are_those_of_the_loop(face, case):
    name, arrays, options = inputs(case)
    options = {**options, "mask": padding(), "chunk_size": 2}
    found = []
    for one, wanted in ((pytorch, False), (face, True)):
        more = {key: tensor(one, x) for key, x in options.items()}

        def attend(*x, one=one, more=more):
            output = getattr(one, name)(**dict(zip(arrays, x, strict=True)), **more)[0]
            return output * tensor(one, np.cos(np.arange(output.shape[-1])))

        with chunks_at_once(wanted):
            found.append(gradients(one, attend, arrays))
    for key, gradient in found[0].items():
        close(found[1][key], gradient)


@pytest.mark.parametrize("kind", ["linear", "decay", "gated delta"])
@FACE
def test_the_state_before_a_chunk_is_that_of_the_steps(face, kind):
    """A state carried from step to step goes on where the chunks before it end."""
    name, arrays, _ = inputs(CASES[kind])
    chunked, own = CHUNKED[face], {key: tensor(face, x) for key, x in arrays.items()}
    states, state, step = [], None, f"{name.removesuffix('_attention')}_step".replace("linear", "linear_attention")
    for t in range(S):
        here = {key: x[:, :, t : t + 1] for key, x in own.items()}
        options = {"feature_map": "identity"} if name == "linear_attention" else {}
        state = getattr(face, step)(state, **here, **options)[1]
        states.append(numbers(state[0] if isinstance(state, tuple) else state))
    key, value = arrays["key"][..., None], arrays["value"][..., None, :]
    decay = arrays.get("decay")
    if kind != "gated delta":
        log_decay = [] if decay is None else [chunked.log_of(tensor(face, decay), tensor(face, arrays["key"]))]
        found = chunked.before(tensor(face, (key * value).reshape(B, H, S, -1)), *log_decay)
        found = numbers(found).reshape(B, H, S, *states[0].shape[2:])
    else:
        beta = arrays["beta"][..., None, None]
        kept = decay[..., None, None] * (np.eye(key.shape[-2]) - beta * key * key.swapaxes(-1, -2))
        found = chunked.before_maps(*to(face, kept, beta * key * value))
    assert not numbers(found)[:, :, 0].any()
    close(numbers(found)[:, :, 1:], np.stack(states[:-1], axis=2))


@FACE
@pytest.mark.parametrize("kind", ["linear", "decay", "gated delta"])
def test_float32_and_bfloat16(face, kind):
    """Sums in float32, whatever comes in; hundreds of chunks."""
    name, options, gates = CASES[kind]
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(3, 1, 2, 1_000, 8))
    key = key / np.linalg.norm(key, axis=-1, keepdims=True)
    arrays = {"query": query, "key": key, "value": value}
    arrays |= {gate: rng.uniform(0.9, 1.0, (1, 2, 1_000)) for gate in gates}
    for dtype, most in (("float32", 5e-6), ("bfloat16", 2e-2)):
        cast = {key: tensor(face, x, dtype) for key, x in arrays.items()}
        read = {key: numbers(x) for key, x in cast.items()}
        exact = numbers(getattr(reference, name)(**read, **options)[0])
        with chunks_at_once(True):
            output = getattr(face, name)(**cast, **options, chunk_size=4)[0]
        assert output.dtype == cast["value"].dtype
        assert np.linalg.norm(numbers(output) - exact) < most * np.linalg.norm(exact)


@pytest.mark.parametrize("decay", ["key", "column"])
def test_one_graph(decay):
    """Of unknown batch and length, also by XLA; in PyTorch of the delta rule alone: other graphs never loop."""
    _, given, _ = inputs(CASES["gated delta" if decay == "key" else "delta by columns"])
    arrays = list(given.values())
    kinds = [tensorflow.TensorSpec((None, H, None, *x.shape[3:]), x.dtype) for x in arrays]
    cut = {length: [x[:, :, :length] for x in arrays] for length in (S, 6)}
    expected = {length: call(reference, "delta_rule_attention", *x[:4], decay=x[4]) for length, x in cut.items()}
    with chunks_at_once(True):
        for xla in (False, True):
            options = {"input_signature": kinds, "jit_compile": xla}
            graph = tensorflow.function(
                lambda *x: tf.delta_rule_attention(*x[:4], decay=x[4], chunk_size=2)[0], **options
            )
            for length, x in cut.items():
                close(numbers(graph(*x)), expected[length])
        torch.compiler.reset()
        compiled = torch.compile(pytorch.delta_rule_attention, backend="aot_eager", fullgraph=True)
        *first, last = map(torch.tensor, arrays)
        close(numbers(compiled(*first, decay=last, chunk_size=2)[0]), expected[S])


def test_it_maps_over_examples():
    arrays = [torch.tensor(x) for x in inputs(CASES["delta"])[1].values()]
    with chunks_at_once(True):
        expected = pytorch.delta_rule_attention(*arrays)[0]
        close(torch.func.vmap(pytorch.delta_rule_attention, out_dims=(0, None))(*arrays)[0], expected)


# --- long texts -----------------------------------------------------------------------


KEEPS = {"decay": (0.9, 1.0)}
# Of the errors the part that is looked at: a tie of two buckets may be decided by rounding, and waves may nearly cancel
# in a denominator.
LONG = {
    "linear": ("linear_attention", {"causal": True}, {}, 1.0, 2e-5),
    "decay": ("linear_attention", {"causal": True}, KEEPS, 1.0, 2e-5),
    "delta": ("delta_rule_attention", {}, {"beta": (0.5, 1.0), "decay": (0.5, 1.0)}, 1.0, 5e-5),
    "performer": ("performer_attention", {"causal": True, "num_features": 64}, {}, 1.0, 1e-4),
    "fourier": ("random_feature_attention", {"causal": True, "num_features": 64}, {"gate": (0.9, 1.0)}, 0.5, 1e-5),
    "hashing": ("lsh_attention", {"num_buckets": 512, "num_rounds": 2}, {}, 0.995, 1e-4),
    "low rank": ("linformer_attention", {"need_weights": False}, {}, 1.0, 2e-3),
}


@FACE
@pytest.mark.parametrize(("name", "options", "gates", "part", "most"), LONG.values(), ids=LONG)
def test_float32_is_stable_at_length_16k(face, name, options, gates, part, most):
    rng, length = np.random.default_rng(0), 16_384
    query, key, value = rng.normal(size=(3, 1, 1, length, 4))
    arrays, more = [query, key, value], {gate: rng.uniform(*ends, (1, 1, length)) for gate, ends in gates.items()}
    if name == "delta_rule_attention":
        arrays[1] = key / np.linalg.norm(key, axis=-1, keepdims=True)
    elif name == "lsh_attention":
        arrays, more = [query, value], {"rotations": draw_rotations(4, 512, 2, seed=0).astype("float32")}
    elif name == "linformer_attention":
        more = {"key_projection": rng.normal(size=(7, length)) / 7**0.5}
    narrow, wide = (
        call(
            face,
            name,
            *(x.astype(dtype) for x in arrays),
            **options,
            **{key: x.astype(dtype) for key, x in more.items()},
        )
        for dtype in ("float32", "float64")
    )
    size = np.abs(wide).max() if name == "linformer_attention" else 1.0
    assert np.quantile(np.abs(narrow - wide).max(-1), part) < most * size


# --- the work -------------------------------------------------------------------------


class Operations(TorchDispatchMode):
    """Counts what is computed; a view, which starts no kernel, is not."""

    def __enter__(self):
        self.count = 0
        return super().__enter__()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        self.count += not function.is_view
        return found


def work(kind, chunks, grad):
    """Operations and flops on a device that is no CPU, without numbers."""
    name, _, gates = CASES[kind]
    shapes = [(1, 2, chunks * 4, 8)] * 3 + [(1, 2, chunks * 4)] * len(gates)
    arrays = [torch.empty(shape, device="meta", requires_grad=grad) for shape in shapes]
    arrays = dict(zip(("query", "key", "value", *gates), arrays, strict=True))
    options = {"causal": True} if name == "linear_attention" else {}
    with Operations() as operations, FlopCounterMode(display=False) as flops:
        output = getattr(pytorch, name)(**arrays, **options, chunk_size=4)[0]
        if grad:
            output.sum().backward()
    return operations.count, flops.get_total_flops()


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("kind", ["linear", "decay", "gated delta"])
def test_operations_do_not_grow_with_the_chunks(kind, grad, monkeypatch):
    """On a GPU; of the delta rule as twice the root of their number. The flops grow as the length."""
    monkeypatch.setattr(chunked_torch, "GROUP", 64)
    few, many, flops = work(kind, 16, grad), work(kind, 64, grad), [work(kind, n, grad)[1] for n in (256, 1_024)]
    if kind == "gated delta":
        assert 0 < many[0] - few[0] <= (64 - 16) * (2 if grad else 1) / 2
    else:
        assert many[0] == few[0] < (150 if grad else 60)
        assert work(kind, 128, grad)[0] == work(kind, 1_024, grad)[0]
    assert flops[1] < 4.2 * flops[0]


def test_the_loop_grows_with_the_chunks():
    """What the count above would say of it."""
    arrays, found = [torch.randn(1, 2, 256, 8) for _ in range(3)], []
    for length in (64, 256):
        with Operations() as operations:
            pytorch.linear_attention(*(x[:, :, :length] for x in arrays), causal=True, chunk_size=4)
        found.append(operations.count)
    assert found[1] > 3 * found[0]


def names_in(graph):
    """The kinds of all operations of a graph, and of those in the bodies of its loops."""
    definition = graph.graph.as_graph_def()
    inner = [[node.op for node in x.node_def] for x in definition.library.function if "while_body" in x.signature.name]
    return [node.op for node in definition.node], inner


@pytest.mark.parametrize("kind", ["linear", "decay", "gated delta"])
def test_a_graph_has_no_loop_but_for_one_small_product(kind, monkeypatch):
    """TensorFlow, where it sees a GPU: the delta rule goes through a group and through the groups."""
    name, _, gates = CASES[kind]
    real = tensorflow.config.list_physical_devices
    monkeypatch.setattr(tensorflow.config, "list_physical_devices", lambda kind=None: [kind] if kind else real())
    kinds = [tensorflow.TensorSpec((1, 2, None, 8))] * 3 + [tensorflow.TensorSpec((1, 2, None))] * len(gates)
    options = {"causal": True} if name == "linear_attention" else {}
    attend = tensorflow.function(
        lambda *x: getattr(tf, name)(*x[:3], **dict(zip(gates, x[3:], strict=True)), **options)[0]
    )
    ops, bodies = names_in(attend.get_concrete_function(*kinds))
    loops = [op for op in ops if "While" in op]
    assert len(loops) == len(bodies) == (2 if kind == "gated delta" else 0)
    for body in bodies:
        assert sum("MatMul" in op for op in body) == 1


def test_the_device_chooses(monkeypatch):
    x = torch.empty(1)
    assert not chunked_torch.at_once(x) and chunked_torch.at_once(x.to("meta"))
    y, seen = tensorflow.zeros(1), []
    assert not chunked_tf.at_once(y)
    monkeypatch.setattr(tensorflow.config, "list_physical_devices", lambda kind: [kind])
    tensorflow.function(lambda y: seen.append(chunked_tf.at_once(y))).get_concrete_function(y)
    with tensorflow.device("CPU"):
        assert not chunked_tf.at_once(tensorflow.zeros(1))
    assert seen == [True]
    for wanted in (False, True):
        with chunks_at_once(wanted):
            assert chunked_torch.at_once(x) is chunked_tf.at_once(y) is wanted
    assert not chunked_torch.at_once(x)
