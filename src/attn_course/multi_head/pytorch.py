"""Multi-head attention in PyTorch. Formulas: ``reference.py``."""

from attn_course.dot_product.pytorch import (
    block_future,
    hide_nan,
    hide_unseen,
    scaled_dot_product_attention,
)
from attn_course.frameworks import torch
from attn_course.multi_head.checks import (
    check_divisible,
    check_dtypes,
    check_losses,
    check_multi_head,
    check_options,
    check_used,
    keep_heads,
    layer_sizes,
    remaining_heads,
    weight_shapes,
)
from attn_course.shapes import check_shapes


def split_heads(x, num_heads):
    """See ``attn_course.reference.split_heads``. A view: nothing is copied."""
    B, T, width = check_shapes(x=(x, "BTD")).values()
    check_divisible("x", width, num_heads)
    return x.view(B, T, num_heads, width // num_heads).transpose(1, 2)


def merge_heads(x):
    """See ``attn_course.reference.merge_heads``."""
    check_shapes(x=(x, "BHTK"))
    return x.transpose(1, 2).flatten(2)


def add_weights(layer, shapes):
    """Give a layer its parameters by name: matrices drawn, biases zero."""
    for name, shape in shapes.items():
        weight = torch.nn.Parameter(torch.zeros(shape))
        if weight.ndim == 2:
            torch.nn.init.xavier_uniform_(weight)
        setattr(layer, name, weight)


def project(x, parameters, name):
    """x @ weight + bias, in one product for all heads."""
    weight, bias = parameters[f"{name}_weight"], parameters.get(f"{name}_bias")
    return torch.nn.functional.linear(x, weight.T, bias)


def hide(inputs, mask, causal):
    """Key and value, zero where no query may look with any head.

    Before they are projected: a NaN would reach the gradient of the weights. In
    self-attention the query is zero too where it can't be seen and isn't finite.
    """
    if mask is None:
        return inputs
    query, key, value = inputs.values()
    mask = block_future(mask, query, key) if causal else mask
    seen = mask if mask.ndim == 2 else mask.any(dim=1)
    shown = hide_unseen(key, seen)
    return {
        "query": hide_nan(query, seen) if query is key else query,
        "key": shown,
        "value": shown if value is key else hide_unseen(value, seen),
    }


class MultiHeadAttention(torch.nn.Module):
    """Multi-head attention: ``attn_course.reference.multi_head_attention``.

    key None attends to the query itself, value None takes the key. Without weights
    (``need_weights=False``) PyTorch's fused kernel computes the heads, unless dropout
    is at work: it drops weights, in training only, and needs them. The weights that
    come back are those before dropout.

    Shapes:
        query (B, T, model_dim), key (B, S, memory_dim), value (B, S, memory_dim),
        mask, bias and head_mask as in the reference
        -> output (B, T, model_dim), weights (B, num_heads, T, S) or None.

    Raises:
        ValueError: a shape, dtype, mask or size is not as above.

    Differs: ``nn.MultiheadAttention`` blocks where its masks are True (see
        ``attn_course.masks.from_blocked``), averages the weights over the heads, has
        the batch second unless told otherwise, and gives NaN with the weights of a
        row that may see nothing.
    """

    def __init__(
        self,
        model_dim,
        num_heads,
        *,
        key_dim=None,
        value_dim=None,
        memory_dim=None,
        use_bias=True,
        dropout=0.0,
        rotary=None,
    ):
        super().__init__()
        self.sizes = layer_sizes(
            model_dim, num_heads, key_dim, value_dim, memory_dim, use_bias, dropout
        )
        self.num_heads, self.dropout, self.rotary = num_heads, dropout, rotary
        add_weights(self, weight_shapes(self.sizes))

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
        head_mask=None,
    ):
        key = query if key is None else key
        value = key if value is None else value
        inputs = {"query": query, "key": key, "value": value}
        parameters = dict(self.named_parameters(recurse=False))
        options = {"mask": mask, "bias": bias, "head_mask": head_mask}
        check_multi_head(inputs, parameters, self.num_heads, **options)
        # Autocast brings them to one dtype by itself.
        if not torch.is_autocast_enabled(query.device.type):
            check_dtypes(inputs, parameters, bias)
        queries, keys, values = (
            split_heads(project(x, parameters, name), self.num_heads)
            for name, x in hide(inputs, mask, causal).items()
        )
        if self.rotary is not None:
            queries, keys = self.rotary(queries, keys)
        dropping = self.training and self.dropout > 0
        options = {"causal": causal, "need_weights": need_weights or dropping}
        context, weights = scaled_dot_product_attention(
            queries, keys, values, mask, bias=bias, **options
        )
        if dropping:
            context = torch.dropout(weights, self.dropout, train=True) @ values
        if head_mask is not None:
            context = context * head_mask.to(context.dtype)[..., None, None]
        output = project(merge_heads(context), parameters, "output")
        return output, weights if need_weights else None

    def prune_heads(self, heads):
        """A new layer without these heads: their columns are gone, not masked.

        Its output is this layer's with a ``head_mask`` of zeros at the heads.

        Raises:
            ValueError: a head does not exist, or none would be left.
        """
        kept = remaining_heads(heads, self.num_heads)
        sizes = self.sizes | {"num_heads": len(kept)}
        layer = type(self)(**sizes, rotary=self.rotary)
        parameters = {
            name: keep_heads(name, parameter.detach(), self.num_heads, kept)
            for name, parameter in self.named_parameters(recurse=False)
        }
        return _fill(layer, parameters).train(self.training)

    @classmethod
    def from_torch(cls, module):
        """A layer with the weights of a ``torch.nn.MultiheadAttention``.

        The output is the same; see the class for what differs in the call.

        Raises:
            ValueError: the module has what ours has not, ``add_bias_kv`` or
            ``add_zero_attn``.
        """
        check_options(
            "module",
            ("add_bias_kv", module.bias_k is not None, False),
            ("add_zero_attn", module.add_zero_attn, False),
        )
        layer = cls(
            module.embed_dim,
            module.num_heads,
            memory_dim=(module.kdim, module.vdim),
            use_bias=module.in_proj_bias is not None,
            dropout=module.dropout,
        )
        names = ("query", "key", "value")
        if module.in_proj_weight is None:
            weights = [getattr(module, f"{name[0]}_proj_weight") for name in names]
        else:
            weights = module.in_proj_weight.chunk(3)
        weights = (*weights, module.out_proj.weight)
        names = (*names, "output")
        parameters = {f"{n}_weight": w.T for n, w in zip(names, weights, strict=True)}
        if module.in_proj_bias is not None:
            biases = (*module.in_proj_bias.chunk(3), module.out_proj.bias)
            parameters |= {f"{n}_bias": b for n, b in zip(names, biases, strict=True)}
        return _fill(layer, parameters).train(module.training)


