"""Self-attention in PyTorch. Formulas: ``reference.py``."""

from attn_course.dot_product.pytorch import (
    hide_nan,
    hide_unseen,
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.frameworks import torch
from attn_course.self_attention.shared import (
    PARTS,
    check_image,
    check_intra,
    check_self_attention,
    check_tokens_of,
)

__all__ = [
    "FeatureMapAttention",
    "IntraAttentionLSTM",
    "SelfAttention",
    "image_to_tokens",
    "tokens_to_image",
]

DATA_FORMAT = "channels_first"


class SelfAttention(torch.nn.Module):
    """One head of self-attention: ``attn_course.reference.self_attention``.

    Shapes:
        x (B, T, model_dim), mask (T, T), (B, 1, T) or (B, T, T)
        -> output (B, T, value_dim), or (B, T, model_dim) if ``project``; weights
        (B, T, T), None for ``need_weights=False``.

    Raises:
        ValueError: a shape, dtype or mask is not as above.
    """

    def __init__(self, model_dim, *, key_dim, value_dim, project=False):
        super().__init__()
        self.query_weight = _weight(model_dim, key_dim)
        self.key_weight = _weight(model_dim, key_dim)
        self.value_weight = _weight(model_dim, value_dim)
        self.output_weight = _weight(value_dim, model_dim) if project else None

    def forward(self, x, mask=None, *, causal=False, need_weights=True):
        check_self_attention(x, self._weights(), mask)
        seen = x if mask is None else hide_unseen(x, mask)
        asking = x if mask is None else hide_nan(x, mask)
        output, weights = scaled_dot_product_attention(
            asking @ self.query_weight,
            seen @ self.key_weight,
            seen @ self.value_weight,
            mask,
            causal=causal,
            need_weights=need_weights,
        )
        if self.output_weight is not None:
            output = output @ self.output_weight
        return output, weights

    def _weights(self):
        return dict(self.named_parameters())


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


class IntraAttentionLSTM(torch.nn.Module):
    """LSTMN: ``attn_course.reference.intra_attention_lstm``.

    Shapes:
        x (B, T, input_dim), mask (B, T), padding
        -> states (B, T, hidden_dim), weights (B, T, T).

    Raises:
        ValueError: a shape, dtype or the mask is not as above.
    """

    def __init__(self, input_dim, hidden_dim, *, attention_dim):
        super().__init__()
        gates = PARTS * hidden_dim
        self.query_weight = _weight(input_dim, attention_dim)
        self.memory_weight = _weight(hidden_dim, attention_dim)
        self.summary_weight = _weight(hidden_dim, attention_dim)
        self.score_weight = torch.nn.Parameter(torch.empty(attention_dim))
        self.input_weight = _weight(input_dim, gates)
        self.state_weight = _weight(hidden_dim, gates)
        self.bias = torch.nn.Parameter(torch.zeros(gates))
        torch.nn.init.normal_(self.score_weight, std=attention_dim**-0.5)
        with torch.no_grad():  # remember at first, forget when it is learned
            self.bias[hidden_dim : 2 * hidden_dim] = 1.0

    def forward(self, x, mask=None):
        check_intra(x, dict(self.named_parameters()), mask)
        real = x.new_ones(x.shape[:2], dtype=torch.bool) if mask is None else mask
        x = torch.where(real[..., None], x, 0.0)
        queries, inputs = x @ self.query_weight, x @ self.input_weight + self.bias
        summary = x.new_zeros(len(x), len(self.state_weight))
        states, cells, keys, weights = [], [], [], []
        for t in range(x.shape[1]):
            query = queries[:, t] + summary @ self.summary_weight
            if t:
                score = torch.tanh(torch.stack(keys, 1) + query[:, None])
                allowed = real[:, :t] & real[:, t, None]
                weight = masked_softmax(score @ self.score_weight, allowed)
                found = torch.einsum("bi,bih->bh", weight, torch.stack(states, 1))
                past = torch.einsum("bi,bih->bh", weight, torch.stack(cells, 1))
            else:  # no past yet
                weight = x.new_zeros(len(x), 0)
                found = past = summary
            state, cell = self._step(inputs[:, t], found, past)
            here = real[:, t, None]
            states.append(torch.where(here, state, 0.0))
            cells.append(torch.where(here, cell, 0.0))
            keys.append(states[-1] @ self.memory_weight)
            summary = torch.where(here, found, summary)
            weights.append(torch.nn.functional.pad(weight, (0, x.shape[1] - t)))
        return torch.stack(states, 1), torch.stack(weights, 1)

    def _step(self, inputs, summary, past):
        """The LSTM's own equations, from the summary and the past."""
        parts = (inputs + summary @ self.state_weight).chunk(PARTS, dim=-1)
        input_, forget, output = map(torch.sigmoid, parts[:3])
        cell = forget * past + input_ * torch.tanh(parts[3])
        return output * torch.tanh(cell), cell


def _weight(rows, columns):
    weight = torch.nn.Parameter(torch.empty(rows, columns))
    torch.nn.init.xavier_uniform_(weight)
    return weight
