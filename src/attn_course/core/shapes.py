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

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

Sizes = dict[str, Any]  # a size, None, or under "..." a tuple of them, for each letter


def dtype_name(array: Any) -> str:
    """The dtype as NumPy spells it: ``"float32"``, also for ``torch.float32``."""
    return getattr(array.dtype, "name", str(array.dtype)).removeprefix("torch.")


def shape_of(array: Any) -> tuple:
    """The shape as a tuple; None is a size that TensorFlow does not know yet.

    PyTorch's symbolic sizes stay as they are: a number would freeze an exported graph.
    """
    return tuple(array.shape)


def check_arrays(**arguments: Any) -> None:
    """Raise ValueError unless every argument is an array or a tensor.

    One whose rows have several lengths, ragged or nested, is none.
    """
    for name, array in arguments.items():
        came = type(array).__name__
        if came == "RaggedTensor" or getattr(array, "is_nested", False):
            mend = "pad them, and pass which positions are real as a mask"
            raise ValueError(f"{name} must have rows of one length: {mend}, got {came}")
        if not (hasattr(array, "shape") and hasattr(array, "dtype")):
            raise ValueError(f"{name} must be an array or a tensor, got {came}")


def check_shapes(known: Sizes | None = None, **arguments: tuple[Any, str]) -> Sizes:
    """Check arguments against shapes written in letters; return each letter's size.

    ``check_shapes({"D": 4}, query=(query, "BTD"), memory=(memory, "BSE"))`` demands
    that both have three axes, that the two B agree and that D is 4. A spec that begins
    with ``...`` allows any leading axes, the same for all arguments that have it; their
    sizes are returned under the key ``"..."``.

    Raises:
        ValueError: the number of axes or a size is not as the spec says.
    """
    check_arrays(**{name: array for name, (array, _) in arguments.items()})
    sizes = dict(known or {})
    source = dict.fromkeys(sizes, "the sizes given at construction")
    for name, (array, spec) in arguments.items():
        shape = tuple(array.shape)
        letters = spec.removeprefix("...")
        lead = len(shape) - len(letters)
        if lead < 0 or (lead > 0 and letters == spec):
            wrong = f"{name} must have shape {_spell(spec)}, got {shape}"
            if lead > 0 and spec[:1] == "B":  # attention is along one axis
                wrong += f". Merge the axes in front of {spec[1:2]} into B"
            raise ValueError(wrong)
        found = dict(zip(letters, shape[lead:], strict=True))
        if letters != spec:
            found["..."] = shape[:lead]
        for letter, size in found.items():
            expected = sizes.get(letter)
            if expected is None:
                sizes[letter], source[letter] = size, name
            elif size != expected and not agree([size], [expected]):
                wanted = f"{letter} = {expected} as in {source[letter]}"
                wanted = f"{_spell(spec)} with {wanted}"
                raise ValueError(f"{name} must have shape {wanted}, got {shape}")
    return sizes


def check_floats(**arguments: Any) -> None:
    """Check that all arguments are floating and of one dtype.

    Raises:
        ValueError: an argument is not floating, or differs in dtype from the first.
    """
    check_arrays(**arguments)
    like, first, expected = None, "", ""
    for name, array in arguments.items():
        if array.dtype is like:
            continue
        dtype = dtype_name(array)
        if "float" not in dtype:
            raise ValueError(f"{name} must be floating, got {dtype}")
        if like is None:
            like, first, expected = array.dtype, name, dtype
        elif dtype != expected:
            raise ValueError(f"{name} must be {expected} like {first}, got {dtype}")


