"""No mechanism reads a weight past the part that has it: adapters, quantization and hooks of any linear map count."""

import numpy as np
import pytest
from cases import CASES
from support import draw, numbers

from attn_course import pytorch
from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.core.layer.tf import AttentionLayer as KerasAttentionLayer
from attn_course.frameworks import keras, torch
from attn_course.parity import get_parameters, set_parameters

HEADS = [c for c in CASES if c.layer and issubclass(type(c.built("pytorch")), AttentionLayer)]


def maps_of(item):
    """The linear maps of a layer that a call asks; a decoder's bridge is for its first state, which it is given."""
    found = {name: part for name, part in item.named_modules() if type(part) is torch.nn.Linear}
    return {name: part for name, part in found.items() if name != "bridge"}


def each(cases):
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


LAYER = each(HEADS)
MAPPED = each([c for c in CASES if c.layer and maps_of(c.built("pytorch"))])


def opened(item):
    """The layer, with a gate open that hides at its start what it is multiplied with."""
    parameters = get_parameters(item)
    if "gate" in parameters:
        set_parameters(item, parameters | {"gate": np.ones_like(parameters["gate"])})
    return item


def paths(case, item):
    """Options of all ways through a layer: as it stands, without weights, absorbed, and over heads by a cache."""
    found = [{}]
    if "need_weights" in case.call_options and "decoder" not in case.name:
        found.append({"need_weights": False})
    if "absorbed" in case.call_options:
        found.append({"absorbed": True})
    if isinstance(item, AttentionLayer) and len(case.inputs) > 1:
        B, S = case.inputs["key"].shape[:2]
        kept = {"cache": lambda: item.new_cache(B, S)}
        found += [kept] if type(item).new_cache is AttentionLayer.new_cache else []
    return found


def first(case, face, item, options, dtype="float64"):
    """The output alone, as numbers."""
    made = {name: x() if callable(x) else x for name, x in options.items()}
    return numbers(item(*case.values(face, dtype=dtype), **made)[0])


@MAPPED
def test_hooks_and_adapters_of_pytorch(case):
    item = opened(case.build("pytorch"))
    for options in paths(case, item):
        with torch.no_grad():
            hooked(case, item, options)


def hooked(case, item, options):
    before = first(case, "pytorch", item, options)
    for name, part in maps_of(item).items():
        asked, change = [], torch.from_numpy(draw(part.out_features, part.in_features))

        def adapter(module, inputs, output, change=change, asked=asked):
            asked.append(1)
            return output + inputs[0] @ change.mT

        handle = part.register_forward_hook(adapter)
        after = first(case, "pytorch", item, options)
        handle.remove()
        assert asked, f"{name} was not called: {options}"
        assert np.abs(after - before).max() > 1e-6, f"{name} was passed by: {options}"
    np.testing.assert_array_equal(first(case, "pytorch", item, options), before)


@torch.no_grad()
def stepwise(item, x):
    state, steps = item.new_state(len(x)), []
    for t in range(x.shape[1]):
        output, state = item.step(x[:, t : t + 1], state)
        steps.append(output)
    return torch.cat(steps, 1)


@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_hooks_of_pytorch_change_a_step(name):
    item = getattr(pytorch, name)(12, 3, decay="learned")
    x = torch.from_numpy(draw(2, 4, 12)).float()

    before = stepwise(item, x)
    assert len(maps_of(item)) >= 5
    for name, part in maps_of(item).items():
        handle = part.register_forward_hook(lambda module, inputs, output: output + inputs[0].sin().mean(-1, True))
        assert (stepwise(item, x) - before).abs().max() > 1e-5, name
        handle.remove()


@LAYER
def test_weight_norm_of_pytorch(case):
    item = case.build("pytorch")
    maps = [part for part in item.modules() if type(part) is torch.nn.Linear]
    every = paths(case, item)
    alike = [options for options in every if "cache" not in options]
    expected = first(case, "pytorch", item, every[0])
    for part in maps:
        torch.nn.utils.parametrizations.weight_norm(part)
    before = [first(case, "pytorch", item, options) for options in alike]
    for found in before:
        np.testing.assert_allclose(found, expected, atol=1e-5)
    for part in maps:
        lengths = part.parametrizations.weight.original0
        with torch.no_grad():
            lengths[0] *= 3  # one row: some layers normalize what a map gives
            after = [first(case, "pytorch", item, options) for options in alike]
            lengths[0] /= 3
        for one, other in zip(after, before, strict=True):
            assert np.abs(one - other).max() > 1e-6
        np.testing.assert_allclose(after[-1], after[0], atol=1e-5)


