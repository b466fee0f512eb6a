"""No mechanism reads a weight past the part that has it: adapters, quantization and hooks of any linear map count."""

import numpy as np
import pytest
from cases import CASES
from support import draw, numbers

from attn_course import pytorch
from attn_course.core.layer.pytorch import AttentionLayer
from attn_course.core.layer.tf import AttentionLayer as KerasAttentionLayer
from attn_course.frameworks import keras, torch

HEADS = [c for c in CASES if c.layer and issubclass(type(c.build("pytorch")), AttentionLayer)]
LAYER = pytest.mark.parametrize("case", HEADS, ids=lambda case: case.name)
FORMS = {"latent_attention": ({}, {"absorbed": True})}


def first(case, face, item, options):
    """The output alone, as numbers."""
    return numbers(item(*case.values(face), **options)[0])


@LAYER
def test_hooks_and_adapters_of_pytorch(case):
    item = case.build("pytorch")
    maps = [name for name, part in item.named_modules() if type(part) is torch.nn.Linear]
    assert len(maps) >= 3
    for options in FORMS.get(case.name, ({},)):
        before = first(case, "pytorch", item, options)
        for name in maps:
            part, asked = item.get_submodule(name), []
            change = torch.from_numpy(draw(part.out_features, part.in_features))

            def adapter(module, inputs, output, change=change, asked=asked):
                asked.append(1)
                return output + inputs[0] @ change.mT

            handle = part.register_forward_hook(adapter)
            after = first(case, "pytorch", item, options)
            handle.remove()
            assert asked, f"{name} was not called"
            assert np.abs(after - before).max() > 1e-6, f"{name} was passed by"
        np.testing.assert_array_equal(first(case, "pytorch", item, options), before)


@LAYER
def test_weight_norm_of_pytorch(case):
    item = case.build("pytorch")
    maps = [part for part in item.modules() if type(part) is torch.nn.Linear]
    every = FORMS.get(case.name, ({},))
    expected = first(case, "pytorch", item, every[0])
    for part in maps:
        torch.nn.utils.parametrizations.weight_norm(part)
    before = [first(case, "pytorch", item, options) for options in every]
    for found in before:
        np.testing.assert_allclose(found, expected, atol=1e-5)
    for part in maps:
        lengths = part.parametrizations.weight.original0
        with torch.no_grad():
            lengths[0] *= 3  # one row: some layers normalize what a map gives
            after = [first(case, "pytorch", item, options) for options in every]
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
    for options in FORMS.get(case.name, ({},)):
        before = first(case, "tf", item, options)
        for part in maps:
            kept = part.lora_kernel_b.numpy()
            part.lora_kernel_b.assign(draw(*kept.shape))
            after = first(case, "tf", item, options)
            part.lora_kernel_b.assign(kept)
            assert np.abs(after - before).max() > 1e-6, f"{part.name} was passed by"


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


@pytest.mark.filterwarnings("ignore")  # the library's own: its quantization has moved to another package
@pytest.mark.parametrize("name", ["LinearAttention", "DeltaRuleAttention"])
def test_int8_of_pytorch_begins_a_state(name):
    item = getattr(pytorch, name)(12, 3, decay="learned")
    small = torch.ao.quantization.quantize_dynamic(item, {torch.nn.Linear}, dtype=torch.qint8)
    x = torch.from_numpy(draw(2, 5, 12)).float()
    with torch.no_grad():
        expected = small(x, causal=True)[0]
        state, steps = small.new_state(2), []
        for t in range(5):
            output, state = small.step(x[:, t : t + 1], state)
            steps.append(output)
    assert (torch.cat(steps, 1) - expected).abs().max() < 0.1 * expected.abs().max()
