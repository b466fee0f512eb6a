"""The shapes of real models, as far as their caches need them.

``MODELS`` has per name the kinds of layers, as ``attn_course.kv_cache.cache_bytes``
takes them, what kind of attention it is, and where the shape was read: "class" is the
default of the class in Hugging Face's transformers 5.23.0, which a published checkpoint
may differ from.
"""

from typing import NamedTuple


class Shape(NamedTuple):
    """parts: (layers, values per position) or (layers, values, window)."""

    parts: list
    kind: str
    source: str


def heads(layers, num_kv_heads, key_dim, *window):
    """Layers with keys and values of so many heads."""
    return layers, 2 * num_kv_heads * key_dim, *window


MODELS = {
    "Llama 2 7B": Shape([heads(32, 32, 128)], "MHA", "class LlamaConfig"),
    "DeepSeek 67B": Shape(
        [heads(95, 8, 128)], "GQA, 8 heads", "what the 93.3% of DeepSeek-V2 implies"
    ),
    "Llama 2 and 3 70B": Shape(
        [heads(80, 8, 128)], "GQA, 8 heads", "llama-models, models/sku_list.py"
    ),
    "Llama 3 8B": Shape(
        [heads(32, 8, 128)], "GQA, 8 heads", "llama-models, models/sku_list.py"
    ),
    "Mistral 7B": Shape(
        [heads(32, 8, 128, 4096)], "GQA, window 4,096", "class MistralConfig"
    ),
    "DeepSeek-V3": Shape([(61, 512 + 64)], "MLA", "class DeepseekV3Config"),
    "gpt-oss": Shape(
        [heads(18, 8, 64, 128), heads(18, 8, 64)],
        "GQA, half of the layers window 128",
        "class GptOssConfig",
    ),
    "DeepSeek-V2": Shape([(60, 512 + 64)], "MLA", "report of DeepSeek-V2"),
    "Gemma 3": Shape(
        [heads(22, 4, 256, 4096), heads(4, 4, 256)],
        "GQA, 22 of 26 layers window 4,096",
        "class Gemma3TextConfig",
    ),
    "Kimi Linear": Shape(
        [(6, 512 + 64)],
        "MLA in 6 of 27 layers, and 42 MiB of state",
        "class KimiLinearConfig",
    ),
}
