"""safetensors, accelerate, FSDP of one process, and PyTorch's own averages, pruning, checkpoints and traces."""

import copy

import accelerate
import numpy as np
import pytest
import safetensors.torch
from every_layer import LAYERS, LEARNING, WITH_NUMBERS, each, made, output
from support import numbers
from torch.distributed.fsdp import fully_shard
from torch.nn.utils import prune

from attn_course import pytorch
from attn_course.frameworks import torch

pytestmark = pytest.mark.filterwarnings("ignore")  # the tools' own


@LEARNING
def test_safetensors(case, tmp_path):
    item, path = made(case), tmp_path / "layer.safetensors"
    expected = output(case, item)
    safetensors.torch.save_file(item.state_dict(), path)
    twin = case.build("pytorch", "float32").eval()
    twin.load_state_dict(safetensors.torch.load_file(path), strict=True, assign=True)
    np.testing.assert_array_equal(output(case, twin), expected)


@LEARNING
def test_made_empty_and_filled_by_accelerate(case, tmp_path):
    item, path = made(case), tmp_path / "model.safetensors"
    safetensors.torch.save_file(item.state_dict(), path)
    with accelerate.init_empty_weights():
        empty = case.build("pytorch", "float32").eval()
    assert {x.device.type for x in empty.parameters()} == {"meta"}
    accelerate.load_checkpoint_in_model(empty, str(path), device_map={"": "cpu"})
    np.testing.assert_array_equal(output(case, empty), output(case, item))


def test_a_language_model_trained_by_accelerate():
    torch.manual_seed(0)
    model = pytorch.LanguageModel(7, 1, 16, 2, 24, norm="pre")
    accelerator = accelerate.Accelerator(cpu=True)
    rows = torch.arange(9).repeat(4, 1) % 7
    data = torch.utils.data.DataLoader(list(rows), batch_size=2)
    model, optimizer, data = accelerator.prepare(model, torch.optim.Adam(model.parameters(), 1e-2), data)
    losses = []
    for _ in range(20):
        for tokens in data:
            loss = torch.nn.functional.cross_entropy(model(tokens[:, :-1])[0].mT, tokens[:, 1:])
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    """A group of one process."""
    path = tmp_path_factory.mktemp("group") / "meeting"
    torch.distributed.init_process_group("gloo", init_method=f"file://{path}", rank=0, world_size=1)
    yield torch.distributed.init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


@LEARNING
def test_sharded(case, mesh):
    """Each part and the whole by ``fully_shard``: the same output, and a step of training."""
    item = made(case)
    expected = output(case, item)
    for part in item.children():
        if isinstance(part, torch.nn.Linear | pytorch.EncoderLayer | pytorch.DecoderLayer):
            fully_shard(part, mesh=mesh)
    if case.name == "feature_map_attention":
        with pytest.raises(ValueError, match="scalar parameters"):
            fully_shard(item, mesh=mesh)
        return
    fully_shard(item, mesh=mesh, reshard_after_forward=True)
    np.testing.assert_allclose(output(case, item), expected, 1e-5, 1e-6)
    optimizer = torch.optim.SGD(item.parameters(), 0.1)
    item(*case.values("pytorch", mask=case.mask, dtype="float32"))[0].sin().sum().backward()
    optimizer.step()
    assert np.abs(output(case, item) - expected).max() > 0


@LEARNING
def test_averaged_pruned_checkpointed(case):
    item = made(case)
    expected = output(case, item)
    average = torch.optim.swa_utils.AveragedModel(item)
    average.update_parameters(item)
    np.testing.assert_allclose(output(case, average), expected, 1e-6, 1e-6)
    values = case.values("pytorch", mask=case.mask, dtype="float32")
    gradients = []
    for again in (False, True):
        twin = copy.deepcopy(item)
        run = torch.utils.checkpoint.checkpoint(twin, *values, use_reentrant=False) if again else twin(*values)
        run[0].sin().sum().backward()
        gradients.append([x.grad for x in twin.parameters()])
    for one, other in zip(*gradients, strict=True):
        assert one is None is other or torch.equal(one, other)
    maps = [part for part in item.modules() if type(part) is torch.nn.Linear]
    for part in maps:
        prune.random_unstructured(part, "weight", 0.5)
    cut = output(case, item)
    for part in maps:
        prune.remove(part, "weight")
    np.testing.assert_allclose(output(case, item), cut, 1e-6, 1e-6)


# What PyTorch's retired tracer has no words for: masks made of sizes, loops of the compiler, a rule for the gradient.
UNTRACED = {"delta_rule_attention", "flash_attention", "sliding_window_attention", "dilated_window_attention"}
UNTRACED |= {"longformer_attention", "strided_attention", "fixed_attention", "block_sparse_attention"}
UNTRACED |= {"big_bird_attention"}


@each([case for case in LAYERS if not case.cell])
def test_traced(case):
    """``torch.jit.trace``, or an error of its own: no other number. ``torch.export`` takes all these layers."""

    class First(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.item = made(case)

        def forward(self, *values):
            return self.item(*values)[0]

    whole, values = First().eval(), tuple(case.values("pytorch", mask=case.mask, dtype="float32"))
    with torch.no_grad():
        if case.name in UNTRACED:
            with pytest.raises((RuntimeError, torch.jit.TracingCheckError)):
                torch.jit.trace(whole, values)
            return
        traced = torch.jit.trace(whole, values)
        np.testing.assert_allclose(numbers(traced(*values)), numbers(whole(*values)), 1e-5, 1e-5)


@each([case for case in WITH_NUMBERS if not any(isinstance(x, torch.nn.GRU) for x in case.build("pytorch").modules())])
def test_a_gradient_for_every_row(case):
    """``torch.func.vmap`` over the rows of a batch, as differential privacy asks: each row's own gradient.

    PyTorch's own ``GRU`` has no rule for it.
    """
    item = made(case)
    parameters = {name: x.detach() for name, x in item.named_parameters()}
    values = case.values("pytorch", dtype="float32")

    def total(parameters, *row):
        found = torch.func.functional_call(item, parameters, tuple(x[None] for x in row))[0]
        return found.sin().sum()

    found = torch.func.vmap(torch.func.grad(total), in_dims=(None, *[0] * len(values)))(parameters, *values)
    for row in range(len(values[0])):
        expected = torch.func.grad(total)(parameters, *(x[row] for x in values))
        for name, x in expected.items():
            np.testing.assert_allclose(numbers(found[name][row]), numbers(x), 1e-3, 1e-4, err_msg=name)
