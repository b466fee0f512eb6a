"""Self-attention over an image in NumPy, float64: the specification."""

import numpy as np

from attn_course.self_attention.feature_map.checks import check_image, check_tokens_of
from attn_course.self_attention.layer.reference import self_attention

DATA_FORMAT = "channels_last"


def image_to_tokens(image, *, data_format=None):
    """The pixels of an image as a sequence, row by row.

    tokens[y * width + x] = the channels of pixel (y, x)

    Shapes:
        image: (B, height, width, C), or (B, C, height, width) if ``channels_first``.
        returns: (B, height * width, C).

    Raises:
        ValueError: the image has not four axes, or the data format is unknown.

    Differs: ``reshape`` alone does this only if the channels are last; if they are
        first, it mixes pixels and channels.
    """
    if check_image(image, data_format or DATA_FORMAT):
        image = np.moveaxis(image, 1, -1)
    return image.reshape(len(image), -1, image.shape[-1])


def tokens_to_image(tokens, height, width, *, data_format=None):
    """The inverse of ``image_to_tokens``.

    Shapes:
        tokens: (B, height * width, C).
        returns: (B, height, width, C), or (B, C, height, width) if ``channels_first``.

    Raises:
        ValueError: there are not height * width tokens, or the format is unknown.
    """
    first = check_tokens_of(tokens, height, width, data_format or DATA_FORMAT)
    image = tokens.reshape(len(tokens), height, width, -1)
    return np.moveaxis(image, -1, 1) if first else image


def feature_map_attention(
    image, parameters, mask=None, *, data_format=None, need_weights=True
):
    """Every pixel asks all pixels; with a gate, the answer is added to the pixel.

    output = image + gate * attended, or attended if there is no gate, where
    attended = tokens_to_image(self_attention(image_to_tokens(image)))

    Shapes:
        image: (B, height, width, C), or (B, C, height, width) if ``channels_first``.
        parameters: those of ``self_attention``, ``output_weight`` included, and perhaps
            ``gate`` (), which layers begin with 0.
        mask: as in ``self_attention``, with T = height * width.
        returns: output, shaped as the image; weights (B, T, T).

    Raises:
        ValueError: a shape, dtype, mask or the data format is not as above.

    Source: Zhang et al. 2019, "Self-Attention Generative Adversarial Networks"
        (arXiv:1805.08318), section 3. Their 1x1 convolutions are these linear maps.
    Differs: the scores are divided by sqrt(K), theirs are not; the weights have no
        spectral normalization.
    """
    format_ = data_format or DATA_FORMAT
    tokens = image_to_tokens(np.asarray(image, np.float64), data_format=format_)
    height, width = image.shape[2:] if check_image(image, format_) else image.shape[1:3]
    output, weights = self_attention(
        tokens, parameters, mask, need_weights=need_weights
    )
    output = tokens_to_image(output, height, width, data_format=format_)
    if "gate" in parameters:
        output = image + parameters["gate"] * output
    return output, weights
