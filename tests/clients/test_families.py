"""The wall chart of chapter 16, and sizes that are known as defaults alone: asked of transformers and its code."""

import re
from pathlib import Path

import pytest
import transformers

from attn_course.course.labs.caches import read_table
from attn_course.tasks.families import PARTS, load_families

FAMILIES = load_families()
NEAR = {"sliding_attention", "hybrid_sliding", "chunked_attention"}
INDEXED = {"indexed_attention", "compressed_sparse_attention"}
SOMETIMES = r"position_embeddings is not None|sliding_window|is_local_attention"


def settled(name):
    """The parts of a family, but its norms and gates, which go by many names."""
    config = transformers.CONFIG_MAPPING[name]().get_text_config().to_dict()
    folder = Path(transformers.__file__).parent / "models" / name
    code = (folder / f"modeling_{name}.py").read_text(encoding="utf-8")
    kinds = {*(config.get("layer_types") or config.get("layers_block_type") or ())}
    turned = re.search(r"= apply_rotary_(pos_)?emb(_interleave)?\(", code) or "position_bias" in code
    sometimes = re.search(rf"if [^\n]*({SOMETIMES})[^\n]*:\n([^\n]*\n)?[^\n]*= apply_rotary", code)
    found = {
        "sink": re.search(r"self\.\w*sink\w* = nn\.", code),
        "nope": not turned or sometimes or 0 in (config.get("no_rope_layers") or ()),
        "mix": kinds & NEAR and kinds - NEAR,
        "latent": config.get("kv_lora_rank"),
        "index": kinds & INDEXED or any(key.startswith("index_topk") for key in config),
        "compress": {"compress_rates", "indexer_compress_ratio", "index_kpool"} & config.keys(),
        "linear": "linear_attention" in kinds,
    }
    return {part for part, has in found.items() if has}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_parts_of_a_family_are_what_transformers_has(name):
    assert settled(name) == set(FAMILIES[name]) - {"norm", "gate"}


def test_every_part_is_asked_for():
    assert set().union(*map(settled, FAMILIES)) == set(PARTS) - {"norm", "gate"}


@pytest.mark.parametrize("row", [row for row in read_table() if "class" in row], ids=lambda row: row["name"])
def test_sizes_without_a_stored_file_are_the_defaults_of_a_class(row):
    config = transformers.CONFIG_MAPPING[row["class"]]().get_text_config().to_dict()
    own = {"num_attention_heads"} if row["checkpoint"] else set()  # Kimi K2 has half as many
    assert row["config"] == {key: row["config"][key] if key in own else config[key] for key in row["config"]}
