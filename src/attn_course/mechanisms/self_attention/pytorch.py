"""Self-attention in PyTorch. Formulas: ``reference.py``."""

from typing import Any

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import Module, is_mixed, make_linear, reset_linear
from attn_course.core.layer.shared import spell_config
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.shapes import (
    check_at_least,
    check_choice,
    check_flags,
    check_floats,
)
from attn_course.mechanisms.dot_product.pytorch import (
    masked_softmax,
    scaled_dot_product_attention,
)
from attn_course.mechanisms.self_attention.shared import (
    FORMATS,
    PARTS,
    Format,
    check_image,
    check_intra,
    check_sequence,
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


class SelfAttention(Module):
    """One head of self-attention: ``attn_course.reference.self_attention``.

    Raises:
        ValueError: a size is below 1, or an argument not as ``forward`` says.
    """

    parity_joint = "_"  # query.weight is called query_weight in ``attn_course.parity``

    def __init__(
        self,
        model_dim: int,
        *,
        key_dim: int,
        value_dim: int,
        project: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        check_at_least(1, model_dim=model_dim, key_dim=key_dim, value_dim=value_dim)
        check_flags(project=project)
        self.config = {"model_dim": model_dim, "key_dim": key_dim}
        self.config |= {"value_dim": value_dim, "project": project}
        plain = {"use_bias": False, "device": device, "dtype": dtype}
        self.query = make_linear(model_dim, key_dim, **plain)
        self.key = make_linear(model_dim, key_dim, **plain)
        self.value = make_linear(model_dim, value_dim, **plain)
        self.output = make_linear(value_dim, model_dim, **plain) if project else None

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for part in filter(None, (self.query, self.key, self.value, self.output)):
            reset_linear(part)

    def forward(
        self,
        x: torch.Tensor,
        mask: Mask = None,
        *,
        causal: bool = False,
        need_weights: bool = True,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend from every position to the positions of the same sequence.

        Shapes:
            x (B, T, model_dim), mask (T, T), (B, 1, T) or (B, T, T)
            -> output (B, T, value_dim), or (B, T, model_dim) if ``project``; weights
            (B, T, T), None for ``need_weights=False``.
        """
        check_sequence(x, self.query.in_features)
        check_like(self.query, x)
        inputs = self.query(x), self.key(x), self.value(x)
        options = {"causal": causal, "need_weights": need_weights}
        output, weights = scaled_dot_product_attention(*inputs, mask, **options)
        return output if self.output is None else self.output(output), weights

    def extra_repr(self) -> str:
        return spell_config(self.config)


def check_like(layer: torch.nn.Module, x: torch.Tensor) -> None:
    """Raise ValueError unless x has the dtype of a linear map's weight."""
    if not is_mixed(layer, x) and x.dtype != layer.weight.dtype:
        check_floats(query_weight=layer.weight, x=x)


def image_to_tokens(
    image: torch.Tensor, *, data_format: Format | None = None
) -> torch.Tensor:
    """See ``attn_course.reference.image_to_tokens``; channels first by default."""
    if check_image(image, data_format or DATA_FORMAT):
        image = image.movedim(1, -1)
    return image.flatten(1, 2)


def tokens_to_image(
    tokens: torch.Tensor, height: int, width: int, *, data_format: Format | None = None
) -> torch.Tensor:
    """See ``attn_course.reference.tokens_to_image``; channels first by default."""
    first = check_tokens_of(tokens, height, width, data_format or DATA_FORMAT)
    image = tokens.unflatten(1, (height, width))
    return image.movedim(-1, 1) if first else image


class FeatureMapAttention(SelfAttention):
    """Self-attention over pixels: ``attn_course.reference.feature_map_attention``.

    Raises:
        ValueError: a size is below 1, or an argument not as ``forward`` says.
    """

    def __init__(
        self,
        channels: int,
        *,
        key_dim: int,
        value_dim: int,
        residual: bool = True,
        data_format: Format | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        check_at_least(1, channels=channels)
        if data_format is not None:
            check_choice("data_format", data_format, FORMATS)
        check_flags(residual=residual)
        widths = {"key_dim": key_dim, "value_dim": value_dim}
        place = {"device": device, "dtype": dtype}
        super().__init__(channels, **widths, project=True, **place)
        self.data_format = data_format or DATA_FORMAT
        self.config = {"channels": channels, **widths, "residual": residual}
        self.config |= {"data_format": data_format}
        self.gate = torch.nn.Parameter(torch.zeros((), **place)) if residual else None

    def reset_parameters(self) -> None:
        """Draw all weights anew; the gate is closed again."""
        super().reset_parameters()
        if self.gate is not None:
            torch.nn.init.zeros_(self.gate)

    def forward(
        self, image: torch.Tensor, mask: Mask = None, *, need_weights: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Attend from every pixel to all pixels.

        Shapes:
            image (B, channels, height, width), or channels last if so asked; mask as in
            ``SelfAttention`` with T = height * width
            -> the shape of the image, weights (B, T, T).
        """
        first = check_image(image, self.data_format, self.query.in_features)
        height, width = image.shape[2:] if first else image.shape[1:3]
        tokens = image_to_tokens(image, data_format=self.data_format)
        output, weights = super().forward(tokens, mask, need_weights=need_weights)
        output = tokens_to_image(output, height, width, data_format=self.data_format)
        return output if self.gate is None else image + self.gate * output, weights


class IntraAttentionLSTM(Module):
    """LSTMN: ``attn_course.reference.intra_attention_lstm``.

    Raises:
        ValueError: a size is below 1, or an argument not as ``forward`` says.
    """

    parity_joint = "_"

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        attention_dim: int,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.config = {"input_dim": input_dim, "hidden_dim": hidden_dim}
        self.config |= {"attention_dim": attention_dim}
        check_at_least(1, **self.config)
        place = {"device": device, "dtype": dtype}
        own = {"use_bias": False, **place}
        self.query = make_linear(input_dim, attention_dim, **own)
        self.memory = make_linear(hidden_dim, attention_dim, **own)
        self.summary = make_linear(hidden_dim, attention_dim, **own)
        self.score_weight = torch.nn.Parameter(torch.empty(attention_dim, **place))
        self.input = make_linear(input_dim, PARTS * hidden_dim, **own)
        self.state = make_linear(hidden_dim, PARTS * hidden_dim, **own)
        self.bias = torch.nn.Parameter(torch.empty(PARTS * hidden_dim, **place))
        self.reset_vectors()

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for part in (self.query, self.memory, self.summary, self.input, self.state):
            reset_linear(part)
        self.reset_vectors()

    @torch.no_grad()
    def reset_vectors(self) -> None:
        """Draw the scores' vector; remember at first, forget when it is learned."""
        torch.nn.init.normal_(self.score_weight, std=len(self.score_weight) ** -0.5)
        torch.nn.init.zeros_(self.bias)
        self.bias.chunk(PARTS)[1].fill_(1.0)

    def forward(
        self, x: torch.Tensor, mask: Mask = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Read a sequence, one word at a time.

        Shapes:
            x (B, T, input_dim), mask (B, T), padding
            -> states (B, T, hidden_dim), weights (B, T, T).
        """
        check_intra(x, self.query.in_features, mask)
        check_like(self.query, x)
        queries, inputs = self.query(x), self.input(x) + self.bias
        real = x.new_ones(x.shape[:2], dtype=torch.bool)
        real = real if mask is None else to_mask(mask, x)
        summary = inputs.new_zeros(x.shape[0], self.config["hidden_dim"])
        states, cells, keys, weights = [], [], [], []
        for t in range(x.shape[1]):
            here, look = real[:, t, None], inputs.new_zeros(x.shape[0], 0)
            found = past = summary
            if t:
                query = queries[:, t] + self.summary(summary)
                score = torch.tanh(torch.stack(keys, 1) + query[:, None])
                look = masked_softmax(score @ self.score_weight, real[:, :t] & here)
                found = torch.einsum("bi,bih->bh", look, torch.stack(states, 1))
                past = torch.einsum("bi,bih->bh", look, torch.stack(cells, 1))
            state, cell = lstm_step(inputs[:, t] + self.state(found), past)
            states.append(torch.where(here, state, 0.0))
            cells.append(torch.where(here, cell, 0.0))
            keys.append(self.memory(states[-1]))
            summary = torch.where(here, found, summary)
            weights.append(torch.nn.functional.pad(look, (0, x.shape[1] - t)))
        return torch.stack(states, 1), torch.stack(weights, 1)

    def extra_repr(self) -> str:
        return spell_config(self.config)


def lstm_step(
    gates: torch.Tensor, past: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The LSTM's own equations: state and cell, from its gates and the past."""
    *parts, candidate = gates.chunk(PARTS, dim=-1)
    input_, forget, output = map(torch.sigmoid, parts)
    cell = forget * past + input_ * torch.tanh(candidate)
    return output * torch.tanh(cell), cell
