"""From a module of Hugging Face to what our layers are built from, in NumPy."""

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from attn_course.core.convert import arrays, check_options, renamed
from attn_course.core.shapes import check_choice, check_mask_dtype, check_shapes
from attn_course.mechanisms.grouped_query.shared import GroupedSizes
from attn_course.mechanisms.indexed.shared import read_indexed
from attn_course.mechanisms.latent.shared import (
    read_huggingface as read_latent,
    read_rope,
)

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
GATED = {"silu": "swiglu", "gelu": "geglu", "gelu_tanh": "geglu_tanh"}


@dataclass(frozen=True)
class Recipe:
    """What one of our layers is built from, the same for both frameworks.

    kind: the attention's class; options: its arguments; parts: those that are layers
    themselves, a class and its arguments each; layer: the arguments of the
    ``EncoderLayer`` around it, None for the attention alone; parameters: in our keys.
    """

    kind: str
    options: dict[str, Any]
    parts: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    layer: dict[str, Any] | None = None
    parameters: dict[str, np.ndarray] = field(default_factory=dict)


def read_huggingface(module: Any) -> Recipe:
    """The recipe of a layer or an attention of one of the models of ``__init__.py``.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    name = type(module).__name__
    if name in REFUSED:
        raise ValueError(f"module must have what ours has: {name} {REFUSED[name]}")
    check_choice("module", name, READERS)
    return READERS[name](module)


def whole_scales(module: Any) -> dict[str, np.ndarray]:
    """The state; the norms of some learn what is added to 1, ours the sum."""
    state, name = arrays(module), type(module).__name__
    less_one = name.startswith(("Gemma", "Qwen3Next", "MiniMaxM3"))
    if less_one and name != "Gemma3nTextAttention":
        state |= {name: 1 + x for name, x in state.items() if "norm" in name}
    return state


def linear(theirs: str, ours: str, joint: str = ".") -> dict[str, str]:
    """The two names of a linear map."""
    return {f"{theirs}.{end}": f"{ours}{joint}{end}" for end in ("weight", "bias")}


def norm(theirs: str, ours: str) -> dict[str, str]:
    """The two names of a norm."""
    return {f"{theirs}.weight": f"{ours}.scale", f"{theirs}.bias": f"{ours}.bias"}


LLAMA_ATTENTION = (
    linear("q_proj", "query", "_")
    | linear("k_proj", "key", "_")
    | linear("v_proj", "value", "_")
    | linear("o_proj", "output", "_")
    | {"q_norm.weight": "query_key_norm.query.scale"}
    | {"k_norm.weight": "query_key_norm.key.scale", "sinks": "softmax.sink"}
    | linear("gate_proj", "output_gate")
)
M3_INDEXER = (
    linear("indexer.q_proj", "index_query", "_")
    | linear("indexer.k_proj", "index_key", "_")
    | {"indexer.q_norm.weight": "index_norm.query.scale"}
    | {"indexer.k_norm.weight": "index_norm.key.scale"}
)


def pool(theirs: str, ours: str) -> dict[str, str]:
    """The names of what makes DeepSeek-V4's entries."""
    maps = linear(f"{theirs}.kv_proj", f"{ours}.part", "_")
    maps |= linear(f"{theirs}.gate_proj", f"{ours}.gate", "_")
    maps |= {f"{theirs}.position_bias": f"{ours}.bias"}
    return maps | norm(f"{theirs}.kv_norm", f"{ours}.norm")


