"""The table of models: each row is a checkpoint, and its bytes follow from the fields of its configuration."""

import datetime

import pytest

from attn_course.core.kv_cache import cache_bytes
from attn_course.course.labs import caches

ROWS = {row["name"]: row for row in caches.read_table()}
FAR = 131_072


def layer_bytes(config, layer, context):
    """What one layer keeps, counted from 1, at 16 bits a number and 32 for a state: read off the fields again."""
    if rates := config.get("compress_rates"):  # a window, and an entry for every so many positions
        kind = config["layer_types"][layer - 1]
        entry = config["head_dim"] + (config["index_head_dim"] if kind == "compressed_sparse_attention" else 0)
        return 2 * config["head_dim"] * min(context, config["sliding_window"]) + 2 * context * entry // rates[kind]
    linear = config.get("linear_attn_config")
    if linear and layer not in linear["full_attn_layers"]:
        return 4 * linear["num_heads"] * linear["head_dim"] * linear["head_dim"]
    state = config.get("layer_types", [""] * layer)[layer - 1] == "linear_attention"
    if state or layer % config.get("full_attention_interval", layer):
        heads, key, value = (config[f"linear_{x}"] for x in ("num_value_heads", "key_head_dim", "value_head_dim"))
        return 4 * heads * key * value
    if "kv_lora_rank" in config:
        width = config["kv_lora_rank"] + config["qk_rope_head_dim"]
        if "index_topk" in config:  # the indexer's heads of the query share one key
            width += config["index_head_dim"]
        return 2 * context * width
    near = "sliding_window" in config
    if "layer_types" in config:
        near = config["layer_types"][layer - 1] == "sliding_attention"
    elif "sliding_window_pattern" in config:
        near = layer % config["sliding_window_pattern"] != 0
    heads = config["num_key_value_heads"]
    width = config.get("head_dim", config.get("hidden_size", 0) // config.get("num_attention_heads", 1))
    if not near and "global_head_dim" in config:
        heads, width = config["num_global_key_value_heads"], config["global_head_dim"]
    return 2 * 2 * heads * width * (min(context, config["sliding_window"]) if near else context)


def model_bytes(name, context):
    config = ROWS[name]["config"]
    return sum(layer_bytes(config, layer, context) for layer in range(1, config["num_hidden_layers"] + 1))


@pytest.mark.parametrize("name", ROWS)
def test_bytes_follow_from_the_configuration(name):
    """As the table has them, as the fields give them, and as the calculator of chapter 13 counts them."""
    stored, parts = ROWS[name]["bytes"], caches.MODELS[name].parts
    for context in (1, 1000, 4097, FAR):
        assert cache_bytes(parts, context) == model_bytes(name, context)
    assert stored == {
        "growing": model_bytes(name, FAR + 1) - model_bytes(name, FAR),
        "at_131072": model_bytes(name, FAR),
    }


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_a_checkpoint_or_a_class_with_address_and_date(name):
    row = ROWS[name]
    assert (row["checkpoint"] or "of a/class").count("/") == 1
    copied = "copy in the list of sizes" in row.get("read_as", "")
    code = f"/configuration_{row['class']}.py" if "class" in row else "/sku_list.py" if copied else "/config.json"
    assert row["address"].endswith(code) and ("class" not in row or row["read_as"].startswith("defaults"))
    assert row["address"].startswith(("https://huggingface.co/", "https://github.com/"))
    assert datetime.date.fromisoformat(row["read"]) >= datetime.date(2026, 11, 22)
    # Where it isn't the checkpoint's own file, the row says what was read.
    assert "read_as" in row or f"huggingface.co/{row['checkpoint']}/" in row["address"]
    assert caches.MODELS[name].source == (row["checkpoint"] or f"{row['class']}, defaults")
    if "layer_types" in row["config"]:
        assert len(row["config"]["layer_types"]) == row["config"]["num_hidden_layers"]


def test_what_is_known_of_models():
    """Numbers that were computed elsewhere: gigabytes of a Llama, layers of a hybrid, windows of Gemma."""
    growing = {name: row["bytes"]["growing"] for name, row in ROWS.items()}
    assert growing["Llama 3 8B"] == 128 * 2**10 and growing["DeepSeek-V3"] == 70_272
    assert growing["Kimi Linear 48B"] == 7 * 576 * 2 and growing["Mistral 7B v0.1"] == 0
    assert growing["gpt-oss 120B"] == 36_864 and growing["Qwen3-Next 80B"] == 24_576
    assert caches.MODELS["Kimi Linear 48B"].kind == "MLA in 7 of 27 layers, and 40 MiB of state"
    assert caches.MODELS["Qwen3-Next 80B"].kind == "GQA, 2 heads in 12 of 48 layers, and 72 MiB of state"
    assert caches.MODELS["Gemma 3 27B"].kind == "GQA, 16 heads, 52 of 62 layers window 1,024"
    assert caches.MODELS["Mistral 7B v0.1"].kind == "GQA, 8 heads, window 4,096"
    assert caches.MODELS["Gemma 4 31B"].kind == "GQA, 16 heads, 50 of 60 layers window 1,024; 4 heads in the others"
    assert caches.MODELS["DeepSeek-V3.2"].kind == "MLA, an indexer chooses 2,048"
    assert growing["DeepSeek-V3.2"] - growing["DeepSeek-V3"] == 61 * 128 * 2
    assert caches.MODELS["Llama 2 7B"].kind == "MHA"
    assert caches.MODELS["DeepSeek-V4"].kind == "K = V of several tokens, an indexer chooses 512"
    assert growing["DeepSeek-V4"] == 2 * (20 * (512 + 128) // 4 + 23 * 512 // 128)
    assert caches.MODELS["Qwen3.5"].kind == "GQA, 4 heads in 8 of 32 layers, and 48 MiB of state"
    assert growing["GLM-5"] == 78 * 704 * 2 and growing["Kimi K2"] == growing["DeepSeek-V3"]
    assert growing["Llama 3 70B"] == growing["Llama 2 70B"] and growing["MiniMax M2"] == 253_952


def test_near_and_far_layers_are_told_from_the_fields():
    """The table of chapter 15: a row for each, of a checkpoint or of a class's defaults, with address and date."""
    told = {row["name"]: caches.positions_of(row) for row in caches.POSITIONS}
    near = "52, window 1,024, base 10,000"
    assert told["Gemma 3 27B"] == (near, 10, "linear, factor 8, base 1,000,000")
    assert told["Gemma 4 31B"][2] == "proportional 0.25, base 1,000,000"
    assert told["gpt-oss 120B"][1:] == (18, "YaRN, factor 32 from 4,096, base 150,000")
    assert told["Qwen3-Next 80B"] == ("36 linear", 12, "partial 0.25, base 10,000,000")
    assert told["Llama 4 Scout"][1:] == (12, "NoPE, log-length scaling") and told["SmolLM3 3B"][1:] == (9, "NoPE")
    assert told["Llama 4 Scout"][0] == "36, chunks of 8,192, Llama 3, factor 16 from 8,192, base 500,000"
    for row in caches.POSITIONS:
        assert datetime.date.fromisoformat(row["read"]) and row["address"]
        assert row["address"].endswith("/config.json" if row["checkpoint"] else ".py")
        near, far, _ = caches.positions_of(row)
        assert int(near.split()[0].strip(",")) + far == row["config"]["num_hidden_layers"]


def test_most_bytes_come_first():
    sizes = [cache_bytes(shape.parts, FAR) for shape in caches.MODELS.values()]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == len(ROWS) == 20


def test_gpus_are_sorted_and_their_ridge_is_that_of_their_kind():
    """Operations in the time of a byte: 150 to 300 for data-center GPUs in 16 bits."""
    assert list(caches.MEMORY.values()) == sorted(caches.MEMORY.values())
    ridges = {name: operations / speed for name, (operations, speed) in caches.PEAKS.items()}
    assert all(150 < ridge < 300 for ridge in ridges.values()), ridges


def test_mixes_of_layers_by_hand():
    """Near and far layers, how far windows add up and chunks do not, and the share of what full layers would keep."""
    gemma, oss, llama = (caches.MIXES[name] for name in ("Gemma 3 27B", "gpt-oss 120B", "Llama 4"))
    assert (gemma.near, gemma.whole, gemma.sees, gemma.reach) == (52, 10, 1024, 52 * 1023)
    assert gemma.share == pytest.approx((52 * 1024 + 10 * FAR) / (62 * FAR))
    assert gemma.operations == pytest.approx(4 * 32 * 128 * (52 * 1024 + 10 * FAR) / 1e9)
    assert oss.gib == pytest.approx(ROWS["gpt-oss 120B"]["bytes"]["at_131072"] / 2**30)
    assert (llama.reach, llama.gib, llama.operations) == (8191, None, None)
    wide = 4 * 32 * (50 * 1024 * 256 + 10 * FAR * 512) / 1e9  # heads of 512 columns where they see all
    assert caches.MIXES["Gemma 4 31B"].operations == pytest.approx(wide)
    for row in caches.read_mixes():  # a checkpoint of the table of models, or a class
        assert ("class" in row) != (row["name"] in caches.MODELS)


def test_one_shape_is_shared_in_seven_ways():
    gib = {name: cache_bytes(parts, FAR) / 2**30 for name, (parts, _) in caches.SHARED.items()}
    assert gib["GQA"] == 24 == 2 * gib["K = V"] == 2 * gib["across layers"] == 8 * gib["MQA"]
    assert (gib["GTA"], gib["MLA"]) == (12.75, 6.75)
