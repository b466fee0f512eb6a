"""What is read from the libraries' layers that are converted to ours, and checked."""

from typing import Any

import numpy as np

from attn_course.core.shapes import dtype_name


def check_kind(name: str, layer: Any, kind: type) -> None:
    """Raise ValueError unless a layer to convert is one of the library's own kind."""
    if type(layer) is not kind:
        came = type(layer).__name__
        raise ValueError(f"{name} must be a {kind.__name__} of the library, got {came}")


def check_options(name: str, *options: tuple[str, Any, Any]) -> None:
    """Raise ValueError unless each (option, found, wanted) is as wanted."""
    for option, found, wanted in options:
        if found != wanted:
            raise ValueError(f"{name} must have {option}={wanted}, got {found}")


def arrays(module: Any) -> dict[str, np.ndarray]:
    """The state of a module in NumPy; bfloat16 as float32, which NumPy has."""
    found = {}
    for name, tensor in module.state_dict().items():
        array = tensor.detach().cpu()
        array = array.float() if dtype_name(array) == "bfloat16" else array
        found[name] = array.numpy()
    return found


def renamed(
    state: dict[str, np.ndarray], names: dict[str, str], turned: bool = True
) -> dict[str, np.ndarray]:
    """The arrays under our names; turned: matrices are (out, in), ours (in, out).

    Raises:
        ValueError: an array has no name of ours.
    """
    unknown = sorted(state.keys() - names.keys())
    if unknown:
        raise ValueError(f"module must have what ours has, got {', '.join(unknown)}")
    return {
        names[name]: array.T if turned and array.ndim == 2 else array
        for name, array in state.items()
    }