DEEPSEEK_V4 = (
    linear("q_a_proj", "query_latent", "_")
    | norm("q_a_norm", "latent_norm")
    | linear("q_b_proj", "query", "_")
    | linear("kv_proj", "key", "_")
    | norm("kv_norm", "key_norm")
    | {"sinks": "softmax.sink", "o_a_proj.weight": "grouped"}
    | linear("o_b_proj", "output", "_")
    | pool("compressor", "pool")
    | pool("compressor.indexer", "index_pool")
    | linear("compressor.indexer.q_b_proj", "index_query", "_")
    | linear("compressor.indexer.scorer.weights_proj", "index_head", "_")
)
LLAMA_REST = (
    linear("mlp.gate_proj", "feed_forward.gate")
    | linear("mlp.up_proj", "feed_forward.0")
    | linear("mlp.down_proj", "feed_forward.1")
    | norm("input_layernorm", "norm1")
    | norm("post_attention_layernorm", "norm2")
)
GEMMA_REST = LLAMA_REST | (
    norm("post_attention_layernorm", "norm1_behind")
    | norm("pre_feedforward_layernorm", "norm2")
    | norm("post_feedforward_layernorm", "norm2_behind")
)
BERT = (
    linear("attention.self.query", "attention.query", "_")
    | linear("attention.self.key", "attention.key", "_")
    | linear("attention.self.value", "attention.value", "_")
    | linear("attention.output.dense", "attention.output", "_")
    | norm("attention.output.LayerNorm", "norm1")
    | linear("intermediate.dense", "feed_forward.0")
    | linear("output.dense", "feed_forward.1")
    | norm("output.LayerNorm", "norm2")
)
GPT2 = (
    norm("ln_1", "norm1")
    | linear("attn.query", "attention.query", "_")
    | linear("attn.key", "attention.key", "_")
    | linear("attn.value", "attention.value", "_")
    | linear("attn.c_proj", "attention.output", "_")
    | norm("ln_2", "norm2")
    | linear("mlp.c_fc", "feed_forward.0")
    | linear("mlp.c_proj", "feed_forward.1")
)


def read_bert(module: Any) -> Recipe:
    """BertLayer: attention and network with a norm behind each."""
    config = module.attention.self.config
    sizes = config.hidden_size, config.num_attention_heads
    layer = layer_options(*sizes, config.intermediate_size, "post")
    activation = spelled(config, "hidden_act")
    layer |= {"eps": config.layer_norm_eps, "activation": activation}
    options = {"model_dim": sizes[0], "num_heads": sizes[1]}
    parameters = renamed(arrays(module), BERT)
    return Recipe("MultiHeadAttention", options, {}, layer, parameters)


def read_gpt2(module: Any) -> Recipe:
    """GPT2Block: norms before; one matrix (in, out) for query, key and value."""
    config, state = module.attn.config, arrays(module)
    sizes = config.hidden_size, config.num_attention_heads
    for end in ("weight", "bias"):
        parts = np.split(state.pop(f"attn.c_attn.{end}"), 3, axis=-1)
        names = [f"attn.{name}.{end}" for name in ("query", "key", "value")]
        state |= dict(zip(names, parts, strict=True))
    inner = state["mlp.c_fc.bias"].shape[0]
    layer = layer_options(*sizes, inner, "pre")
    layer |= {"eps": config.layer_norm_epsilon}
    layer |= {"activation": spelled(config, "activation_function")}
    options = {"model_dim": sizes[0], "num_heads": sizes[1]}
    options |= {"scale": module.attn.scaling}
    parameters = renamed(state, GPT2, turned=False)
    return Recipe("MultiHeadAttention", options, {}, layer, parameters)


def read_attention(module: Any) -> Recipe:
    """Attention of Llama and what follows it: groups, rotation, window, norm, sinks."""
    config, state = module.config, three_maps(module)
    options = attention_options(module, state)
    K, kind = module.head_dim, "GroupedQueryAttention"
    parts = {"rotary": rotary(module)}
    window = window_of(module)
    if window is not None:
        kind, options["window"] = "SlidingWindowAttention", window
    if "q_norm.weight" in state:
        own = {"key_dim": K, "epsilon": config.rms_norm_eps}
        if state["q_norm.weight"].size != K:  # OLMo 2
            own |= {name: options[name] for name in ("num_heads", "num_kv_heads")}
        parts["query_key_norm"] = "QueryKeyNorm", own
    if "sinks" in state:
        parts["softmax"] = "SinkSoftmax", {"num_heads": options["num_heads"]}
    cap = getattr(module, "attn_logit_softcapping", None)
    if cap is not None:
        if type(module).__name__ == "Gemma3Attention":  # which leaves it out of account
            check_options("module", ("attn_logit_softcapping", cap, None))
        parts["softmax"] = "CappedSoftmax", {"cap": cap}
    if "indexer.q_proj.weight" in state:
        kind = "IndexedBlocksAttention"
        options |= block_options(config, K, options["num_kv_heads"])
    parameters = renamed(state, LLAMA_ATTENTION | M3_INDEXER)
    return Recipe(kind, options, parts, None, parameters)


def read_gemma3n_attention(module: Any) -> Recipe:
    """Gemma3nTextAttention: that of Gemma 3, with a norm of the values too."""
    if module.is_kv_shared_layer:
        came = "a layer that takes those of an earlier one (num_kv_shared_layers)"
        raise ValueError(f"module must make its own keys and values, got {came}")
    found = read_attention(module)
    normed = {"value_norm": module.config.rms_norm_eps}
    return replace(found, options=found.options | normed)


