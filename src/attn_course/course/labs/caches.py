"""The shapes of published models, as far as their caches need them.

``MODELS`` has per name the kinds of layers, as ``cache_bytes`` of
``attn_course.core.kv_cache`` takes them, what kind of attention it is, and of which
checkpoint the configuration was read, or of which class it has the defaults; most bytes
behind 131,072 positions first. The fields, with address and date, are in
``attn_course/tasks/models.json``.
``POSITIONS`` has the rows of those whose near and far layers turn in different ways,
``MIXES`` decoders in which few layers see all, ``SHARED`` one shape whose keys and
values are shared in seven ways. ``MEMORY`` and ``PEAKS`` have the memory of GPUs, their
operations and bytes per second.
"""

import json
from importlib import resources
from typing import NamedTuple

from attn_course.core.kv_cache import cache_bytes

NUMBER = 2  # bytes of a number of keys and values
LONG = 131_072  # positions, where sizes are compared
STATE_NUMBER = 4  # of a recurrent state, which is kept in float32
PARTIAL = "partial_rotary_factor"
NEAR, FAR = "sliding_attention", "full_attention"
CHOSEN = "compressed_sparse_attention"  # an indexer chooses among entries


class Shape(NamedTuple):
    """parts: (layers, values per position) or (layers, values, window).

    A state, whose size does not grow, is a window of one position.
    """

    parts: list
    kind: str
    source: str


class Mix(NamedTuple):
    """Layers that see ``sees`` positions, a window or a chunk, and layers that see all.

    share: of what it would keep at 131,072 positions if all layers were far ones.
    gib, operations: of the cache there, and of attention for the next token in 10^9,
    where it is a checkpoint. far: positions in the far layers.
    """

    near: int
    whole: int
    sees: int
    kind: str
    far: str
    share: float
    gib: float | None = None
    operations: float | None = None

    @property
    def reach(self):
        """How far back the near layers alone look: windows add up, chunks do not."""
        return (self.sees - 1) * (self.near if self.kind == "window" else 1)


def read_mixes():
    """The rows of ``mixes.json``, beside ``models.json``."""
    path = resources.files("attn_course.tasks").joinpath("mixes.json")
    return json.loads(path.read_text(encoding="utf-8"))["mixes"]


def mix_of(row):
    """What a row of ``read_mixes`` says; a checkpoint's sizes are in its own table."""
    words = {"kind": row["near"], "far": row["far"]}
    if "class" in row:
        near, whole = row["layers"]
        share = (near * row["sees"] / LONG + whole) / (near + whole)
        return Mix(near, whole, row["sees"], share=share, **words)
    config = ROWS[row["name"]]["config"]
    (whole, near, _), window = layers_of(config), config["sliding_window"]
    parts, (_, values) = SHAPES[row["name"]].parts, values_of(config)
    share = cache_bytes(parts, LONG) / cache_bytes([(near + whole, values)], LONG)
    width = config["head_dim"]
    wide = config.get("global_head_dim", width)
    columns = near * window * width + whole * LONG * wide
    operations = 4 * config["num_attention_heads"] * columns / 1e9  # scores, sums
    gib = cache_bytes(parts, LONG) / 2**30
    return Mix(
        near, whole, window, share=share, gib=gib, operations=operations, **words
    )


def read_table(part="models"):
    """The rows of the table: name, checkpoint, address, fields of the configuration."""
    path = resources.files("attn_course.tasks").joinpath("models.json")
    return json.loads(path.read_text(encoding="utf-8"))[part]


