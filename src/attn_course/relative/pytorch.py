"""Shaw's relative attention in PyTorch. Formulas: ``reference.py``."""

from attn_course.dot_product.pytorch import scaled_dot_product_attention
from attn_course.frameworks import torch
from attn_course.multi_head.checks import check_dtypes
from attn_course.multi_head.pytorch import (
    add_weights,
    hide,
    merge_heads,
    project,
    split_heads,
)
from attn_course.positional.pytorch import key_distance
from attn_course.relative.shared import (
    check_relative,
    layer_sizes,
    weight_shapes,
)

__all__ = ["RelativeAttention"]


class RelativeAttention(torch.nn.Module):
    """Relative attention: ``attn_course.reference.relative_attention``.

    Multi-head attention with a bias that the query chooses, query[t] . relative_key[r],
    and with the vectors of the distances added to the values.

    Shapes:
        query (B, T, model_dim); key and value (B, S, model_dim), where None is the
        query, and the key; mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...; bias
        broadcastable to (B, H, T, S), added to the scaled scores
        -> output (B, T, model_dim), weights (B, H, T, S).

    Dropout drops weights, in training only; the weights that come back are those before
    it.

    Raises:
        ValueError: a size, shape, dtype or mask is not as above.
    """

    def __init__(
        self,
        model_dim,
        num_heads,
        *,
        max_distance,
        key_dim=None,
        value_dim=None,
        use_bias=False,
        dropout=0.0,
    ):
        super().__init__()
        sizes = model_dim, num_heads, max_distance, key_dim, value_dim
        sizes = layer_sizes(*sizes, use_bias, dropout)
        self.num_heads, self.max_distance = num_heads, max_distance
        self.dropout = dropout
        add_weights(self, weight_shapes(sizes))

    def forward(
        self,
        query,
        key=None,
        value=None,
        mask=None,
        *,
        bias=None,
        causal=False,
        need_weights=True,
    ):
        key = query if key is None else key
        value = key if value is None else value
        inputs = {"query": query, "key": key, "value": value}
        parameters = dict(self.named_parameters())
        options = {"mask": mask, "bias": bias}
        check_relative(inputs, parameters, self.num_heads, **options)
        # Autocast brings them to one dtype by itself.
        if not torch.is_autocast_enabled(query.device.type):
            check_dtypes(inputs, parameters, bias)
        queries, keys, values = (
            split_heads(project(x, parameters, name), self.num_heads)
            for name, x in hide(inputs, mask, causal).items()
        )
        distance = key_distance(query.shape[1], key.shape[1], device=query.device)
        row_TS = distance.clamp(-self.max_distance, self.max_distance)
        row_TS = row_TS + self.max_distance
        far_TSK = torch.nn.functional.embedding(row_TS, self.relative_key)
        far_TSV = torch.nn.functional.embedding(row_TS, self.relative_value)
        far = torch.einsum("bhtk,tsk->bhts", queries, far_TSK)
        far = far * queries.shape[-1] ** -0.5
        context, weights = scaled_dot_product_attention(
            queries,
            keys,
            values,
            mask,
            bias=far if bias is None else far + bias,
            causal=causal,
        )
        used = weights
        if self.training and self.dropout > 0:
            used = torch.dropout(weights, self.dropout, train=True)
            context = used @ values
        context = context + torch.einsum("bhts,tsv->bhtv", used, far_TSV)
        output = project(merge_heads(context), parameters, "output")
        return output, weights if need_weights else None
