"""Every public layer, in both frameworks: numbers, masks, errors, dtypes, seeds."""

import functools
import itertools

import numpy as np
import pytest
from cases import CASES, FACES, PADDING, VARIANTS, B, S, T, flat, parameters_of, plain, said, same, specified
from support import gradients, numbers

from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
FACE = pytest.mark.parametrize("face", FACES)
LAYERS = pytest.mark.parametrize("case", [c for c in CASES if c.layer], ids=lambda case: case.name)
MASKED = pytest.mark.parametrize("case", [c for c in CASES if c.blocked], ids=lambda case: case.name)
STEP = {"float32": 2e-5, "bfloat16": 0.15, "float16": 0.02}

OWN_SEED = ("projection", "rotations")


@pytest.mark.parametrize("case", (*CASES, *VARIANTS), ids=lambda case: case.name)
@FACE
def test_agrees_with_the_reference(case, face):
    """As it stands and with each option, without a mask and with one."""
    item = case.built(face)
    for mask, called in itertools.product((None, case.mask), ({}, *({name: x} for name, x in case.options.items()))):
        with said("no mask" if mask is None else "mask", *called or ["no option"]):
            found = case.run(face, item, case.inputs, mask, **called)
            assert all("float64" in str(x.dtype) for x in flat(found) if x is not None)
            same(found, specified(case, item, case.inputs, mask, **called))


@EACH
@FACE
def test_an_option_is_refused_by_name(case, face):
    item = case.built(face)
    for name in case.declared.refuses:
        given = item.new_cache(B, S) if name == "cache" else case.otherwise[name]
        with pytest.raises(ValueError, match=rf"{name} (must be|is not supported|needs)"):
            case.run(face, item, case.inputs, None, **{name: given})


def of_queries(x):
    """The queries on the second axis, of an output (B, T, ...) and of weights (B, H, T, S) alike."""
    return np.moveaxis(numbers(x), -2, 1)


@MASKED
@FACE
def test_the_mask_says_who_may_be_seen(case, face):
    item = case.built(face)
    expected = specified(case, item, case.inputs, case.mask)
    # In self-attention the hidden words ask too: for themselves alone.
    rows = PADDING if case.alone else slice(None)
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    for name in case.blocked:
        np.moveaxis(inputs[name], -2, 1)[~PADDING] = 1e6
    found = case.run(face, item, inputs, case.mask)
    assert all(np.isfinite(numbers(x)).all() for x in flat(found) if x is not None)
    both = [[x if x is None else of_queries(x)[rows] for x in flat(each)] for each in (found, expected)]
    same(*both)
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    for name in case.blocked:
        inputs[name][0, ..., S - 1, :] += 1.0  # the last word of row 0 may be seen, so this must change row 0 alone
    output = numbers(case.run(face, item, inputs, case.mask)[0])
    assert np.abs(output[0] - expected[0][0]).max() > 1e-4
    np.testing.assert_allclose(output[1:], expected[0][1:], rtol=1e-10, atol=1e-10)
    if expected[1] is not None:
        sums = flat(expected[1])[-1].sum(-1)  # of the last, where there are several: those over what is masked
        assert sums.any() and not sums[2].any()
        right = {"one": np.minimum(abs(sums), abs(sums - 1)) < 1e-12, "less": sums < 1, "any": np.isfinite(sums)}
        assert right[case.sums].all()


# What asks with some positions and reads others; how many of each, where it may be any.
HEADS = [c for c in CASES if "causal" in c.options and len(c.inputs) > 1 and not {*"TS"} & {*c.fixed}]
LENGTHS = [(1, S), (T, 3), (T, T)]