def shape(row):
    """What a row of the table says of the cache."""
    config = row["config"]
    source = row["checkpoint"] or f"{row['class']}, defaults"
    if "compress_rates" in config:
        kind = f"K = V of several tokens, an indexer chooses {config['index_topk']:,}"
        return Shape(compressed(config), kind, source)
    whole, windowed, linear = layers_of(config)
    near, far = values_of(config)
    parts, kind = [], attention_of(config)
    if windowed:
        parts.append((windowed, near, config["sliding_window"]))
        layers = f"{windowed} of {windowed + whole} layers " if whole else ""
        kind += f", {layers}window {config['sliding_window']:,}"
    if (few := config.get("num_global_key_value_heads")) and whole:
        kind += f"; {few} heads in the others"
    if whole:
        parts.append((whole, far))
    if linear:
        state = state_of(config)
        parts.append((linear, state * STATE_NUMBER // NUMBER, 1))
        mib = linear * state * STATE_NUMBER / 2**20
        kind += f" in {whole} of {whole + linear} layers, and {mib:.0f} MiB of state"
    return Shape(parts, kind, source)


def compressed(config):
    """Each layer keeps a window, and one entry for so many positions, which is key and
    value; a layer whose indexer chooses entries has a key for each of them."""
    kinds, width = config["layer_types"], config["head_dim"]
    parts = [(len(kinds), width, config["sliding_window"])]
    for kind, rate in config["compress_rates"].items():
        values = width + config["index_head_dim"] * (kind == CHOSEN)
        parts.append((kinds.count(kind), values // rate))
    return parts


def attention_of(config):
    """MHA, GQA with its heads, or MLA, perhaps with an indexer."""
    if "index_topk" in config:
        return f"MLA, an indexer chooses {config['index_topk']:,}"
    if "kv_lora_rank" in config:
        return "MLA"
    heads = config["num_key_value_heads"]
    return (
        "MHA" if heads == config.get("num_attention_heads") else f"GQA, {heads} heads"
    )


def layers_of(config):
    """How many layers see everything, how many a window, and how many keep a state."""
    count = config["num_hidden_layers"]
    if "compress_rates" in config:
        return count, 0, 0
    if "linear_attn_config" in config:
        whole = len(config["linear_attn_config"]["full_attn_layers"])
        return whole, 0, count - whole
    if every := config.get("no_rope_layer_interval"):  # others see a chunk, or all
        return count // every, count - count // every, 0
    if whole := config.get("no_rope_layer_count"):
        return whole, count - whole, 0
    if every := config.get("full_attention_interval"):
        return count // every, 0, count - count // every
    if "layer_types" in config:
        whole, linear = map(config["layer_types"].count, (FAR, "linear_attention"))
        return whole, count - whole - linear, linear
    if every := config.get("sliding_window_pattern"):
        whole = count // every
    else:
        whole = 0 if "sliding_window" in config else count
    return whole, count - whole, 0


def values_of(config):
    """Numbers per position and layer: in layers with a window, and in the others."""
    if "kv_lora_rank" in config:
        values = config["kv_lora_rank"] + config["qk_rope_head_dim"]
        values += config.get("index_head_dim", 0)  # one key for all of its heads
        return values, values
    heads = config["num_key_value_heads"]
    width = config.get("head_dim") or (
        config["hidden_size"] // config["num_attention_heads"]
    )
    near = far = 2 * heads * width
    if "global_head_dim" in config:
        far = 2 * config["num_global_key_value_heads"] * config["global_head_dim"]
    return near, far


def state_of(config):
    """Numbers of a layer's recurrent state: a matrix for each head."""
    if "linear_attn_config" in config:
        sizes = config["linear_attn_config"]
        return sizes["num_heads"] * sizes["head_dim"] ** 2
    matrix = config["linear_key_head_dim"] * config["linear_value_head_dim"]
    return config["linear_num_value_heads"] * matrix


def positions_of(row):
    """Of layers that look near, and of those that look far: number and RoPE."""
    config = row["config"]
    far, near, linear = layers_of(config)
    if linear:
        return f"{linear} linear", far, turns(rope_of(config, FAR))
    if chunk := config.get("attention_chunk_size"):
        sees = f"chunks of {chunk:,}"
    else:
        window = config.get("sliding_window")
        sees = f"window {window:,}" if window else "full"
    looks = f"{near}, {sees}, {turns(rope_of(config, NEAR))}"
    if any(name.startswith("no_rope") for name in config):
        scaled = ", log-length scaling" if "attn_temperature_tuning" in config else ""
        return looks, far, f"NoPE{scaled}"
    return looks, far, turns(rope_of(config, FAR))


def rope_of(config, kind):
    """The fields that say how a kind of layer turns, as one dict."""
    if kind in config.get("rope_parameters", {}):
        return config["rope_parameters"][kind]
    if kind == NEAR and "rope_local_base_freq" in config:
        return {"rope_theta": config["rope_local_base_freq"]}
    own = {name: config[name] for name in ("rope_theta", PARTIAL) if name in config}
    return {**own, **config.get("rope_scaling", {})}


def turns(rope):
    """A rule, its factor and the base, in words."""
    names = {"yarn": "YaRN", "llama3": "Llama 3", "default": ""}
    kind = rope.get("rope_type", "partial" if PARTIAL in rope else "default")
    kind = names.get(kind, kind) + (f" {rope[PARTIAL]}" if PARTIAL in rope else "")
    factor = f"factor {rope['factor']:g}" if "factor" in rope else ""
    if length := rope.get("original_max_position_embeddings"):
        factor += f" from {length:,}"
    return ", ".join(filter(None, (kind, factor, f"base {rope['rope_theta']:,}")))


# GPUs as their data sheets have them. Memory in GiB (sold as GB); a little is taken.
MEMORY = {
    "T4": 16,
    "A10, L4": 24,
    "A100, small": 40,
    "A100, H100": 80,
    "H200": 141,
    "B200": 180,
}
# Operations (16 bits, without sparsity) and bytes of memory per second.
PEAKS = {
    "A100, 80 GB": (312e12, 2.039e12),
    "H100": (989e12, 3.35e12),
    "H200": (989e12, 4.8e12),
    "B200": (2250e12, 8e12),
}

ROWS = {row["name"]: row for row in read_table()}
SHAPES = {name: shape(row) for name, row in ROWS.items()}
MODELS = dict(
    sorted(SHAPES.items(), key=lambda item: -cache_bytes(item[1].parts, LONG))
)
MIXES = {row["name"]: mix_of(row) for row in read_mixes()}
# One model: 48 layers, heads of width 128, 8 of them for keys and values.
SHARED = {
    "GQA": ([(48, 2 * 8 * 128)], "8 heads of keys and values"),
    "across layers": ([(24, 2 * 8 * 128)], "half of the layers own none"),
    "K = V": ([(48, 8 * 128)], "one state for both"),
    "GTA": ([(48, 8 * 128 + 64)], "one tied state, and 64 columns with RoPE"),
    "MLA": ([(48, 512 + 64)], "a latent of 512, and 64 columns with RoPE"),
    "5 : 1": ([(8, 2048), (40, 2048, 1024)], "GQA, window 1,024"),
    "MQA": ([(48, 2 * 128)], "one head of keys and values"),
}
POSITIONS = [
    {**known, **row, "config": known.get("config", {}) | row["config"]}
    for row in read_table("positions")
    for known in [ROWS.get(row["name"], {})]
]