def three_maps(module: Any) -> dict[str, np.ndarray]:
    """The state, with a map each as Llama has it, and a bias of all or of none."""
    state, config = whole_scales(module), module.config
    check_options("module", ("qk_layernorm", hasattr(module, "q_layernorm"), False))
    if "qkv_proj.weight" in state:  # Phi-3
        heads = np.array([config.num_attention_heads, config.num_key_value_heads])
        maps = np.split(state.pop("qkv_proj.weight"), heads.cumsum() * module.head_dim)
        state |= dict(zip((f"{x}_proj.weight" for x in "qkv"), maps, strict=True))
    state = {name.replace("dense.", "o_proj."): x for name, x in state.items()}  # Phi
    if "q_proj.bias" in state and "o_proj.bias" not in state:  # Qwen2, GLM
        state["o_proj.bias"] = np.zeros_like(state["o_proj.weight"][:, 0])
    return state


@dataclass(frozen=True, kw_only=True)
class BlockSizes(GroupedSizes):
    """Where one entry is kept of a position: all keys, a small one, all values."""

    @property
    def kept(self) -> tuple[int, int, int]:
        """What a cache keeps of a position: heads, widths of key and of value."""
        G, K, V = super().kept
        return 1, (G + 1) * K, G * V


class CompressedCache(NamedTuple):
    """What a ``CompressedAttention`` keeps: words, entries, what entries are made of.

    words: the keys of the window; entries: a key of each whole block, and the small key
    of its indexer; pool, index_pool: parts and gates of the blocks not yet whole.
    Each is a ``KVCache`` of the layer's framework, or None.
    """

    words: Any
    entries: Any = None
    pool: Any = None
    index_pool: Any = None

    @property
    def length(self) -> Any:
        """The words so far."""
        return self.words.length

    @property
    def nbytes(self) -> int:
        """The bytes of all that is kept."""
        return sum(x.nbytes for x in self if x is not None)

    def reset(self) -> None:
        """Forget everything; the memory stays."""
        for x in self:
            if x is not None:
                x.reset()


def block_options(config: Any, K: int, G: int) -> dict[str, Any]:
    """What MiniMax-M3's indexer chooses; its heads are as many as groups, as wide."""
    sizes = ("index_head_dim", config.index_head_dim, K)
    check_options("module", sizes, ("index_n_heads", config.index_n_heads, G))
    return {
        "block_size": config.index_block_size,
        "local_blocks": config.index_local_blocks,
        "top_k": config.index_topk_blocks,
        "epsilon": config.rms_norm_eps,
    }


def attention_options(module: Any, state: dict[str, np.ndarray]) -> dict[str, Any]:
    """The sizes of an attention of Llama and what follows it."""
    return {
        "model_dim": module.config.hidden_size,
        "num_heads": module.config.num_attention_heads,
        "num_kv_heads": module.config.num_key_value_heads,
        "key_dim": module.head_dim,
        "use_bias": "q_proj.bias" in state,
        "scale": module.scaling,
    }


def read_gated_attention(module: Any) -> Recipe:
    """Qwen3NextAttention: half of each head's columns of the query are its gate."""
    state, config = whole_scales(module), module.config
    options, K = attention_options(module, state), module.head_dim
    for end in ("weight", "bias"):
        if f"q_proj.{end}" in state:
            joint = state[f"q_proj.{end}"]
            halves = joint.reshape(options["num_heads"], 2, K, *joint.shape[1:])
            for name, half in (("q_proj", halves[:, 0]), ("gate_proj", halves[:, 1])):
                state[f"{name}.{end}"] = half.reshape(-1, *joint.shape[1:])
    gate = {name: options[name] for name in ("model_dim", "num_heads", "use_bias")}
    parts = {
        "rotary": rotary(module),
        "query_key_norm": (
            "QueryKeyNorm",
            {"key_dim": K, "epsilon": config.rms_norm_eps},
        ),
        "output_gate": ("OutputGate", gate | {"value_dim": K}),
    }
    parameters = renamed(state, LLAMA_ATTENTION)
    return Recipe("GroupedQueryAttention", options, parts, None, parameters)