class Together:
    """Floating arguments that go together: of one dtype, with shapes in letters.

    ``Together("D", query="BTD", memory="BSE").check((4,), query, memory)`` demands what
    ``check_shapes`` and ``check_floats`` do, and these name what is wrong. But most
    calls are right: which axes have the same letter is found once, here, and compared
    first.
    """

    def __init__(self, known: str = "", **specs: str) -> None:
        self.known, self.specs = known, specs
        self.ranks, self.pairs = [], []
        first: dict[str, tuple[int, int | slice]] = {}
        for number, spec in enumerate([known, *specs.values()]):
            letters = spec.removeprefix("...")
            axes = {letter: n - len(letters) for n, letter in enumerate(letters)}
            if letters != spec:
                axes["..."] = slice(0, -len(letters))
            most = len(letters) if letters == spec else math.inf
            self.ranks.append((len(letters), most))
            for letter, axis in axes.items():
                place = first.setdefault(letter, (number, axis))
                if place[0] != number:
                    self.pairs.append((*place, number, axis))

    def check(self, known: tuple, *arrays: Any, mixed: bool = False) -> None:
        """Raise ValueError unless the arrays are as the specs say.

        known: the sizes of the letters that are known. mixed: the dtypes may differ.
        """
        dtype = getattr(arrays[0], "dtype", None)
        fit, shapes = not mixed and dtype is not None, [known]
        for array, (least, most) in zip(arrays, self.ranks[1:], strict=True):
            ragged = type(array).__name__ == "RaggedTensor"
            ragged = ragged or getattr(array, "is_nested", False)
            shape = () if ragged else tuple(getattr(array, "shape", ()))
            alike = getattr(array, "dtype", None) == dtype
            fit = fit and alike and least <= len(shape) <= most
            shapes.append(shape)
        for one, axis, other, place in self.pairs if fit else ():
            if shapes[one][axis] != shapes[other][place]:
                fit = False
        if fit and "float" in str(dtype):
            return
        named = dict(zip(self.specs, arrays, strict=True))
        shapes = {name: (array, self.specs[name]) for name, array in named.items()}
        check_shapes(dict(zip(self.known, known, strict=True)), **shapes)
        for group in [{name: x} for name, x in named.items()] if mixed else [named]:
            check_floats(**group)


HEADS = Together(query="...TK", key="...SK", value="...SV")


def check_parameters(parameters: Any, *names: str) -> None:
    """Raise ValueError if one of these parameters is missing, by its whole path."""
    if not isinstance(parameters, dict):
        came = type(parameters).__name__
        raise ValueError(f"parameters must be a dict of arrays, got {came}")
    path = getattr(parameters, "path", "")
    missing = [path + name for name in names if name not in parameters]
    if missing:
        raise ValueError(f"parameters must have {', '.join(missing)}")


def check_not_empty(sizes: Sizes, **names: str) -> None:
    """Raise ValueError if one of these axes of checked shapes has no position.

    sizes: what ``check_shapes`` returned. names: the argument that has the axis,
    ``T="x"``; without them, T is of the query and S of the key.
    """
    for letter, name in (names or {"T": "query", "S": "key"}).items():
        if sizes.get(letter) == 0:
            raise ValueError(f"{name} must have at least 1 position, got {letter} = 0")


def check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    """Raise ValueError unless the value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def check_at_least(least: int, **sizes: Any) -> None:
    """Raise ValueError unless every size is a whole number, and large enough.

    True and False are no sizes. A tensor and a symbolic size of PyTorch pass.
    """
    for name, size in sizes.items():
        if isinstance(size, Integral) and not isinstance(size, bool):
            if size < least:
                raise ValueError(f"{name} must be at least {least}, got {size}")
        elif isinstance(size, Real | str | None | list | tuple | dict):
            raise ValueError(f"{name} must be a whole number, got {size!r}")


def check_share(**shares: Any) -> None:
    """Raise ValueError unless every share, as of dropout, is in 0 <= share < 1."""
    for name, share in shares.items():
        if not isinstance(share, Real) or isinstance(share, bool) or not 0 <= share < 1:
            wanted = "a number of at least 0 and below 1"
            raise ValueError(f"{name} must be {wanted}, got {share!r}")


def check_unit(name: str, low: float, high: float) -> None:
    """Raise ValueError unless the lowest and highest of some numbers are in 0 .. 1."""
    if not (low >= 0 and high <= 1):  # so written, NaN is refused too
        wanted = f"numbers from 0 to 1, got {low:.4g} to {high:.4g}"
        raise ValueError(f"{name} must have {wanted}")


def check_flags(**flags: Any) -> None:
    """Raise ValueError unless every flag is True or False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name} must be True or False, got {flag!r}")


