"""Run a module or a layer of the learner's: its output and its gradients."""

import inspect
from functools import partial
from weakref import WeakSet

import numpy as np

from attn_course.exercises.engine.exercise import as_floats
from attn_course.exercises.engine.run import (
    Refused,
    call_function,
    check_unchanged,
    into,
    leaves,
    to_numpy,
)

STEP = 1e-6


def _wave(shape, phase):
    """A fixed direction, the same for every framework."""
    return np.sin(phase + 1.3 * np.arange(np.prod(shape, dtype=int))).reshape(shape)


def call_module(answer, case, framework):
    """(output, gradients): one derivative per floating input and per parameter.

    The loss is the sum of the output times a fixed wave; each derivative is taken along
    another fixed wave. The NumPy solution is a function of inputs and parameters, and
    its derivatives are central differences.
    """
    sizes, inputs, parameters = case.arguments
    if framework == "numpy":
        return _differences(answer, sizes, inputs, parameters)
    if framework == "torch":
        return _in_torch(answer, sizes, inputs, parameters)
    return _in_tf(answer, sizes, inputs, parameters)


def call_part(answer, case, framework):
    """What a function of a model gives, and one derivative per floating array it gets.

    Like `call_module`, but parameters are arguments, in a dictionary too.
    """
    arrays = call_function(answer, case, framework)
    wide = framework == "numpy"
    given = as_floats(case.arguments, np.float64) if wide else case.arguments
    given = into(framework, given)
    if framework == "torch":
        slopes = _part_in_torch(answer, given)
    elif framework == "tf":
        slopes = _part_in_tf(answer, given)
    else:
        slopes = _part_differences(answer, given)
    return *arrays, slopes


def _part_differences(answer, given):
    slopes = []
    for leaf in leaves(given):
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
            along, ends = STEP * _wave(leaf.shape, 0.7), []
            for sign in (1, -2):
                leaf += sign * along
                found = [to_numpy(x) for x in leaves(answer(*given))]
                found = [x for x in found if x.dtype.kind == "f"]
                ends.append(sum((x * _wave(x.shape, 0.3)).sum() for x in found))
            leaf += along
            slopes.append((ends[0] - ends[1]) / (2 * STEP))
    return np.array(slopes, np.float32)


def _part_in_torch(answer, given):
    from attn_course.core.frameworks import torch

    tensors = [each for each in leaves(given) if isinstance(each, torch.Tensor)]
    moved = [each.requires_grad_() for each in tensors if each.is_floating_point()]
    found = [each for each in leaves(answer(*given)) if isinstance(each, torch.Tensor)]
    found = [each for each in found if each.requires_grad]
    if found:
        waves = [torch.from_numpy(np.asarray(_wave(x.shape, 0.3))) for x in found]
        sum((x * wave).sum() for x, wave in zip(found, waves, strict=True)).backward()
    return _slopes([each.grad for each in moved], moved)