def read_llama4_attention(module: Any) -> Recipe:
    """Llama4TextAttention: turned, then a norm without a scale; or neither, but longer.

    The norm stands after the rotation there, and before it here: without a scale both
    are the same. The chunks of the layers that turn are the caller's mask.
    """
    state, config, parts = arrays(module), module.config, {}
    if module.use_rope:
        kind, turn = rotary(module)
        if config.use_qk_norm:
            own = {"key_dim": module.head_dim, "use_scale": False}
            # their norm divides by the rotation's scale, all but its epsilon
            own["epsilon"] = config.rms_norm_eps / turn.pop("scale", 1.0) ** 2
            parts["query_key_norm"] = "QueryKeyNorm", own
        parts["rotary"] = kind, turn | {"layout": "interleaved"}
    elif module.attn_temperature_tuning:
        longer = {"trained_length": int(module.floor_scale)}
        parts["rotary"] = "LogLengthScale", longer | {"strength": module.attn_scale}
    parameters = renamed(state, LLAMA_ATTENTION)
    options = attention_options(module, state)
    return Recipe("GroupedQueryAttention", options, parts, None, parameters)


def read_differential_attention(module: Any) -> Recipe:
    """DiffLlamaAttention: its heads h and h + H / 2 are the halves of one of ours."""
    state = arrays(module)
    options, K = attention_options(module, state), module.head_dim
    heads, groups = options["num_heads"] // 2, options["num_kv_heads"] // 2
    for name, number in (("q_proj", heads), ("k_proj", groups), ("v_proj", groups)):
        for end in ("weight", "bias"):
            if (x := state.get(f"{name}.{end}")) is not None:
                halves = x.reshape(2, number, K, *x.shape[1:]).swapaxes(0, 1)
                state[f"{name}.{end}"] = halves.reshape(x.shape)
    vectors = {
        ours: np.stack([state.pop(f"{theirs}{number}") for number in (1, 2)])
        for ours, theirs in (("lambda_query", "lambda_q"), ("lambda_key", "lambda_k"))
    }
    options |= {"num_heads": heads, "num_kv_heads": groups, "key_dim": 2 * K}
    options |= {"lambda_init": module.lambda_init}
    options |= {"epsilon": module.config.rms_norm_eps}
    parts = {"rotary": rotary(module)}
    parameters = renamed(state, LLAMA_ATTENTION) | vectors
    return Recipe("DifferentialAttention", options, parts, None, parameters)


def read_decoder(module: Any) -> Recipe:
    """A layer around such an attention, or around that of DeepSeek-V3 or V3.2."""
    config, state = module.self_attn.config, whole_scales(module)
    check_options("module", ("mlp_bias", "mlp.up_proj.bias" in state, False))
    inner = read_huggingface(module.self_attn)
    rest = {name: x for name, x in state.items() if not name.startswith("self_attn.")}
    is_gemma = type(module).__name__.startswith("Gemma")
    parameters = renamed(rest, GEMMA_REST if is_gemma else LLAMA_REST)
    parameters |= {f"attention.{name}": x for name, x in inner.parameters.items()}
    sizes = config.hidden_size, config.num_attention_heads
    width = parameters["feed_forward.1.weight"].shape[0]
    layer = layer_options(*sizes, width, "both" if is_gemma else "pre")
    layer |= {"eps": config.rms_norm_eps, "normalization": "rms"}
    key = "hidden_activation" if is_gemma else "hidden_act"
    layer |= {"activation": spelled(config, key, GATED)}
    return Recipe(inner.kind, inner.options, inner.parts, layer, parameters)


def read_latent_attention(module: Any) -> Recipe:
    """DeepseekV3Attention, as ``LatentAttention.from_huggingface`` reads it."""
    return latent_recipe("LatentAttention", *read_latent(module))


def read_indexed_attention(module: Any) -> Recipe:
    """DeepseekV32Attention, as ``IndexedAttention.from_huggingface`` reads it."""
    return latent_recipe("IndexedAttention", *read_indexed(module))


