"""What the tests of many topics share: the three implementations, their tensors, layers, and how close is close."""

import re

import numpy as np
import pytest

from attn_course import pytorch, reference, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters, set_parameters

FACE = pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
FACES = pytest.mark.parametrize("face", [reference, pytorch, tf], ids=["reference", "pytorch", "tf"])


def tensor(face, x, dtype=None):
    """An array of NumPy as a face has it, real numbers in the dtype asked for; anything else as it is."""
    if face is reference or not isinstance(x, np.ndarray):
        return x
    if face is pytorch:
        made = torch.from_numpy(x.copy())
        return made.to(getattr(torch, dtype)) if dtype and made.is_floating_point() else made
    made = tensorflow.constant(x)
    return tensorflow.cast(made, dtype) if dtype and made.dtype.is_floating else made


def to(face, *arrays, dtype=None):
    """A list of what ``tensor`` makes of each."""
    return [tensor(face, x, dtype) for x in arrays]


def kind(face, dtype="float64"):
    """The options that ask a function for a dtype; the specification has one only."""
    return {} if face is reference else {"dtype": getattr(torch if face is pytorch else tensorflow, dtype)}


def numbers(x):
    """The values of any tensor in NumPy, real numbers in float64."""
    if torch.is_tensor(x):
        return (x.detach().double() if x.is_floating_point() else x).cpu().numpy()
    x = np.asarray(x)
    return x if x.dtype.kind in "biu" else x.astype(np.float64)


def close(found, expected, tolerance=1e-10):
    """Assert that a tensor, or each of several, is as expected; None only where None is expected."""
    if isinstance(found, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            close(one, other, tolerance)
    elif found is None or expected is None:
        assert found is expected
    else:
        np.testing.assert_allclose(numbers(found), numbers(expected), tolerance, tolerance)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def build(face, name, *sizes, dtype="float64", **options):
    """A layer in a dtype."""
    if face is tf:
        return getattr(tf, name)(*sizes, **options, dtype=dtype)
    return getattr(pytorch, name)(*sizes, **options).to(getattr(torch, dtype))


def pair(name, *sizes, scale=1.0, **options):
    """A layer in both frameworks with the same drawn parameters, biases too, and these."""
    layers, rng = {face: build(face, name, *sizes, **options) for face in (pytorch, tf)}, np.random.default_rng(3)
    parameters = {key: scale * rng.normal(size=x.shape) for key, x in get_parameters(layers[pytorch]).items()}
    for layer in layers.values():
        set_parameters(layer, parameters)
    return layers, parameters


def drawn(layer, scale=1.0):
    """The layer with drawn parameters, biases too."""
    parameters = get_parameters(layer)
    set_parameters(layer, {key: scale * draw(*x.shape, seed=n) for n, (key, x) in enumerate(parameters.items())})
    return layer


def in_chunks(face, layer, x, chunks, mask=None, **options):
    """What a layer gives of x in chunks, one behind the other, joined; a mask is cut at what is read so far."""
    found, end = [], 0
    with torch.no_grad():
        for size in chunks:
            start, end = end, end + size
            seen = {} if mask is None else {"mask": tensor(face, mask[..., :end])}
            found.append(numbers(layer(tensor(face, x[:, start:end]), **seen, **options)[0]))
    assert end == x.shape[1]
    return np.concatenate(found, 1)


def twinned(one, other):
    """Both models of a lab, with the parameters of PyTorch's; in Keras ``input`` and ``output`` are taken names."""
    given = get_parameters(one)
    theirs = {name: re.sub(r"^(in|out)put_layer\.", r"\1put.", name) for name in get_parameters(other)}
    set_parameters(other, {name: given[mine] for name, mine in theirs.items()})
    return one, other


def gradients(face, function, inputs, layer=None):
    """The gradients of a function's sum in NumPy, of its named inputs and, by their parity keys, of a layer."""
    if face is pytorch:
        leaves = [torch.from_numpy(x).clone().requires_grad_() for x in inputs.values()]
        owned = [] if layer is None else list(layer.parameters())
        found = torch.autograd.grad(function(*leaves).sum(), leaves + owned, allow_unused=True)
    else:
        leaves = [tensorflow.Variable(x) for x in inputs.values()]
        owned = [] if layer is None else [x.value for x in layer.trainable_variables]
        with tensorflow.GradientTape() as tape:
            value = tensorflow.reduce_sum(function(*(leaf.value() for leaf in leaves)))
        found = [x if x is None else tensorflow.convert_to_tensor(x) for x in tape.gradient(value, leaves + owned)]
    named = {name: numbers(x) for name, x in zip(inputs, found, strict=False)}
    if layer is not None:  # written into the layer for a moment, so that parity names and turns them
        before = get_parameters(layer)
        for own, x in zip(owned, found[len(leaves) :], strict=True):
            x = np.zeros(own.shape) if x is None else numbers(x)
            own.data.copy_(torch.from_numpy(x)) if face is pytorch else own.assign(x)
        named |= get_parameters(layer)
        set_parameters(layer, before)
    return named


class Largest(torch.utils._python_dispatch.TorchDispatchMode):
    """How many numbers the largest tensor of a run holds."""

    found = 0

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        made = function(*arguments, **(options or {}))
        for x in made if isinstance(made, (tuple, list)) else [made]:
            if torch.is_tensor(x):
                self.found = max(self.found, x.untyped_storage().nbytes() // x.element_size())
        return made


def sizes_in_a_graph(function, *specs):
    """How many numbers each tensor of TensorFlow's graph holds, which has no loop or branch to hide some."""
    operations = tensorflow.function(function).get_concrete_function(*specs).graph.get_operations()
    assert not any("While" in x.type or "If" in x.type for x in operations)
    sizes = [x.shape.num_elements() for operation in operations for x in operation.outputs]
    assert None not in sizes
    return sizes


def slope(function, x, step=1e-5, seed=5):
    """A direction, and the central difference of a number along it."""
    direction = draw(*x.shape, seed=seed)
    direction /= np.linalg.norm(direction)
    return direction, (function(x + step * direction) - function(x - step * direction)) / (2 * step)


def caught(check, *inputs):
    """Assert that a check fails: a planted fault is seen."""
    with pytest.raises(AssertionError):
        check(*inputs)
