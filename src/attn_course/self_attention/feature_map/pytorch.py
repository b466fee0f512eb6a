"""Self-attention over an image in PyTorch. Formulas: ``reference.py``."""

from attn_course.frameworks import torch
from attn_course.self_attention.feature_map.checks import check_image, check_tokens_of
from attn_course.self_attention.layer.pytorch import SelfAttention

DATA_FORMAT = "channels_first"


def image_to_tokens(image, *, data_format=None):
    """See ``attn_course.reference.image_to_tokens``; channels first by default."""
    if check_image(image, data_format or DATA_FORMAT):
        image = image.movedim(1, -1)
    return image.flatten(1, 2)


def tokens_to_image(tokens, height, width, *, data_format=None):
    """See ``attn_course.reference.tokens_to_image``; channels first by default."""
    first = check_tokens_of(tokens, height, width, data_format or DATA_FORMAT)
    image = tokens.unflatten(1, (height, width))
    return image.movedim(-1, 1) if first else image


class FeatureMapAttention(SelfAttention):
    """Self-attention over pixels: ``attn_course.reference.feature_map_attention``.

    Shapes:
        image (B, channels, height, width), or channels last if so asked; mask as in
        ``SelfAttention`` with T = height * width
        -> the shape of the image, weights (B, T, T).

    Raises:
        ValueError: a shape, dtype, mask or option is not as above.
    """

    def __init__(
        self, channels, *, key_dim, value_dim, residual=True, data_format=None
    ):
        super().__init__(channels, key_dim=key_dim, value_dim=value_dim, project=True)
        self.data_format = data_format or DATA_FORMAT
        self.gate = torch.nn.Parameter(torch.zeros(())) if residual else None

    def forward(self, image, mask=None, *, need_weights=True):
        first = check_image(image, self.data_format)
        height, width = image.shape[2:] if first else image.shape[1:3]
        tokens = image_to_tokens(image, data_format=self.data_format)
        output, weights = super().forward(tokens, mask, need_weights=need_weights)
        output = tokens_to_image(output, height, width, data_format=self.data_format)
        return output if self.gate is None else image + self.gate * output, weights