@pytest.mark.parametrize("case", HEADS, ids=lambda case: case.name)
@FACE
def test_causal_at_any_lengths(case, face):
    """A query alone, more queries than keys, as many: each may take another way, without weights too."""
    item, ways = case.built(face), ({"causal": True}, {"causal": True, "need_weights": False})
    for lengths, options, masked in itertools.product(LENGTHS, ways, (False, True)):
        sizes = dict(zip("TS", lengths, strict=True))
        *arrays, mask = case.sized(lambda letter, size, sizes=sizes: sizes.get(letter, size))
        seen = mask if masked else None
        with said(f"T, S = {lengths}", options, "mask" if masked else "no mask"):
            found = case.run(face, item, *arrays, seen, **options)
            same(found, specified(case, item, *arrays, seen, **options))


# Whose heads take any mask, and say what is causal.
MASKABLE = [c for c in CASES if c.declared.form.mask[:3] == "B11" and "causal" in c.options and not c.declared.padding]


@pytest.mark.parametrize("case", MASKABLE, ids=lambda case: case.name)
@FACE
def test_each_query_and_head_has_a_mask_of_its_own(case, face):
    item, sizes = case.built(face), {"B": B, "H": case.declared.sizes.get("num_heads", 2), "T": T, "S": S, "1": 1}
    sizes["T"] = next(iter(case.inputs.values())).shape[-2]
    for axes, more, causal in itertools.product(("TS", "B1TS", "BHTS", "1H1S"), ({}, case.call_options), (False, True)):
        mask = np.random.default_rng(3).random([sizes[letter] for letter in axes]) < 0.6
        options = more | {"causal": causal}
        with said(f"mask {axes}", options):
            found = case.run(face, item, case.inputs, mask, **options)
            same(found, specified(case, item, case.inputs, mask, **options))


# Whose chunks are not causal, or of a length of their own, or read a state (tests/mechanisms/test_state_decoding.py).
AT_ONCE = ("big_bird", "block_sparse", "decoder", "delta_rule", "encoder_decoder", "linear_attention", "linformer")
AT_ONCE += ("lsh", "transformer")
STEPWISE = [c for c in CASES if hasattr(c.item, "new_cache") and not c.name.startswith(AT_ONCE)]


@pytest.mark.parametrize("case", STEPWISE, ids=lambda case: case.name)
@FACE
def test_chunks_behind_a_cache(case, face):
    """Several positions, one, and several, behind padding on the left: as all at once, by every path."""
    item, options = case.built(face), {"causal": True} if "causal" in case.otherwise else {}
    paths = ({}, *({name: x} for name, x in case.call_options.items() if name != "causal"))
    arrays, _ = case.sized(lambda letter, size: S if letter in "TS" else size)
    mask = (np.arange(S) >= np.array([[0], [4], [2]]))[:, None, None]
    for seen, path in itertools.product((None, mask), paths):
        cache, found = item.new_cache(B, S), []
        for start, end in ((0, 3), (3, 4), (4, S)):
            chunk = {name: x[:, start:end] for name, x in arrays.items()}
            so_far = None if seen is None else seen[..., :end]
            found.append(numbers(case.run(face, item, chunk, so_far, **options, **path, cache=cache)[0]))
        with said("no mask" if seen is None else "mask", path):
            same(np.concatenate(found, axis=1), specified(case, item, arrays, seen, **options)[0])


SUM = {"pytorch": torch.sum, "tf": tensorflow.reduce_sum}


