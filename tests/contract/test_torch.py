"""Every public layer in PyTorch: some in one graph and exported; files, devices, autocast, functional calls."""

import copy
import io
import pickle

import graphs
import numpy as np
import pytest
from cases import CASES, PARTS, flat, plain, same, specified
from exports import Whole, in_onnx
from support import numbers

from attn_course import pytorch
from attn_course.frameworks import torch
from attn_course.parity import get_parameters

LAYERS = pytest.mark.parametrize("case", [c for c in CASES if c.layer], ids=lambda case: case.name)
NAMED = {case.name: case for case in CASES}
SOME = pytest.mark.parametrize("case", [NAMED[n] for n in graphs.SOME if not NAMED[n].cell], ids=lambda case: case.name)
IN_ONNX = ("scaled_dot_product_attention", "relative_attention", "linear_attention", "sliding_window_attention")
TRAINED = ("flash_attention", "sliding_window_attention", "encoder_layer")


@SOME
def test_one_graph(case):
    graphs.check_one_graph_in_torch(case)


@pytest.mark.parametrize("name", TRAINED)
def test_compiled_and_trained(name):
    """The gradients of what is compiled, at two lengths: what has a rule or a loop of its own, and what has none."""
    case = NAMED[name]
    item = case.build("pytorch")
    compiled = torch.compile(item, backend="aot_eager", fullgraph=True)
    for inputs, mask in ((case.inputs, case.mask), case.longer()):
        values = case.values("pytorch", inputs, mask)
        leaves = [x.requires_grad_() for x in values if x.is_floating_point()] + list(item.parameters())
        found, expected = (torch.autograd.grad(one(*values)[0].sin().sum(), leaves) for one in (compiled, item))
        same(found, plain(expected), 1e-8)


def test_the_fused_kernels_keep_empty_rows_in_onnx():
    """PyTorch's own attention gives zeros to a row that may see nothing, its translation alone does not."""
    case = NAMED["multi_head_attention"]
    item = Whole(case.build("pytorch", "float32"), {"need_weights": False}).eval()
    values = case.values("pytorch", mask=case.mask, dtype="float32")
    found = in_onnx(torch.export.export(item, tuple(values)), values)
    same(found, [numbers(x) for x in item(*values)], 1e-5)


@SOME
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # the exporter's own, in a loop
def test_exported_for_any_size(case):
    """Some in ONNX too, `make test-compiled` has all of them there."""
    program, values, expected = graphs.check_exported(case)
    if case.name in IN_ONNX:
        same(in_onnx(program, values), expected, 1e-4)


def through_pickle(item):
    return pickle.loads(pickle.dumps(item))


def through_file(item):
    file = io.BytesIO()
    torch.save(item, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


def through_state(item, twin):
    file = io.BytesIO()
    torch.save(item.state_dict(), file)
    file.seek(0)
    twin.load_state_dict(torch.load(file))
    return twin


@LAYERS
def test_copies_and_files(case):
    item = case.built("pytorch")
    expected = plain(case.run("pytorch", item, case.inputs, case.mask))
    copies = [copy.deepcopy(item), through_pickle(item), through_file(item)]
    copies.append(through_state(item, case.build("pytorch")))
    for made in copies:
        same(case.run("pytorch", made, case.inputs, case.mask), expected, 0)
    assert len(item.state_dict()) == len(get_parameters(item)), "nothing that only helps is saved"


def takes_place(case):
    return any(True for _ in case.built("pytorch").parameters())


@LAYERS
def test_made_and_called_without_memory(case):
    """On the meta device; given memory and drawn anew there, it does what it does elsewhere."""
    item = case.build("pytorch")
    expected = flat(case.run("pytorch", item, case.inputs, case.mask))
    if takes_place(case):
        made = case.build("pytorch", device="meta")
        assert {(x.device.type, x.dtype) for x in made.parameters()} == {("meta", torch.float64)}
    else:
        made = case.build("pytorch").to("meta")
    values = [x.to("meta") for x in case.values("pytorch", mask=case.mask)]
    if not case.cell:
        found = flat(made(*values))
        assert [x if x is None else (x.shape, x.device.type) for x in found] == [
            x if x is None else (x.shape, "meta") for x in expected
        ]
    made.to_empty(device="cpu")
    draw_anew(made)
    assert all(x.isfinite().all() for x in made.parameters())
    made.load_state_dict(item.state_dict())
    same(case.run("pytorch", made, case.inputs, case.mask), [None if x is None else numbers(x) for x in expected], 0)


def draw_anew(item):
    """The parts first: what a layer says of its parts holds."""
    for part in reversed(list(item.modules())):
        if hasattr(part, "reset_parameters"):
            part.reset_parameters()


@LAYERS
def test_drawn_anew(case):
    """``reset_parameters`` draws every weight, and from where the constructor draws."""
    item = case.build("pytorch")
    before = get_parameters(item)
    draw_anew(item)
    after = get_parameters(item)
    for name, x in before.items():
        assert len(np.unique(x)) <= 2 or not np.array_equal(x, after[name]), name
        assert np.abs(after[name]).max() <= 3 * np.abs(x).max() + 1e-12, name


@LAYERS
@pytest.mark.parametrize(("narrow", "tolerance"), [("bfloat16", 0.2), ("float16", 0.03)])
@pytest.mark.parametrize("given", ["float32", "narrow"])
def test_autocast(case, narrow, tolerance, given):
    """Parameters in float32; inputs as they were, or as the layer before gives them."""
    item = case.built("pytorch", "float32")
    expected = specified(case, item, case.inputs, case.mask)
    given = narrow if given == "narrow" else given
    with torch.autocast("cpu", getattr(torch, narrow)):
        found = flat(item(*case.values("pytorch", case.inputs, case.mask, given)))
    same(found, expected, tolerance)
    if takes_place(case):
        gradients = torch.autograd.grad(found[0].float().sum(), list(item.parameters()), allow_unused=True)
        assert all(x is None or x.isfinite().all() for x in gradients)


@LAYERS
def test_functional_calls_and_their_gradients(case):
    item = case.built("pytorch")
    parameters = dict(item.named_parameters())
    if not parameters:
        return
    values = tuple(case.values("pytorch", mask=case.mask))

    def total(parameters):
        return flat(torch.func.functional_call(item, parameters, values))[0].square().sum()

    found = torch.func.grad(total)(parameters)
    expected = torch.autograd.grad(total(parameters), list(parameters.values()), allow_unused=True)
    for (name, one), other in zip(found.items(), expected, strict=True):
        other = torch.zeros_like(one) if other is None else other
        np.testing.assert_allclose(numbers(one), numbers(other), rtol=1e-10, atol=1e-12, err_msg=name)


MASKED = [c for c in CASES if c.mask is not None]


@pytest.mark.parametrize("case", MASKED, ids=lambda case: case.name)
def test_a_mask_of_numpy_is_taken(case):
    item = case.built("pytorch")
    found = flat(item(*case.values("pytorch"), case.mask))
    same(found, specified(case, item, case.inputs, case.mask))


def test_every_public_class_is_here():
    classes = {name for name in pytorch.__all__ if isinstance(getattr(pytorch, name), type)}
    assert classes - PARTS.keys() == {case.layer for case in CASES} - {None}
