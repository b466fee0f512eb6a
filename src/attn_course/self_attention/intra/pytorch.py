"""An LSTM with attention over its own past in PyTorch. Formula: ``reference.py``."""

from attn_course.dot_product.pytorch import masked_softmax
from attn_course.frameworks import torch
from attn_course.self_attention.intra.checks import PARTS, check_intra


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
