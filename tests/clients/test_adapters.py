"""LoRA by peft, int8 by torchao: every linear map counts, in every form, and in what is decoded."""

import re

import numpy as np
import peft
import pytest
from every_layer import HEADS, MAPPED, made, maps_of, output
from support import draw, numbers
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, Int8WeightOnlyConfig, quantize_

from attn_course import pytorch
from attn_course.frameworks import torch

pytestmark = pytest.mark.filterwarnings("ignore")  # the tools' own


def adapted(item):
    """The layer with an adapter of peft on each linear map; they begin with what changes the output."""
    names = "|".join(map(re.escape, maps_of(item)))
    torch.manual_seed(0)  # an indexer's choice stays the same under some draws
    config = peft.LoraConfig(r=2, target_modules=names, init_lora_weights=False)
    return peft.inject_adapter_in_model(config, item)


def adapters_of(item):
    return {name: x for name, x in item.named_modules() if isinstance(x, peft.tuners.lora.Linear)}


@MAPPED
def test_lora_on_every_map(case):
    item = made(case)
    before, names = output(case, item), maps_of(item)
    adapted(item)
    after = output(case, item)
    assert len(adapters_of(item)) == len(names)
    for name, part in adapters_of(item).items():
        part.enable_adapters(False)
        assert np.abs(output(case, item) - after).max() > 1e-6, f"{name} was passed by"
        part.enable_adapters(True)
    for part in adapters_of(item).values():
        part.merge()
    if case.name != "lsh_attention":  # rounded otherwise, a vector falls into another bucket
        np.testing.assert_allclose(output(case, item), after, 1e-3, 1e-4)
    assert np.abs(after - before).max() > 1e-6


@MAPPED
def test_an_adapter_learns_alone(case):
    """Of a frozen layer each adapter gets a gradient, but those of an indexer: its choice has no slope."""
    item = made(case)
    adapted(item)
    for name, x in item.named_parameters():
        x.requires_grad_("lora_" in name)
    found = item(*case.values("pytorch", mask=case.mask, dtype="float32"))[0]
    found.sin().sum().backward()
    for name, x in item.named_parameters():
        learns = "lora_" in name and not name.startswith("index_")
        assert (x.grad is not None and x.grad.abs().max() > 0) == learns, name


@HEADS
def test_an_adapter_by_all_paths(case):
    item = made(case)
    adapted(item)
    expected = output(case, item)
    for options in ({"need_weights": False}, {"absorbed": True}):
        if options.keys() <= case.call_options.keys():
            np.testing.assert_allclose(output(case, item, **options), expected, 1e-3, 1e-4)


@MAPPED
@pytest.mark.parametrize("kind", [Int8WeightOnlyConfig, Int8DynamicActivationInt8WeightConfig])
def test_torchao(case, kind):
    item = made(case)
    before = output(case, item)
    names = set(maps_of(item))
    quantize_(item, kind(), filter_fn=lambda part, name: name in names)
    after = output(case, item)
    assert np.abs(after - before).max() > 0
    if case.name != "lsh_attention":
        assert np.abs(after - before).max() < 0.15 * np.abs(before).max()
        for options in ({"need_weights": False}, {"absorbed": True}):
            if options.keys() <= case.call_options.keys():
                assert np.abs(output(case, item, **options) - after).max() < 0.05 * np.abs(after).max()


@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_torchao_begins_a_state(name):
    """A state in the layer's dtype, and the steps of the whole."""
    item = getattr(pytorch, name)(12, 3, decay="learned").eval()
    quantize_(item, Int8WeightOnlyConfig())
    x = torch.from_numpy(draw(2, 5, 12)).float()
    with torch.no_grad():
        expected, state, steps = numbers(item(x, causal=True)[0]), item.new_state(2), []
        for t in range(5):
            found, state = item.step(x[:, t : t + 1], state)
            steps.append(numbers(found))
    np.testing.assert_allclose(np.concatenate(steps, 1), expected, 1e-3, 1e-4)


def test_torchao_decodes_with_a_cache():
    model = pytorch.LanguageModel(11, 2, 16, 4, 24, norm="pre", positions="rotary").eval()
    quantize_(model, Int8WeightOnlyConfig())
    tokens = torch.tensor([[1, 2, 3, 4, 5]])
    with torch.no_grad():
        expected, cache = numbers(model(tokens)[0]), model.new_cache(1, 5)
        steps = [numbers(model(tokens[:, t : t + 1], cache=cache)[0]) for t in range(5)]
    np.testing.assert_allclose(np.concatenate(steps, 1), expected, 1e-3, 1e-4)
