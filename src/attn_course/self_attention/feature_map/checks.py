"""The checks that all three implementations share."""

from attn_course.shapes import check_choice, check_shapes

FORMATS = ("channels_first", "channels_last")


def check_image(image, data_format):
    """Whether the channels come first; ValueError unless there are four axes."""
    check_choice("data_format", data_format, FORMATS)
    first = data_format == "channels_first"
    check_shapes(image=(image, "BCHW" if first else "BHWC"))
    return first


def check_tokens_of(tokens, height, width, data_format):
    """Whether the channels come first; ValueError unless the tokens fill the image."""
    check_choice("data_format", data_format, FORMATS)
    check_shapes({"T": height * width}, tokens=(tokens, "BTC"))
    return data_format == "channels_first"