@LAYER
def test_adapters_of_keras(case):
    item = case.build("tf")
    assert isinstance(item, KerasAttentionLayer)
    maps = [part for part in item._flatten_layers() if type(part) is keras.layers.Dense]
    assert len(maps) >= 3
    for part in maps:
        part.enable_lora(2)
    for options in keras_paths(case):
        before = first(case, "tf", item, options)
        for part in maps:
            kept = part.lora_kernel_b.numpy()
            part.lora_kernel_b.assign(draw(*kept.shape))
            after = first(case, "tf", item, options)
            part.lora_kernel_b.assign(kept)
            assert np.abs(after - before).max() > 1e-6, f"{part.name} was passed by: {options}"


def keras_paths(case):
    """Options of the ways through a layer of Keras, which has no fused kernel."""
    return [{}] + [{"absorbed": True}] * ("absorbed" in case.call_options)


@pytest.mark.parametrize("name", ["language_model", "transformer"])
def test_a_table_is_asked_for_its_rows(name):
    """What stands in for an embedding, or hooks it, changes the logits as it changes what is read."""
    case = next(c for c in CASES if c.name == name)
    item, values = case.build("pytorch"), case.values("pytorch")
    x = torch.from_numpy(draw(2, 3, case.sizes["model_dim"]))
    before = item.logits(x)
    item.embedding.register_forward_hook(lambda module, inputs, output: 2 * output)
    torch.testing.assert_close(item.logits(x), 2 * before)
    item(*values)[0].sum().backward()
    assert item.embedding.weight.grad is not None


@MAPPED
@pytest.mark.filterwarnings("ignore")  # the library's own: its quantization has moved to another package
def test_int8_of_pytorch(case):
    """Its linear maps replaced: nearly the same, by every path alike."""
    item = opened(case.build("pytorch", "float32"))
    small = torch.ao.quantization.quantize_dynamic(item, {torch.nn.Linear}, dtype=torch.qint8)
    assert not maps_of(small)
    for options, other in zip(paths(case, item), paths(case, small), strict=True):
        with torch.no_grad():
            before = first(case, "pytorch", item, options, "float32")
            after = first(case, "pytorch", small, other, "float32")
        assert np.abs(after - before).max() > 0
        if not case.declared.jumps:
            assert np.abs(after - before).max() < 0.1 * np.abs(before).max()


class Int8(torch.Tensor):
    """A weight as torchao has it: whole numbers and a scale a row, and no operation but a linear map by it."""

    @staticmethod
    def __new__(cls, whole, scale):
        return torch.Tensor._make_wrapper_subclass(cls, whole.shape, dtype=scale.dtype)

    def __init__(self, whole, scale):
        self.whole, self.scale = whole, scale

    def __tensor_flatten__(self):
        return ["whole", "scale"], None

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        if function is torch.nn.functional.linear:
            x, weight, bias = args
            return function(x, weight.whole * weight.scale, bias)
        return super().__torch_function__(function, types, args, kwargs or {})

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.detach.default:
            return args[0]
        raise NotImplementedError(f"{function} of an int8 weight")


@MAPPED
def test_weights_that_know_no_more_than_a_product(case):
    """As after ``torchao.quantization.quantize_``: what their numbers say, by every path and from an empty state."""
    item = opened(case.build("pytorch"))
    for part in maps_of(item).values():
        scale = part.weight.detach().abs().amax(1, keepdim=True) / 127
        whole = (part.weight.detach() / scale).round()
        with torch.no_grad():
            part.weight.copy_(whole * scale)
    with torch.no_grad():
        expected = [first(case, "pytorch", item, options) for options in paths(case, item)]
        for part in maps_of(item).values():
            scale = part.weight.abs().amax(1, keepdim=True) / 127
            whole = (part.weight / scale).round()
            part.weight = torch.nn.Parameter(Int8(whole, scale), requires_grad=False)
        for options, known in zip(paths(case, item), expected, strict=True):
            np.testing.assert_allclose(first(case, "pytorch", item, options), known, 1e-8, 1e-8)
        for begin in ("new_state", "new_cache"):
            if hasattr(item, begin) and isinstance(item, AttentionLayer):
                getattr(item, begin)(*(2, 3)[: 1 + (begin == "new_cache")])


@pytest.mark.filterwarnings("ignore")  # the library's own: its quantization has moved to another package
@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_int8_of_pytorch_begins_a_state(name):
    item = getattr(pytorch, name)(12, 3, decay="learned")
    small = torch.ao.quantization.quantize_dynamic(item, {torch.nn.Linear}, dtype=torch.qint8)
    x = torch.from_numpy(draw(2, 5, 12)).float()
    with torch.no_grad():
        expected = small(x, causal=True)[0]
    assert (stepwise(small, x) - expected).abs().max() < 0.1 * expected.abs().max()
