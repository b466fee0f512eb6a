"""Layers of seven more models of transformers, random weights: ours with the same numbers says the same.

``from_huggingface`` doesn't read these; what ours must be built with to be each stands here.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
import torch
import transformers
from modules import fill
from support import FACE, numbers, tensor
from transformers.models.falcon import modeling_falcon as falcon
from transformers.models.marian.modeling_marian import MarianDecoderLayer
from transformers.models.modernbert import modeling_modernbert as modernbert
from transformers.models.roberta.modeling_roberta import RobertaLayer
from transformers.models.t5.modeling_t5 import T5Block
from transformers.models.vit.modeling_vit import ViTLayer
from transformers.models.whisper.modeling_whisper import WhisperDecoderLayer, WhisperEncoderLayer

from attn_course import pytorch
from attn_course.parity import get_parameters, set_parameters

B, T, S, D, H, F, W = 2, 7, 5, 16, 4, 11, 2
BERT = {"hidden_size": D, "num_attention_heads": H, "intermediate_size": F, "attn_implementation": "eager"}
SIZES = {"model_dim": D, "num_heads": H, "ff_dim": F}
BART = {"d_model": D, "vocab_size": 5, "attn_implementation": "eager", "pad_token_id": 0}
BART |= {f"{side}_attention_heads": H for side in ("encoder", "decoder")}
BART |= {f"{side}_ffn_dim": F for side in ("encoder", "decoder")}
PARTS = ("query", "key", "value", "output")
X, MEMORY = (torch.from_numpy(np.random.default_rng(n).normal(size=(B, n, D))).float() for n in (T, S))
I, J = torch.arange(T)[:, None], torch.arange(T)
PADDED = (torch.tensor([[T], [4]]) > J)[:, None, None].expand(B, 1, T, T)


def blocked(allowed):
    return torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min)


CAUSAL = {"attention_mask": blocked((J <= I).expand(B, 1, T, T))}
CROSS = CAUSAL | {"encoder_hidden_states": MEMORY}


@dataclass
class Row:
    """Our class and its options; their module, its call, our names of its parts; our parts and our call."""

    kind: str
    options: dict
    module: torch.nn.Module
    given: dict
    names: dict
    parts: dict = field(default_factory=dict)
    call: dict = field(default_factory=dict)


def attention(start, *theirs):
    return dict(zip((f"{start}attention.{name}_" for name in PARTS), theirs, strict=True))


def network(first, second):
    return {"feed_forward.0.": first, "feed_forward.1.": second}


def norms(*names):
    return {f"norm{number}.": name for number, name in enumerate(names, 1)}


def bart(inner, start=""):
    return attention(start, *(f"{inner}.{name}_proj" for name in ("q", "k", "v", "out")))


WHISPER = bart("self_attn") | network("fc1", "fc2") | norms("self_attn_layer_norm", "final_layer_norm")
DECODER = bart("self_attn") | bart("encoder_attn", "cross_") | network("fc1", "fc2")
DECODER |= norms("self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm")


def roberta():
    names = attention("", *(f"attention.self.{name}" for name in PARTS[:3]), "attention.output.dense")
    names |= network("intermediate.dense", "output.dense") | norms("attention.output.LayerNorm", "output.LayerNorm")
    module = RobertaLayer(transformers.RobertaConfig(**BERT, layer_norm_eps=1e-3))
    own = {**SIZES, "norm": "post", "activation": "gelu", "eps": 1e-3}
    return Row("EncoderLayer", own, module, {"attention_mask": blocked(PADDED)}, names, call={"mask": PADDED[:, :, :1]})


def vit():
    names = attention("", *(f"attention.{name[0]}_proj" for name in PARTS)) | network("mlp.fc1", "mlp.fc2")
    names |= norms("layernorm_before", "layernorm_after")
    own = {**SIZES, "norm": "pre", "activation": "gelu", "eps": 1e-3}
    return Row("EncoderLayer", own, ViTLayer(transformers.ViTConfig(**BERT, layer_norm_eps=1e-3)), {}, names)


def whisper_encoder():
    own = {**SIZES, "norm": "pre", "activation": "gelu"}
    module = WhisperEncoderLayer(transformers.WhisperConfig(**BART))
    return Row("EncoderLayer", own, module, {"attention_mask": None}, WHISPER)


def whisper_decoder():
    own = {**SIZES, "norm": "pre", "activation": "gelu"}
    module = WhisperDecoderLayer(transformers.WhisperConfig(**BART), layer_idx=0)
    return Row("DecoderLayer", own, module, CROSS, DECODER, call={"memory": MEMORY})


def marian_decoder():
    own = {**SIZES, "norm": "post", "activation": "silu"}
    module = MarianDecoderLayer(transformers.MarianConfig(**BART, activation_function="silu"), layer_idx=0)
    return Row("DecoderLayer", own, module, CROSS, DECODER, call={"memory": MEMORY})


def falcon_attention():
    config = transformers.FalconConfig(hidden_size=D, num_attention_heads=H, multi_query=True, alibi=False, bias=False)
    config._attn_implementation = "eager"
    place = falcon.FalconRotaryEmbedding(config)(X, J[None])
    given = CAUSAL | {"alibi": None, "position_embeddings": place}
    own = {"model_dim": D, "num_heads": H, "num_kv_heads": 1, "use_bias": False}
    turn = {"rotary": ("RotaryEncoding", [D // H], {"base": config.rope_parameters["rope_theta"]})}
    names = {("query_", "key_", "value_"): "query_key_value", "output_": "dense"}
    module = falcon.FalconAttention(config, 0)
    return Row("GroupedQueryAttention", own, module, given, names, turn, {"causal": True})


def modernbert_local():
    kinds = {"layer_types": ["full_attention", "sliding_attention"], "local_attention": 2 * W}
    config = transformers.ModernBertConfig(**BERT, **kinds, num_hidden_layers=2)
    place = modernbert.ModernBertRotaryEmbedding(config)(X, J[None], "sliding_attention")
    given = {"position_embeddings": place, "attention_mask": blocked(((I - J).abs() <= W).expand(B, 1, T, T))}
    own = {"model_dim": D, "num_heads": H, "window": W + 1, "use_bias": False}
    base = config.rope_parameters["sliding_attention"]["rope_theta"]
    turn = {"rotary": ("RotaryEncoding", [D // H], {"base": base})}
    names = {("query_", "key_", "value_"): "Wqkv", "output_": "Wo"}
    return Row("SlidingWindowAttention", own, modernbert.ModernBertAttention(config, 1), given, names, turn)


def t5():
    config = transformers.T5Config(d_model=D, d_kv=5, num_heads=H, d_ff=F, relative_attention_num_buckets=8)
    config.relative_attention_max_distance, config._attn_implementation = 6, "eager"
    names = attention("", *(f"layer.0.SelfAttention.{name}" for name in "qkvo"))
    names |= network("layer.1.DenseReluDense.wi", "layer.1.DenseReluDense.wo")
    names |= norms("layer.0.layer_norm", "layer.1.layer_norm")
    names["bias."] = "layer.0.SelfAttention.relative_attention_bias"
    own = {**SIZES, "norm": "pre", "normalization": "rms", "activation": "relu"}
    inner = {"model_dim": D, "num_heads": H, "key_dim": 5, "use_bias": False, "scale": 1.0}
    parts = {"attention": ("MultiHeadAttention", [], inner)}
    parts["bias"] = ("RelativeBias", [H], {"num_buckets": 8, "max_distance": 6})
    return Row("EncoderLayer", own, T5Block(config, has_relative_attention_bias=True), {}, names, parts)


ROWS = [roberta, vit, whisper_encoder, whisper_decoder, marian_decoder, falcon_attention, modernbert_local, t5]
ROW = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.__name__)


@cache
def asked(row):
    """The row, what its module says, and its parameters by our names."""
    torch.manual_seed(ROWS.index(row))
    made = row()
    fill(made.module)
    with torch.no_grad():
        output = made.module(X, **made.given)
    output = output[0] if isinstance(output, tuple) else output
    return made, output.numpy(), {name: numbers(x) for name, x in parameters(made)}


def parameters(row):
    """Matrices (in, out); zeros for a bias that only other maps of the module have; a scale where it is a norm."""
    biased = any(isinstance(x, torch.nn.Linear) and x.bias is not None for x in row.module.modules())
    for ours, theirs in row.names.items():
        part = row.module.get_submodule(theirs)
        if isinstance(ours, tuple):  # one matrix for three, as wide as each of ours
            widths = [D, *[(len(part.weight) - D) // 2] * 2]
            yield from ((f"{name}weight", x.T) for name, x in zip(ours, part.weight.split(widths), strict=True))
            continue
        linear, bias = isinstance(part, torch.nn.Linear), getattr(part, "bias", None)
        yield f"{ours}{'scale' if ours.startswith('norm') else 'weight'}", part.weight.T if linear else part.weight
        if bias is not None:
            yield f"{ours}bias", bias
        elif linear and biased:
            yield f"{ours}bias", torch.zeros(len(part.weight))


def error(face, row, changed=None, **without):
    """How far ours is from theirs, as a share; changed: a parameter that is made another; without: a part left out."""
    made, expected, given = asked(row)
    given = dict(given)
    parts = {name: getattr(face, kind)(*own, **more) for name, (kind, own, more) in made.parts.items()}
    bias = parts.pop("bias", None)
    layer = getattr(face, made.kind)(**made.options, **{**parts, **without})
    if changed is not None:
        old = given[changed]  # unevenly: a norm or a softmax takes away what is added to all
        given[changed] = old + np.linspace(-0.5, 0.5, old.size).reshape(old.shape) ** 3
    call = {name: tensor(face, x.numpy()) if torch.is_tensor(x) else x for name, x in made.call.items()}
    if bias is not None:
        set_parameters(bias, {"weight": given.pop("bias.weight")})
        call["bias"] = bias(T, T)
    assert get_parameters(layer).keys() == given.keys()
    set_parameters(layer, given)
    memory = [call.pop("memory")] if "memory" in call else []
    found = numbers(layer(tensor(face, X.numpy()), *memory, **call)[0])
    return np.abs(found - expected).max() / np.abs(expected).max()


@FACE
@ROW
def test_ours_says_the_same(face, row):
    assert error(face, row) < 1e-5


@ROW
def test_every_number_matters(row):
    """But the key's bias, which adds the same to all scores of a query."""
    for name in asked(row)[2]:
        if not name.endswith("key_bias"):
            assert error(pytorch, row, name) > 1e-4, name


@pytest.mark.parametrize("row", [falcon_attention, modernbert_local])
def test_a_rotation_matters(row):
    assert error(pytorch, row, rotary=None) > 1e-3