@pytest.mark.parametrize("case", (*CASES, *VARIANTS), ids=lambda case: case.name)
def test_gradients(case):
    """Alike in both frameworks and by every path, and the slope of the specification; none of what is hidden.

    The last row may see nothing, and hidden words are huge, unless they ask too. The slope is along a step of all
    inputs and parameters at once.
    """
    inputs, rng = {name: x.copy() for name, x in case.inputs.items()}, np.random.default_rng(4)
    hidden = () if case.alone else case.blocked
    for name in hidden:
        np.moveaxis(inputs[name], -2, 1)[~PADDING] = 1e6
    items = {face: case.build(face) for face in FACES}
    parameters = parameters_of(case, items["pytorch"])
    learned = {name: x + 0.1 * rng.normal(size=x.shape) for name, x in parameters.items() if name not in OWN_SEED}
    parameters |= learned
    for item in items.values() if case.layer else ():
        set_parameters(item, parameters)
    real = {name: x for name, x in inputs.items() if x.dtype == np.float64}
    outputs = plain(case.run("pytorch", items["pytorch"], inputs, case.mask))
    probes = [None if x is None else rng.normal(size=x.shape) for x in outputs]

    def total(found, convert=np.asarray, add=np.sum):
        """Every number that comes out, times one of its own."""
        return sum(add(x * convert(by)) for x, by in zip(flat(found), probes, strict=True) if x is not None)

    def slopes(face, options):
        def call(*leaves):
            moved, values = dict(zip(real, leaves, strict=True)), case.values(face, inputs, case.mask)
            given = [moved.get(name, x) for name, x in itertools.zip_longest(inputs, values)]  # the mask has no name
            return total(items[face](*given, **options), functools.partial(case.convert, face), SUM[face])

        return gradients(FACES[face], call, real, items[face] if case.layer else None)

    def loss(moved):
        own = parameters | {name: x for name, x in moved.items() if name in parameters}
        given = inputs | {name: x for name, x in moved.items() if name in inputs}
        return total(specified(case, own, given, case.mask, **options))

    for options in ({}, case.call_options):
        of_torch, of_tf = (slopes(face, options) for face in FACES)
        steps, leaves = {}, real | learned
        for name, x in leaves.items():
            with said(name, options):
                same(of_tf[name], of_torch[name], 1e-8)
            step = rng.normal(size=x.shape) * (x != 1e6)
            steps[name] = step * 1e-5 / np.linalg.norm(step)
        up, down = (loss({name: x + sign * steps[name] for name, x in leaves.items()}) for sign in (1, -1))
        expected = 2 * sum((of_torch[name] * step).sum() for name, step in steps.items())
        with said(options):
            assert up - down == pytest.approx(expected, rel=1e-5, abs=1e-9)
        for name in hidden:
            assert not np.moveaxis(of_torch[name], -2, 1)[~PADDING].any()


@pytest.mark.slow
@EACH
@FACE
@pytest.mark.parametrize("dtype", STEP)
def test_dtypes(case, face, dtype):
    item = case.build(face, dtype)
    found = case.run(face, item, case.inputs, case.mask, dtype)
    assert all(dtype in str(x.dtype) for x in flat(found) if x is not None)
    same(found, specified(case, item, case.inputs, case.mask), STEP[dtype])


@EACH
@FACE
def test_no_argument_is_changed(case, face):
    item, values = case.built(face), case.values("pytorch", mask=case.mask)
    if face == "tf":
        values = [x.numpy() for x in values]
    before = [np.asarray(x).copy() for x in values]
    item(*values)
    assert all(np.array_equal(np.asarray(x), y) for x, y in zip(values, before, strict=True))
    inputs = {name: x.copy() for name, x in case.inputs.items()}
    specified(case, item, inputs, case.mask)
    assert all(np.array_equal(x, case.inputs[name]) for name, x in inputs.items())


@LAYERS
@FACE
def test_the_same_seed_repeats(case, face):
    drawn = []
    for number in (5, 5, 6):
        torch.manual_seed(number)
        keras.utils.set_random_seed(number)
        drawn.append(get_parameters(case.build(face)))
    # Biases begin alike; what has a seed of its own is the same every time.
    names = [name for name, x in drawn[0].items() if len(np.unique(x)) > 2 and name not in OWN_SEED]
    assert all(np.array_equal(drawn[0][name], drawn[1][name]) for name in drawn[0])
    assert not any(np.array_equal(drawn[0][name], drawn[2][name]) for name in names)


@LAYERS
@FACE
def test_a_layer_says_its_sizes_and_how_it_is_called(case, face):
    item = case.built(face)
    item = getattr(item, "bias_layer", item)
    assert (item.forward if face == "pytorch" else item.call).__doc__
    assert case.declared.weights or "None" in type(item).__doc__
    for name, size in (case.sizes or {}).items():
        if isinstance(size, int | tuple):
            assert f"{name}={size}" in repr(item), name