def head_importance(loss, head_mask):
    """How much every head matters: mean over examples of |d loss / d head_mask|.

    See ``attn_course.multi_head`` for the formula and how it is called.

    Shapes:
        head_mask: ones of shape (B, H), a row an example; or a tuple of such, one a
            layer.
        loss: a function of head_mask (of the tuple) that returns (B), the loss of every
            example, where no example may have influence on another's.
        returns: (H); or a tuple of such, one a layer.

    Raises:
        ValueError: a shape is not as above, or the loss doesn't depend on head_mask.

    Source: Michel et al. 2019 (arXiv:1905.10650), section 4.1, equation 2.
    Differs: the paper also divides by the norm over a layer's heads, so that layers
        can be compared; here that is left to the caller.
    """
    several = isinstance(head_mask, tuple)
    masks = head_mask if several else (head_mask,)
    with torch.enable_grad():
        leaves = tuple(mask.detach().clone().requires_grad_() for mask in masks)
        losses = loss(leaves if several else leaves[0])
        check_losses(losses, leaves)
        # Each row of a mask reaches the loss of its own example only.
        gradients = torch.autograd.grad(losses.sum(), leaves, allow_unused=True)
    check_used(gradients)
    importance = tuple(gradient.abs().mean(dim=0) for gradient in gradients)
    return importance if several else importance[0]


def _fill(layer, parameters):
    """Copy parameters into a layer, which takes their dtype and device."""
    layer.to(parameters["query_weight"])
    with torch.no_grad():
        for name, parameter in parameters.items():
            getattr(layer, name).copy_(parameter)
    return layer
