"""The checks that the decoders of all three implementations share."""

from attn_course.shapes import (
    check_floats,
    check_mask_dtype,
    check_shapes,
    check_tokens,
)


def check_decoder(known, mask, **arguments):
    """Check what a decoder is given: tokens first, then memory and state.

    ``check_decoder({"E": 6, "H": 3}, mask, token=(token, "B"), memory=(memory, "BSE"),
    state=(state, "BH"))``; the mask is padding (B, S) or None.

    Raises:
        ValueError: the tokens are not integers, the rest is not floating and of one
            dtype, the mask is not boolean, or a shape is not as given.
    """
    (name, (tokens, _)), *others = arguments.items()
    check_tokens(name, tokens)
    check_floats(**{name: array for name, (array, _) in others})
    if mask is not None:
        check_mask_dtype(mask)
        arguments["mask"] = (mask, "BS")
    check_shapes(known, **arguments)
