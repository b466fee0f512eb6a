"""What a bias is added to, for both frameworks."""

from collections.abc import Callable
from functools import partial
from typing import Any


def with_bias(softmax: Callable | None, bias: Any) -> tuple[Callable | None, Any]:
    """A softmax and a bias, for a formula that adds the bias to its scores.

    A part that caps scores (``takes_bias``) adds it behind its cap, and the formula no
    more: cap(score) + bias, as ONNX's Attention and FlashAttention have it.
    """
    part = getattr(softmax, "__self__", softmax)  # Keras: it is a layer's ``call``
    if bias is None or not getattr(part, "takes_bias", False):
        return softmax, bias
    return partial(softmax, bias=bias), None