def read_compressed_attention(module: Any) -> Recipe:
    """DeepseekV4Attention: a window alone, or with all entries, or with chosen ones."""
    config, state = module.config, arrays(module)
    G, R = config.o_groups, config.o_lora_rank
    state["o_a_proj.weight"] = state["o_a_proj.weight"].reshape(G, R, -1).swapaxes(1, 2)
    for name in [name for name in state if name.endswith("position_bias")]:
        state[name] = state[name].T  # no matrix: ``renamed`` turns it back
    options = {"model_dim": config.hidden_size, "num_heads": module.num_heads}
    options |= {"key_dim": module.head_dim, "query_latent_dim": config.q_lora_rank}
    options |= {"window": module.sliding_window, "groups": G, "group_dim": R}
    options |= {"epsilon": config.rms_norm_eps}
    if "compressor.kv_proj.weight" in state:
        options["block_size"] = config.compress_rates[module.layer_type]
    if "compressor.indexer.kv_proj.weight" in state:
        options |= {"index_heads": config.index_n_heads, "top_k": config.index_topk}
        options |= {"index_dim": config.index_head_dim}
    turn = read_rope(module, config.qk_rope_head_dim) | {"layout": "interleaved"}
    if isinstance(turn.get("frequencies"), dict):
        words = "no length, for words and entries have two"
        raise ValueError(f"rope_type must follow {words}, got {turn['frequencies']}")
    parts = {"rotary": ("RotaryEncoding", turn)}
    parameters = renamed(state, DEEPSEEK_V4)
    return Recipe("CompressedAttention", options, parts, None, parameters)


