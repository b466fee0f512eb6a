"""Checks of the libraries' layers that are converted to ours."""

from typing import Any


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
