"""Shaw's relative attention in PyTorch. Formulas: ``reference.py``."""

from attn_course.dot_product.pytorch import hide_unseen, scaled_dot_product_attention
from attn_course.frameworks import torch
from attn_course.positional.bias.pytorch import key_distance
from attn_course.positional.relative.checks import check_relative, head_widths


class RelativeAttention(torch.nn.Module):
    """Relative attention: ``attn_course.reference.relative_attention``.

    Scaled dot-product attention with a bias that the query chooses, query[t] .
    relative_key[r], and with the vectors of the distances added to the values.

    Shapes:
        query (B, T, model_dim); key and value (B, S, model_dim), where None is the
        query, and the key; mask boolean (T, S), (B, 1, 1, S), (B, 1, T, S) ...
        -> output (B, T, model_dim), weights (B, H, T, S).

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
    ):
        super().__init__()
        self.model_dim, self.num_heads = model_dim, num_heads
        self.max_distance = max_distance
        widths = head_widths(model_dim, num_heads, max_distance, key_dim, value_dim)
        key_dim, value_dim = widths
        keys, values, rows = (
            num_heads * key_dim,
            num_heads * value_dim,
            2 * max_distance,
        )
        self._add_weight("query_weight", model_dim, keys)
        self._add_weight("key_weight", model_dim, keys)
        self._add_weight("value_weight", model_dim, values)
        self._add_weight("output_weight", values, model_dim)
        self._add_weight("relative_key", rows + 1, key_dim)
        self._add_weight("relative_value", rows + 1, value_dim)
        for name, size in (
            ("query_bias", keys),
            ("key_bias", keys),
            ("value_bias", values),
            ("output_bias", model_dim),
        ):
            bias = torch.nn.Parameter(torch.zeros(size)) if use_bias else None
            self.register_parameter(name, bias)

    def _add_weight(self, name, *shape):
        weight = torch.nn.Parameter(torch.empty(shape))
        torch.nn.init.xavier_uniform_(weight)
        self.register_parameter(name, weight)

    def forward(
        self,
        query,
        key=None,
        value=None,
        mask=None,
        *,
        causal=False,
        need_weights=True,
    ):
        key = query if key is None else key
        value = key if value is None else value
        sizes = {"model_dim": self.model_dim, "num_heads": self.num_heads}
        check_relative(query, key, value, mask, **sizes)
        distance = key_distance(query.shape[1], key.shape[1], device=query.device)
        if causal:
            mask = distance <= 0 if mask is None else mask & (distance <= 0)
        if mask is not None:
            by_any_head = mask if mask.ndim == 2 else mask.any(dim=1)
            key, value = hide_unseen(key, by_any_head), hide_unseen(value, by_any_head)
        query = self._heads(query, self.query_weight, self.query_bias)
        key = self._heads(key, self.key_weight, self.key_bias)
        value = self._heads(value, self.value_weight, self.value_bias)
        most = self.max_distance
        row_TS = distance.clamp(-most, most) + most
        far_TSK = torch.nn.functional.embedding(row_TS, self.relative_key)
        far_TSV = torch.nn.functional.embedding(row_TS, self.relative_value)
        bias = torch.einsum("bhtk,tsk->bhts", query, far_TSK) * query.shape[-1] ** -0.5
        context, weights = scaled_dot_product_attention(
            query, key, value, mask, bias=bias
        )
        context = context + torch.einsum("bhts,tsv->bhtv", weights, far_TSV)
        output_weight = self.output_weight.unflatten(0, (self.num_heads, -1))
        output = torch.einsum("bhtv,hvd->btd", context, output_weight)
        if self.output_bias is not None:
            output = output + self.output_bias
        return output, weights if need_weights else None

    def _heads(self, x, weight, bias):
        """Project into heads: (B, S, D) -> (B, H, S, K)."""
        weight = weight.unflatten(1, (self.num_heads, -1))
        x = torch.einsum("bsd,dhk->bhsk", x, weight)
        return x if bias is None else x + bias.view(self.num_heads, 1, -1)