def read_gated_delta(module: Any) -> Recipe:
    """The GatedDeltaNet of Qwen3-Next and Qwen3.5: one decay a head.

    Several value heads there share one head of queries and keys, which ours has as
    often. Qwen3-Next's first map has, of each of these heads, all that belongs to it.
    """
    state, D, K = arrays(module), module.hidden_size, module.head_k_dim
    H, G, V = module.num_v_heads, module.num_k_heads, module.head_v_dim
    if "in_proj_qkvz.weight" in state:
        each = V * H // G
        joint = state.pop("in_proj_qkvz.weight").reshape(G, -1, D)
        rates = state.pop("in_proj_ba.weight").reshape(G, 2, -1, D)
        parts = *np.split(joint, [K, 2 * K, 2 * K + each], 1), rates[:, 0], rates[:, 1]
        *maps, gate, beta, decay = (x.reshape(-1, D) for x in parts)
    else:
        maps = np.split(state.pop("in_proj_qkv.weight"), [G * K, 2 * G * K])
        gate, beta, decay = (state.pop(f"in_proj_{name}.weight") for name in "zba")
    taps = np.split(state.pop("conv1d.weight")[:, 0], [G * K, 2 * G * K])
    for both in (maps, taps):
        for n in (0, 1):
            heads = both[n].reshape(G, K, -1)
            both[n] = heads.repeat(H // G, axis=0).reshape(H * K, -1)
    names = {"dt_bias": "decay_bias", "A_log": "rate", "norm.weight": "scale"}
    parameters = renamed(state, names | linear("out_proj", "output", "_"))
    sizes = {"model_dim": D, "num_heads": H, "key_dim": K, "value_dim": V}
    maps = maps, taps, gate, beta, decay
    return delta_recipe(module, module.norm, sizes, parameters, *maps)


def read_kimi_delta(module: Any) -> Recipe:
    """KimiLinearDeltaAttention: one decay a column; pairs of maps are multiplied."""
    state, D, K = arrays(module), module.hidden_size, module.head_dim
    maps = [state.pop(f"{name}_proj.weight") for name in "qkv"]
    taps = np.split(state.pop("conv1d.weight")[:, 0], 3)
    gate, decay = (
        state.pop(f"{name}_b_proj.weight") @ state.pop(f"{name}_a_proj.weight")
        for name in ("g", "forget_gate.f")
    )
    beta = state.pop("b_proj.weight")
    state["forget_gate.A_log"] = state["forget_gate.A_log"].reshape(-1)
    names = {"forget_gate.dt_bias": "decay_bias", "forget_gate.A_log": "rate"}
    names |= {"o_norm.weight": "scale"} | linear("o_proj", "output", "_")
    sizes = {"model_dim": D, "num_heads": module.num_heads, "key_dim": K}
    sizes |= {"value_dim": K}
    maps = maps, taps, gate, beta, decay
    return delta_recipe(module, module.o_norm, sizes, renamed(state, names), *maps)


def delta_recipe(module, norm, sizes, parameters, maps, taps, gate, beta, decay):
    """The recipe of a GatedDeltaNet; matrices come as (out, in)."""
    check_options("module", ("hidden_act", module.activation, "silu"))
    named = zip(("query", "key", "value"), maps, strict=True)
    named = {**dict(named), "gate": gate, "beta": beta, "decay": decay}
    parameters |= {f"{name}_weight": x.T for name, x in named.items()}
    parameters["convolution"] = np.concatenate(taps).T
    options = {"taps": len(parameters["convolution"])}
    options |= {"columns": len(decay) > sizes["num_heads"]}
    options |= {"activation": norm.activation, "epsilon": norm.variance_epsilon}
    return Recipe("GatedDeltaNet", sizes | options, {}, None, parameters)


def check_words(x: Any, model_dim: int, mask: Any) -> None:
    """Raise ValueError unless x is (B, S, model_dim), and a mask is its padding."""
    sizes = check_shapes({"D": model_dim}, x=(x, "BSD"))
    if mask is not None:
        check_mask_dtype(mask)
        check_shapes({"1": 1, "S": sizes["S"]}, mask=(mask, "B11S"))


def latent_recipe(kind, options, turn, parameters):
    """The recipe of what reads latents, with the rotation of its last columns."""
    parts = {"rotary": ("RotaryEncoding", turn)}
    return Recipe(kind, options, parts, None, parameters)


def layer_options(
    model_dim: int, num_heads: int, ff_dim: int, norm: str
) -> dict[str, Any]:
    """The sizes of an ``EncoderLayer``."""
    sizes = {"model_dim": model_dim, "num_heads": num_heads, "ff_dim": ff_dim}
    return sizes | {"norm": norm}


def spelled(config: Any, key: str, gated: dict[str, str] | None = None) -> str:
    """Our name of an activation; ValueError for one that ours has not."""
    check_choice(key, getattr(config, key), ACTIVATIONS)
    name = ACTIVATIONS[getattr(config, key)]
    if gated is None:
        return name
    check_choice(key, name, gated)
    return gated[name]


def window_of(module: Any) -> int | None:
    """How many positions a head sees, its own among them; None for all."""
    if hasattr(module, "sliding_window"):
        return module.sliding_window
    tells = type(module).__name__ in OF_CONFIG
    return getattr(module.config, "sliding_window", None) if tells else None


def rotary(module: Any) -> tuple[str, dict[str, Any]]:
    """The RotaryEncoding of a head's columns."""
    turn = read_rope(module, module.head_dim)
    if type(module).__name__ in ("GlmAttention", "Glm4Attention"):
        turn["layout"] = "interleaved"
    return "RotaryEncoding", turn


OF_CONFIG = ("MistralAttention", "MixtralAttention", "Phi3Attention")  # their window
REFUSED = {
    "Gemma4TextAttention": "has other sizes, and another turn, by the type of a layer"
}


READERS = {
    "BertLayer": read_bert,
    "GPT2Block": read_gpt2,
    "LlamaAttention": read_attention,
    "LlamaDecoderLayer": read_decoder,
    "MistralAttention": read_attention,
    "MistralDecoderLayer": read_decoder,
    "MixtralAttention": read_attention,
    "Qwen2Attention": read_attention,
    "Qwen2DecoderLayer": read_decoder,
    "Qwen3Attention": read_attention,
    "Qwen3DecoderLayer": read_decoder,
    "Gemma2Attention": read_attention,
    "Gemma2DecoderLayer": read_decoder,
    "Gemma3Attention": read_attention,
    "Gemma3DecoderLayer": read_decoder,
    "Gemma3nTextAttention": read_gemma3n_attention,
    "Olmo2Attention": read_attention,
    "Olmo3Attention": read_attention,
    "GlmAttention": read_attention,
    "Glm4Attention": read_attention,
    "PhiAttention": read_attention,
    "Phi3Attention": read_attention,
    "Qwen3NextAttention": read_gated_attention,
    "Qwen3NextGatedDeltaNet": read_gated_delta,
    "Qwen3_5GatedDeltaNet": read_gated_delta,
    "KimiLinearDeltaAttention": read_kimi_delta,
    "Llama4TextAttention": read_llama4_attention,
    "DiffLlamaAttention": read_differential_attention,
    "DiffLlamaDecoderLayer": read_decoder,
    "GptOssAttention": read_attention,
    "DeepseekV3Attention": read_latent_attention,
    "DeepseekV3DecoderLayer": read_decoder,
    "DeepseekV32Attention": read_indexed_attention,
    "DeepseekV32DecoderLayer": read_decoder,
    "DeepseekV4Attention": read_compressed_attention,
    "MiniMaxM3VLAttention": read_attention,
}
