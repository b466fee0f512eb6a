"""Multi-head attention in PyTorch. Formulas: ``reference.py``.

In a few lines: chapter 6 of the book. The steps are ``AttentionLayer.walk``'s.
"""

from collections.abc import Callable, Iterable

from attn_course.core.convert import check_kind, check_options
from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import (
    AttentionLayer,
    copies,
    merge_heads,
    split_heads,
)
from attn_course.core.layer.shared import check_supported
from attn_course.core.parity import get_parameters, set_parameters
from attn_course.mechanisms.dot_product.pytorch import dot_product
from attn_course.mechanisms.multi_head.shared import (
    check_losses,
    check_used,
    keep_heads,
    remaining_heads,
)

__all__ = ["MultiHeadAttention", "head_importance", "merge_heads", "split_heads"]


class MultiHeadAttention(AttentionLayer):
    """Multi-head attention: ``attn_course.reference.multi_head_attention``.

        q, k, v = project(query, key, value)        linear maps, cut into heads
        context, weights = attend(q, k, v, mask)    ``dot_product``
        return output(merge(context)), weights

    Norms, positions, cache and gate stand between, where there are any. That walk, and
    what projects, splits and merges: ``attn_course.core.layer.pytorch.AttentionLayer``.
    Without weights (``need_weights=False``) PyTorch's fused kernel computes the heads,
    unless dropout is at work: it drops weights, in training only, and needs them. The
    weights that come back are those before dropout.

    Differs: ``nn.MultiheadAttention`` blocks where its masks are True (see
        ``attn_course.masks.from_blocked``), averages the weights over the heads, has
        the batch second unless told otherwise, and gives NaN with the weights of a
        row that may see nothing.
    """

    own_softmax = own_scale = True
    attend = staticmethod(dot_product)

    def prune_heads(self, heads: Iterable[int]) -> "MultiHeadAttention":
        """A new layer without these heads: their columns are gone, not masked.

        Its output is this layer's with a ``head_mask`` of zeros at the heads.

        Raises:
            ValueError: a head does not exist, or none would be left, or the layer has
            groups of heads, or a softmax, output gate or norm over all heads, whose
            heads are its own.
        """
        parts = {"softmax": self.softmax, "output_gate": self.output_gate}
        grouped = self.num_kv_heads < self.num_heads
        over_all, _ = getattr(self.query_key_norm, "heads", (None, None))
        parts["query_key_norm over all heads"] = over_all
        check_supported("prune_heads", num_kv_heads=grouped, **parts)
        kept = remaining_heads(heads, self.num_heads)
        sizes = self.config | {"num_heads": len(kept)}
        parts = copies(self, "query_key_norm")
        layer = type(self)(**sizes, **parts).to(self.query.weight)
        parameters = {
            name: keep_heads(name, array, self.num_heads, kept)
            for name, array in get_parameters(self).items()
        }
        set_parameters(layer, parameters)
        return layer.train(self.training)

    @classmethod
    def from_torch(cls, module: torch.nn.MultiheadAttention) -> "MultiHeadAttention":
        """A layer with the weights of a ``torch.nn.MultiheadAttention``.

        The output is the same; see the class for what differs in the call.

        Raises:
            ValueError: the module is another kind, a quantized one too, or has what
            ours has not, ``add_bias_kv`` or ``add_zero_attn``.
        """
        check_kind("module", module, torch.nn.MultiheadAttention)
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
        ).to(module.out_proj.weight)
        if module.in_proj_weight is None:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            weights = [getattr(module, name) for name in names]
        else:
            weights = module.in_proj_weight.chunk(3)
        parts = {"weight": (*weights, module.out_proj.weight)}
        if module.in_proj_bias is not None:
            parts["bias"] = (*module.in_proj_bias.chunk(3), module.out_proj.bias)
        state = {
            f"{name}.{part}": x.detach()
            for part, found in parts.items()
            for name, x in zip(("query", "key", "value", "output"), found, strict=True)
        }
        layer.load_state_dict(state)
        return layer.train(module.training)


def head_importance(
    loss: Callable, head_mask: torch.Tensor | tuple[torch.Tensor, ...]
) -> torch.Tensor | tuple[torch.Tensor, ...]:
    """How much every head matters: mean over examples of |d loss / d head_mask|.

    See ``attn_course.mechanisms.multi_head`` for the formula and how it is called.

    Shapes:
        head_mask: ones of shape (B, H), a row per example; or a tuple of such, one per
            layer.
        loss: a function of head_mask (of the tuple) that returns (B), the loss of every
            example, where no example may have influence on another's.
        returns: (H); or a tuple of such, one per layer.

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
