"""The checks that the positional encodings of all three implementations share."""

from numbers import Integral

from attn_course.shapes import (
    check_at_least,
    check_floats,
    check_shapes,
    dtype_name,
    shape_of,
)

LAYOUTS = ("half", "interleaved")


def check_sequence(x, model_dim):
    """Raise ValueError unless x is floating and (B, T, model_dim)."""
    check_floats(x=x)
    return check_shapes({"D": model_dim}, x=(x, "BTD"))


def check_reach(x, first_position, max_length):
    """Raise ValueError if x reaches beyond the positions that were learned.

    What a graph of TensorFlow knows only when it runs is not checked here.
    """
    check_at_least(0, first_position=first_position)
    length = shape_of(x)[1]
    if length is None or not isinstance(first_position, Integral):
        return
    if first_position + length > max_length:
        most = f"end at max_length = {max_length} positions"
        came = f"{length} from position {first_position} on"
        raise ValueError(f"x must {most}, got {came}")


def check_pairs(name, width):
    """Raise ValueError unless the columns come in pairs."""
    if width is None or width % 2:
        raise ValueError(f"{name} must be even and known, got {width}")


def check_rotation(x, positions):
    """Raise ValueError unless there is one position for every vector of x."""
    check_floats(x=x)
    check_shapes(x=(x, "...TK"))
    check_pairs("the last axis of x", shape_of(x)[-1])
    kind = dtype_name(positions)
    if "int" not in kind and "float" not in kind:
        raise ValueError(f"positions must be numbers, got {kind}")
    shape, wanted = shape_of(positions), shape_of(x)[:-1]
    fits = len(shape) == len(wanted) and all(map(_fits, shape, wanted))
    if not fits and not (len(shape) == 1 and _fits(shape[0], wanted[-1])):
        either = f"(T) = {wanted[-1:]} or align with the vectors of x, {wanted}"
        raise ValueError(f"positions must have shape {either}, got {shape}")


def check_rotary(query, key, key_dim):
    """As ``check_shapes``; query and key may differ in their heads."""
    check_floats(query=query, key=key)
    sizes = check_shapes({"K": key_dim}, query=(query, "...TK"))
    return sizes | check_shapes({"K": key_dim}, key=(key, "...SK"))


def _fits(size, wanted):
    return size is None or wanted is None or size in (1, wanted)