def _part_in_tf(answer, given):
    from attn_course.core.frameworks import tf

    moved = [x for x in leaves(given) if tf.is_tensor(x) and x.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(moved)
        found = [each for each in leaves(answer(*given)) if tf.is_tensor(each)]
        found = [each for each in found if each.dtype.is_floating]
        waves = [tf.constant(_wave(tuple(x.shape), 0.3), x.dtype) for x in found]
        parts = [tf.reduce_sum(x * w) for x, w in zip(found, waves, strict=True)]
        loss = tf.add_n(parts) if parts else tf.constant(0.0)
    found = [
        None if x is None else tf.convert_to_tensor(x)
        for x in tape.gradient(loss, moved)
    ]
    return _slopes(found, moved)


def _floating(inputs):
    return [n for n, x in enumerate(inputs) if x.dtype.kind == "f"]


def _differences(solution, sizes, inputs, parameters):
    if "sizes" in inspect.signature(solution).parameters:
        solution = partial(solution, sizes=sizes)
    output = solution(*inputs, *parameters.values())
    weight = _wave(output.shape, 0.3)
    places = _floating(inputs)
    every = [*inputs, *parameters.values()]
    places += range(len(inputs), len(every))
    slopes = []
    for place in places:
        along, ends = _wave(every[place].shape, 0.7), []
        for sign in (1, -1):
            moved = list(every)
            moved[place] = every[place] + sign * STEP * along
            ends.append((solution(*moved) * weight).sum())
        slopes.append((ends[0] - ends[1]) / (2 * STEP))
    return output, np.array(slopes)


def gradient_names(exercise, case):
    """What each of the gradients belongs to, in words."""
    if exercise.kind == "module":
        _, inputs, parameters = case.arguments
        return [f"input {place + 1}" for place in _floating(inputs)] + list(parameters)
    names = []
    for place, value in enumerate(case.arguments, start=1):
        parts = value if isinstance(value, dict) else {f"argument {place}": value}
        for name, part in parts.items():
            found = [x for x in leaves(part) if isinstance(x, np.ndarray)]
            names += [name for each in found if each.dtype.kind == "f"]
    return names


def _made(answer, sizes, kind, words):
    """The learner's layer; Refused where it is none."""
    if isinstance(answer, kind):
        raise Refused("hand over the class itself, not an instance of it")
    layer = answer(*sizes)
    if not isinstance(layer, kind):
        raise Refused(f"hand over a class that is a {words}")
    return layer


def _checked(layer, parameters, registered, shape):
    for name, value in parameters.items():
        own = getattr(layer, name, None)
        if hasattr(own, "trainable_weights") or hasattr(own, "parameters"):
            words = (
                f"{name} is a {type(own).__name__}: it has to be the parameter itself"
            )
            raise Refused(f"{words}, of the shape {value.shape}")
        if own is None or not any(own is each for each in registered.values()):
            raise Refused(f"the layer has no trainable parameter named {name}")
        if shape(own) != value.shape:
            raise Refused(f"{name} has the shape {shape(own)}, expected {value.shape}")
    asked = [getattr(layer, name) for name in parameters]
    more = [name for name, x in registered.items() if not any(x is y for y in asked)]
    if more:
        words = ", ".join(more)
        raise Refused(f"it has trainable parameters that were not asked for: {words}")


def _repeated(output, again):
    """Refused where a second call with the same arguments gives something else."""
    if not np.allclose(output, again, rtol=1e-4, atol=1e-5, equal_nan=True):
        words = "called again with the same arguments it gives something else"
        raise Refused(f"{words}: does it keep a state from call to call, or draw one?")


def _stuck(begun, own):
    """Whether a layer's own first numbers are all alike and get no gradient but 0."""
    still = not any(x is not None and to_numpy(x).any() for x in begun)
    return still and not any(np.ptp(to_numpy(x)) for x in own)


def _learns(stuck, slopes):
    """Refused where a layer is stuck, and isn't at the case's numbers.

    Where a size of 1 leaves nothing to learn these slopes are 0 as well.
    """
    if stuck and slopes[np.isfinite(slopes)].any():
        words = "as it is made it can't learn: all gradients are 0"
        raise Refused(f"{words}; do all its parameters begin at 0?")


def _in_torch(answer, sizes, inputs, parameters):
    from attn_course.core.frameworks import torch

    layer = _made(answer, sizes, torch.nn.Module, "torch.nn.Module")
    layer.eval()
    registered = dict(layer.named_parameters())
    _checked(layer, parameters, registered, lambda own: tuple(own.shape))
    given, places = list(into("torch", inputs)), _floating(inputs)
    asked = [getattr(layer, name) for name in parameters]
    wave = lambda x: torch.from_numpy(_wave(tuple(x.shape), 0.3))  # noqa: E731
    output, begun = layer(*given), ()
    if not isinstance(output, torch.Tensor):
        raise Refused(f"it returns a {type(output).__name__}, expected one tensor")
    if output.requires_grad:
        loss = (output * wave(output)).sum()
        begun = torch.autograd.grad(loss, asked, allow_unused=True)
    stuck = _stuck(begun, asked)
    check_unchanged(inputs, given)
    for place in places:
        given[place].requires_grad_()
    with torch.no_grad():
        for own, value in zip(asked, parameters.values(), strict=True):
            own.copy_(torch.from_numpy(value))
    output = layer(*given)
    if output.requires_grad:
        (output * wave(output)).sum().backward()
    with torch.no_grad():
        _repeated(to_numpy(output), to_numpy(layer(*given)))
    moved = [given[place] for place in places] + asked
    slopes = _slopes([each.grad for each in moved], moved)
    _learns(stuck, slopes[len(places) :])
    return to_numpy(output).copy(), slopes


def _slopes(gradients, moved):
    """One number each; a gradient that is missing counts as NaN, not as 0."""
    waves = [_wave(tuple(own.shape), 0.7) for own in moved]
    slopes = [
        np.nan if gradient is None else (to_numpy(gradient) * wave).sum()
        for gradient, wave in zip(gradients, waves, strict=True)
    ]
    return np.array(slopes, np.float32)


_traced = WeakSet()  # classes that have been called with a batch of unknown size


def _call_with_any_batch(layer, given):
    """As `fit` may call a layer; Refused where that fails."""
    from attn_course.core.frameworks import tf

    specs = [tf.TensorSpec([None, *each.shape[1:]], each.dtype) for each in given]
    try:
        tf.function(lambda *x: layer(*x)).get_concrete_function(*specs)
    except Exception as error:
        words = str(error).strip().splitlines()[-1][:120] if str(error) else ""
        raise Refused(
            "it fails where the size of the batch is unknown, as in fit: take it from "
            f"tf.shape(x), or -1 in tf.reshape ({type(error).__name__}: {words})"
        ) from None


def _in_tf(answer, sizes, inputs, parameters):
    from attn_course.core.frameworks import keras

    layer = _made(answer, sizes, keras.layers.Layer, "keras.layers.Layer")
    given = list(into("tf", inputs))
    layer(*given)  # so that parameters made in `build` are there
    called = {id(each): name for name, each in vars(layer).items()}
    registered = {called.get(id(x), x.path): x for x in layer.trainable_weights}
    _checked(layer, parameters, registered, lambda own: tuple(own.shape))
    if answer not in _traced:
        _call_with_any_batch(layer, given)
        _traced.add(answer)
    own = [getattr(layer, name) for name in parameters]
    moved = [given[place] for place in _floating(inputs)]
    stuck = _stuck(_tape(layer, given, moved, own)[1][len(moved) :], own)
    for each, value in zip(own, parameters.values(), strict=True):
        each.assign(value)
    output, gradients = _tape(layer, given, moved, own)
    _repeated(output.numpy(), layer(*given).numpy())
    slopes = _slopes(gradients, [*moved, *(each.value for each in own)])
    _learns(stuck, slopes[len(moved) :])
    return output.numpy().copy(), slopes


def _tape(layer, given, moved, own):
    """(output, the gradients of inputs and parameters)."""
    from attn_course.core.frameworks import tf

    with tf.GradientTape() as tape:
        tape.watch(moved)
        output = layer(*given)
        if not tf.is_tensor(output):
            raise Refused(f"it returns a {type(output).__name__}, expected one tensor")
        wave = tf.constant(_wave(tuple(output.shape), 0.3), output.dtype)
        loss = tf.reduce_sum(output * wave)
    gradients = tape.gradient(
        loss,
        [*moved, *(each.value for each in own)],
        unconnected_gradients=tf.UnconnectedGradients.NONE,
    )
    return output, [x if x is None else tf.convert_to_tensor(x) for x in gradients]
