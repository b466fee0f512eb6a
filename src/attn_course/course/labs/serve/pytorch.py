"""The model that ships, as a ``LanguageModel`` of PyTorch."""

from attn_course.core.frameworks import torch
from attn_course.core.parity import set_parameters
from attn_course.course.labs.serve import KIND, weights
from attn_course.pytorch import GroupedQueryAttention, LanguageModel, RotaryEncoding
from attn_course.tasks.glassllm import SIZES


def load_model(dtype="float32"):
    """With its weights, in a dtype; in float64 its texts are the same in any batch."""
    D, H, G = (SIZES[name] for name in ("model_dim", "num_heads", "num_kv_heads"))

    def attention(_):
        rotary = RotaryEncoding(D // H, layout="interleaved")
        options = {"use_bias": False, "rotary": rotary}
        return GroupedQueryAttention(D, H, num_kv_heads=G, **options)

    sizes = SIZES["symbols"], SIZES["num_layers"], D, H, SIZES["ff_dim"]
    model = LanguageModel(*sizes, attention=attention, **KIND)
    set_parameters(model, weights())
    return model.to(getattr(torch, dtype)).eval()
