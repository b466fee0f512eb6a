"""The same parameters into the reference, PyTorch and TensorFlow.

    parameters = get_parameters(layer)       # a dict of NumPy arrays, for any layer
    set_parameters(other_layer, parameters)  # the same dict into its twin

A weight of ours is named like its attribute. The libraries' own parts are spelled one
way: ``weight`` (in, out) and ``bias`` of a linear map, ``weight`` of an embedding, and
of a GRU ``input_weight`` (in, 3H), ``state_weight`` (H, 3H), ``input_bias`` and
``state_bias`` (3H), in the order reset, update, candidate. Nested parts are joined by a
dot: ``attention.query_weight``. The linear maps of a layer whose ``parity_joint`` is
``"_"``, as in all attention layers, are joined by that: ``query_weight``. A layer may
give its parts other names by ``parity_names``: ``{"query": ""}`` makes it ``weight``. A
norm has ``scale`` and ``bias``.
"""

from typing import Any

import numpy as np

from attn_course.core.shapes import dtype_name


def get_parameters(layer: Any) -> dict[str, np.ndarray]:
    """Copy all parameters of a layer of either framework into a dict of arrays."""
    return {name: read() for name, (read, _) in _slots(layer).items()}


def set_parameters(layer: Any, parameters: dict[str, np.ndarray]) -> None:
    """Write a dict of arrays into a layer of either framework.

    Raises:
        ValueError: a key is missing or unknown, or an array has another shape; nothing
        is written then.
    """
    slots = _slots(layer)
    for word, keys in (
        ("missing", slots.keys() - parameters.keys()),
        ("unknown", parameters.keys() - slots.keys()),
    ):
        if keys:
            raise ValueError(f"{word} parameters: {', '.join(sorted(keys))}")
    for name, (read, _) in slots.items():
        expected, found = read().shape, np.shape(parameters[name])
        if expected != found:
            raise ValueError(f"{name} must have shape {expected}, got {found}")
    for name, (_, write) in slots.items():
        write(np.asarray(parameters[name]))


class PartParameters(dict):
    """The parameters of a part by its own names; ``path`` stands before them."""

    path = ""


def nested(parameters: dict[str, Any], name: str) -> dict[str, Any]:
    """The parameters of a part: those that begin with ``name.``, without that."""
    start = f"{name}."
    own = {key: x for key, x in parameters.items() if key.startswith(start)}
    part = PartParameters({key.removeprefix(start): x for key, x in own.items()})
    part.path = getattr(parameters, "path", "") + start
    return part


def _slots(layer):
    """name -> (read, write) for every parameter of a layer."""
    is_torch = hasattr(layer, "named_modules")
    return dict(_torch_slots(layer) if is_torch else _keras_slots(layer))


def _torch_slots(module, prefix=""):
    kind = type(module).__name__
    if kind in _TORCH:
        for name, (parameter, view, back) in _TORCH[kind].items():
            if getattr(module, parameter) is not None:  # a linear map without bias
                yield prefix + name, _torch_slot(getattr(module, parameter), view, back)
        return
    kept = set(module.state_dict(keep_vars=True))
    own = [
        *module.named_parameters(recurse=False),
        *module.named_buffers(recurse=False),
    ]
    for name, x in own:
        if name in kept:  # what is drawn and kept, not trained, is a parameter too
            yield prefix + name, _torch_slot(x, _same, _same)
    for name, child in module.named_children():
        yield from _torch_slots(child, prefix + _lead(module, name, child))


def _lead(layer, name, part):
    """What stands before the names of a part's own parameters."""
    is_linear = type(part).__name__ in ("Linear", "Dense")
    joint = getattr(layer, "parity_joint", ".") if is_linear else "."
    if joint == "_":
        # Keras has taken the attributes input and output: query_dense is "query".
        name = getattr(part, "name", name)
    name = getattr(layer, "parity_names", {}).get(name, name)
    return f"{name}{joint}" if name else ""


def _torch_slot(parameter, view, back):
    def read():
        tensor = parameter.detach().cpu()
        # NumPy has no bfloat16; float32 holds every one of its numbers.
        if dtype_name(tensor) == "bfloat16":
            tensor = tensor.float()
        return view(tensor.numpy()).copy()

    def write(array):
        data = parameter.data
        data.copy_(data.new_tensor(np.asarray(back(array), order="C")))

    return read, write


def _keras_slots(layer, prefix=""):
    kind = type(layer).__name__
    if kind in _KERAS:
        holder = layer.cell if kind == "GRU" else layer
        for name, (variable, rows, gates) in _KERAS[kind].items():
            if getattr(holder, variable) is not None:
                yield prefix + name, _keras_slot(getattr(holder, variable), rows, gates)
        return
    own = [*layer._trainable_variables, *layer._non_trainable_variables]
    for name, value in vars(layer).items():
        if any(value is weight for weight in own):
            yield prefix + name, _keras_slot(value, ..., _same)
        elif hasattr(value, "trainable_variables") and not name.startswith("_"):
            yield from _keras_slots(value, prefix + _lead(layer, name, value))
        elif isinstance(value, list) and not name.startswith("_"):
            parts = [part for part in value if hasattr(part, "trainable_variables")]
            for number, part in enumerate(parts):
                yield from _keras_slots(part, f"{prefix}{name}.{number}.")


def _keras_slot(variable, rows, gates):
    def read():
        return gates(variable.numpy()[rows]).copy()

    def write(array):
        # A GRU keeps its two biases as the rows of one variable.
        whole = np.array(variable.numpy())
        whole[rows] = gates(array)
        variable.assign(whole)

    return read, write


def _same(array):
    return array


def _transpose(array):
    return array.T


def _swap_gates(array):
    """Keras has update, reset, candidate; we and PyTorch reset, update, candidate."""
    first, second, third = np.split(array, 3, axis=-1)
    return np.concatenate([second, first, third], axis=-1)


_GRU_TORCH = {
    "input_weight": ("weight_ih", _transpose, _transpose),
    "state_weight": ("weight_hh", _transpose, _transpose),
    "input_bias": ("bias_ih", _same, _same),
    "state_bias": ("bias_hh", _same, _same),
}
_TORCH = {
    "Linear": {
        "weight": ("weight", _transpose, _transpose),
        "bias": ("bias", _same, _same),
    },
    "Embedding": {"weight": ("weight", _same, _same)},
    "LayerNorm": {"scale": ("weight", _same, _same), "bias": ("bias", _same, _same)},
    "RMSNorm": {"scale": ("weight", _same, _same)},
    "GRUCell": _GRU_TORCH,
    "GRU": {
        name: (f"{parameter}_l0", *maps)
        for name, (parameter, *maps) in _GRU_TORCH.items()
    },
}
_GRU_KERAS = {
    "input_weight": ("kernel", ..., _swap_gates),
    "state_weight": ("recurrent_kernel", ..., _swap_gates),
    "input_bias": ("bias", 0, _swap_gates),
    "state_bias": ("bias", 1, _swap_gates),
}
_KERAS = {
    "Dense": {"weight": ("kernel", ..., _same), "bias": ("bias", ..., _same)},
    "Embedding": {"weight": ("embeddings", ..., _same)},
    "LayerNormalization": {
        "scale": ("gamma", ..., _same),
        "bias": ("beta", ..., _same),
    },
    "RMSNormalization": {"scale": ("scale", ..., _same)},
    "GRUCell": _GRU_KERAS,
    "GRU": _GRU_KERAS,
}