def check_positive(**numbers: Any) -> None:
    """Raise ValueError unless every number is above zero and finite."""
    for name, number in numbers.items():
        real = isinstance(number, Real) and not isinstance(number, bool)
        if not real or not 0 < number < float("inf"):
            wanted = "a positive, finite number"
            raise ValueError(f"{name} must be {wanted}, got {number!r}")


def check_tokens(name: str, tokens: Any) -> None:
    """Check that tokens are integers; raises ValueError if not."""
    check_arrays(**{name: tokens})
    if "int" not in dtype_name(tokens):
        raise ValueError(f"{name} must be integers, got {dtype_name(tokens)}")


def check_mask_dtype(mask: Any, *, numbers: bool = False) -> None:
    """Check that a mask is boolean, or numbers of documents; raises ValueError."""
    check_arrays(mask=mask)
    if dtype_name(mask) != "bool" and not (numbers and "int" in dtype_name(mask)):
        came = dtype_name(mask)
        raise ValueError(f"mask must be bool (True = may attend), got {came}")


def check_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    bias: Any = None,
    *,
    rows: bool | None = True,
) -> None:
    """Check the arguments of an attention that forms scores of shape ``(..., T, S)``.

    query is (..., T, K), key (..., S, K), value (..., S, V), with the same leading axes
    and of one floating dtype; mask and rows are as in ``check_head_mask``, the bias as
    in ``check_bias``.

    Raises:
        ValueError: a shape, dtype or mask is not as above, or T, S or K is 0.
    """
    HEADS.check((), query, key, value)
    if query.shape[-1] == 0:
        raise ValueError("query must have a width of at least 1, got K = 0")
    if mask is not None or bias is not None or 0 in (query.shape[-2], key.shape[-2]):
        check_scores(query, key, mask, bias, rows=rows)


def check_scores(
    query: Any,
    key: Any,
    mask: Any = None,
    bias: Any = None,
    *,
    rows: bool | None = True,
) -> None:
    """Check mask and bias for the scores (..., T, S) of checked queries and keys.

    Raises:
        ValueError: they do not fit, or T or S is 0.
    """
    score_shape = (*query.shape[:-1], key.shape[-2])
    if 0 in score_shape[-2:]:
        check_not_empty(dict(zip("TS", score_shape[-2:], strict=True)))
    if mask is not None:
        check_head_mask(mask, score_shape, rows=rows)
    if bias is not None:
        check_bias(bias, score_shape)


def check_head_mask(mask: Any, score_shape: tuple, *, rows: bool | None = True) -> None:
    """Check a mask for scores of shape ``(..., T, S)``.

    A mask of two axes is (T, S), the same for every example and head. Any other mask
    has as many axes as the scores, each of the same size or 1: (B, 1, T, S),
    (B, 1, 1, S), (B, H, T, S); (B, 1, S), (B, T, S) where there are no heads.

    rows: whether it may have a row for each query, or is padding; None: or padding as
    ``document_numbers`` has it, which tells documents apart.

    Raises:
        ValueError: the mask is not boolean, or has another shape.
    """
    check_mask_dtype(mask, numbers=rows is None)
    shape, wanted = tuple(mask.shape), tuple(score_shape)
    if len(shape) == 2:
        if not agree(shape, wanted[-2:]):
            axes = "".join([", None"] * (len(wanted) - 2))
            hint = f"Padding of shape (B, S) is passed as mask[:{axes}]"
            raise ValueError(f"{_mask_expected(shape, wanted)}. {hint}")
    elif len(shape) != len(wanted):
        expected = _mask_expected(shape, wanted)
        if len(shape) < len(wanted):
            expected += ". A mask (B, T, S) for all heads is passed as mask[:, None]"
        raise ValueError(expected)
    elif not agree(shape, wanted, ones=True):
        raise ValueError(_mask_expected(shape, wanted))
    if not rows and (len(shape) != len(wanted) or shape[-2] != 1):
        wanted = (*wanted[:-2], 1, wanted[-1])
        raise ValueError(
            f"mask must be padding, {wanted} or with 1 for leading axes (what else "
            f"a query sees is the pattern's to say), got {shape}"
        )


