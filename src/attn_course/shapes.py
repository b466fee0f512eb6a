"""Argument checks: what a wrong argument is called, what was expected and what came.

The checks read only ``shape`` and ``dtype``, so one set serves NumPy, PyTorch and
TensorFlow. A size that TensorFlow does not know yet (None, inside ``tf.function``)
passes.

Shape letters, the same in every docstring:
    B batch · T query positions · S key positions · D model (query) width ·
    E memory width · H query heads (in a recurrent decoder: its state's width) ·
    G key/value heads · K, V width of a key and of a value, per head ·
    A hidden width of additive attention · W window · C chunk or block · F features ·
    R rank · N vocabulary · L layers
"""

from numbers import Integral, Real


def dtype_name(array):
    """The dtype as NumPy spells it: ``"float32"``, also for ``torch.float32``."""
    return getattr(array.dtype, "name", str(array.dtype)).removeprefix("torch.")


def shape_of(array):
    """The shape as a tuple; None is a size that TensorFlow does not know yet."""
    return tuple(None if size is None else int(size) for size in array.shape)


def check_shapes(known=None, **arguments):
    """Check arguments against shapes written in letters; return each letter's size.

    ``check_shapes({"D": 4}, query=(query, "BTD"), memory=(memory, "BSE"))`` demands
    that both have three axes, that the two B agree and that D is 4. A spec that begins
    with ``...`` allows any leading axes, the same for all arguments that have it; their
    sizes are returned under the key ``"..."``.

    Raises:
        ValueError: the number of axes or a size is not as the spec says.
    """
    sizes = {
        letter: (size, "the sizes given at construction")
        for letter, size in (known or {}).items()
    }
    for name, (array, spec) in arguments.items():
        shape = shape_of(array)
        letters = spec.removeprefix("...")
        lead = len(shape) - len(letters)
        if lead < 0 or (lead > 0 and not spec.startswith("...")):
            raise ValueError(f"{name} must have shape {_spell(spec)}, got {shape}")
        found = dict(zip(letters, shape[lead:], strict=True))
        if spec.startswith("..."):
            found["..."] = shape[:lead]
        for letter, size in found.items():
            expected, source = sizes.setdefault(letter, (size, name))
            if not _agree(expected, size):
                wanted = f"{_spell(spec)} with {letter} = {expected} as in {source}"
                raise ValueError(f"{name} must have shape {wanted}, got {shape}")
            if expected is None:
                sizes[letter] = (size, name)
    return {letter: size for letter, (size, _) in sizes.items()}


def check_floats(**arguments):
    """Check that all arguments are floating and of one dtype.

    Raises:
        ValueError: an argument is not floating, or differs in dtype from the first.
    """
    first, expected = None, None
    for name, array in arguments.items():
        dtype = dtype_name(array)
        if "float" not in dtype:
            raise ValueError(f"{name} must be floating, got {dtype}")
        if first is None:
            first, expected = name, dtype
        elif dtype != expected:
            raise ValueError(f"{name} must be {expected} like {first}, got {dtype}")


def check_choice(name, value, choices):
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def check_at_least(least, **sizes):
    """Raise ValueError unless every size is whole and so large.

    A tensor of TensorFlow passes.
    """
    for name, size in sizes.items():
        if isinstance(size, Real) and not isinstance(size, Integral):
            raise ValueError(f"{name} must be a whole number, got {size}")
        if isinstance(size, Integral) and size < least:
            raise ValueError(f"{name} must be at least {least}, got {size}")


def check_tokens(name, tokens):
    """Check that tokens are integers; raises ValueError if not."""
    if "int" not in dtype_name(tokens):
        raise ValueError(f"{name} must be integers, got {dtype_name(tokens)}")


def check_mask_dtype(mask):
    """Check that a mask is boolean; raises ValueError if not."""
    if dtype_name(mask) != "bool":
        came = dtype_name(mask)
        raise ValueError(f"mask must be bool (True = may attend), got {came}")


def check_head_mask(mask, score_shape):
    """Check a mask for scores of shape ``(..., T, S)``.

    A mask of two axes is (T, S), the same for every example and head. Any other mask
    has as many axes as the scores, each of the same size or 1: (B, 1, T, S),
    (B, 1, 1, S), (B, H, T, S); (B, 1, S), (B, T, S) where there are no heads.

    Raises:
        ValueError: the mask is not boolean, or has another shape.
    """
    check_mask_dtype(mask)
    shape, wanted = shape_of(mask), tuple(score_shape)
    either = f"(T, S) = {wanted[-2:]} or align with the scores {wanted}"
    expected = f"mask must have shape {either}, got {shape}"
    if len(shape) == 2:
        if not all(map(_agree, shape, wanted[-2:])):
            axes = "".join([", None"] * (len(wanted) - 2))
            hint = f"Padding of shape (B, S) is passed as mask[:{axes}]"
            raise ValueError(f"{expected}. {hint}")
    elif len(shape) != len(wanted):
        if len(shape) < len(wanted):
            expected += ". A mask (B, T, S) for all heads is passed as mask[:, None]"
        raise ValueError(expected)
    elif not all(s == 1 or _agree(w, s) for s, w in zip(shape, wanted, strict=True)):
        raise ValueError(expected)


def check_memory_mask(mask, batch, queries, positions):
    """Check a mask over a memory: padding (B, S), or a row a query, (B, T, S).

    Raises:
        ValueError: the mask is not boolean or has another shape.
    """
    check_mask_dtype(mask)
    shape = shape_of(mask)
    padding, rows = (batch, positions), (batch, queries, positions)
    wanted = {2: padding, 3: rows}.get(len(shape))
    if wanted is None or not all(map(_agree, shape, wanted)):
        either = f"(B, S) = {padding} or (B, T, S) = {rows}"
        raise ValueError(f"mask must have shape {either}, got {shape}")


def _agree(expected, size):
    if isinstance(expected, tuple):
        return len(expected) == len(size) and all(map(_agree, expected, size))
    return expected is None or size is None or expected == size


def _spell(spec):
    letters = spec.removeprefix("...")
    return f"({', '.join((['...'] if spec.startswith('...') else []) + list(letters))})"