def check_softmax_mask(mask: Any, score: Any) -> None:
    """Raise ValueError unless a mask is boolean, and broadcasts to the scores."""
    check_mask_dtype(mask)
    shape, wanted = shape_of(mask), shape_of(score)
    last = wanted[len(wanted) - len(shape) :]
    if len(shape) > len(wanted) or not agree(shape, last, ones=True):
        wanted = f"the last axes of the scores {wanted}, each of full size or 1"
        raise ValueError(f"mask must have {wanted}, got {shape}")


def _mask_expected(shape, wanted):
    either = f"(T, S) = {wanted[-2:]} or align with the scores {wanted}"
    return f"mask must have shape {either}, got {shape}"


def check_bias(bias: Any, score_shape: tuple) -> None:
    """Check a bias for scores of shape ``(..., T, S)``.

    It is floating, and (T, S), (H, T, S), or has as many axes as the scores, each of
    the same size or 1. Nothing else: a bias must not make the scores larger.

    Raises:
        ValueError: the bias is not floating, or has another shape.
    """
    check_arrays(bias=bias)
    if "float" not in dtype_name(bias):
        came = dtype_name(bias)
        hint = ". What is allowed or blocked is a mask" if came == "bool" else ""
        raise ValueError(f"bias must be floating, got {came}{hint}")
    shape, wanted = shape_of(bias), tuple(score_shape)
    if len(shape) == len(wanted):
        fits = agree(shape, wanted, ones=True)
    else:
        fits = 2 <= len(shape) <= 3 and len(shape) < len(wanted)
        fits = fits and agree(shape, wanted[-len(shape) :])
    if not fits:
        either = f"(T, S), (H, T, S) or align with the scores {wanted}"
        raise ValueError(f"bias must have shape {either}, got {shape}")


def check_memory_mask(mask: Any, batch: Any, queries: Any, positions: Any) -> None:
    """Check a mask over a memory: padding (B, S), or a row a query, (B, T, S).

    Raises:
        ValueError: the mask is not boolean or has another shape.
    """
    check_mask_dtype(mask)
    shape = shape_of(mask)
    padding, rows = (batch, positions), (batch, queries, positions)
    wanted = {2: padding, 3: rows}.get(len(shape))
    if wanted is None or not agree(shape, wanted):
        either = f"(B, S) = {padding} or (B, T, S) = {rows}"
        raise ValueError(f"mask must have shape {either}, got {shape}")


def agree(sizes: Sequence, wanted: Sequence, *, ones: bool = False) -> bool:
    """Whether sizes are as wanted, one by one, as far as they are known.

    ones: a size of 1 will do too. A size may be a tuple of sizes.
    """
    for size, other in zip(sizes, wanted, strict=True):
        if (ones and size == 1) or size is None or other is None or size == other:
            continue
        several = isinstance(size, tuple) and len(size) == len(other)
        if not (several and agree(size, other)):
            return False
    return True


def _spell(spec):
    letters = spec.removeprefix("...")
    return f"({', '.join((['...'] if spec.startswith('...') else []) + list(letters))})"
