"""Makes ``more_huggingface.npz``: layers of seven more models with random weights, in our names, and what they give.

``from_huggingface`` doesn't read these; what ours must be built with to be each stands here, by its weights.
Not a test, and not run by them: ``pip install torch numpy transformers==5.23.0`` in an environment of its own, then run
this file. Nothing is downloaded.
"""

import json
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers.models.falcon import modeling_falcon as falcon
from transformers.models.marian.modeling_marian import MarianDecoderLayer
from transformers.models.modernbert import modeling_modernbert as modernbert
from transformers.models.roberta.modeling_roberta import RobertaLayer
from transformers.models.t5.modeling_t5 import T5Block
from transformers.models.vit.modeling_vit import ViTLayer
from transformers.models.whisper.modeling_whisper import WhisperDecoderLayer, WhisperEncoderLayer

B, T, S, D, H, F, W = 2, 7, 5, 16, 4, 11, 2
BERT = {"hidden_size": D, "num_attention_heads": H, "intermediate_size": F, "attn_implementation": "eager"}
SIZES = {"model_dim": D, "num_heads": H, "ff_dim": F}
BART = {"d_model": D, "vocab_size": 5, "attn_implementation": "eager", "pad_token_id": 0}
BART |= {f"{side}_attention_heads": H for side in ("encoder", "decoder")}
BART |= {f"{side}_ffn_dim": F for side in ("encoder", "decoder")}


def maps(module, **names):
    """Our names and arrays of linear maps: matrices (in, out); zeros for a bias that only others have."""
    found, parts = {}, {ours: module.get_submodule(theirs) for ours, theirs in names.items()}
    for ours, part in parts.items():
        found[ours, "weight"] = part.weight.T
        if any(x.bias is not None for x in parts.values()):
            found[ours, "bias"] = torch.zeros(len(part.weight)) if part.bias is None else part.bias
    return found


def attention(module, start="attention.", **names):
    """The four maps of an attention."""
    return {f"{start}{ours}_{end}": x for (ours, end), x in maps(module, **names).items()}


def bart(module, inner, start):
    names = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
    return attention(module, start, **{ours: f"{inner}.{theirs}" for ours, theirs in names.items()})


def network(module, first, second):
    found = maps(module, inner=first, outer=second)
    return {f"feed_forward.{int(ours == 'outer')}.{end}": x for (ours, end), x in found.items()}


def norms(module, *names):
    found = {}
    for number, name in enumerate(names, 1):
        part = module.get_submodule(name)
        found[f"norm{number}.scale"] = part.weight
        found |= {} if getattr(part, "bias", None) is None else {f"norm{number}.bias": part.bias}
    return found


def blocked(allowed):
    return torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min)


def rows():
    """(name, our class, its options, parts and call, the parameters as a function, the module and how it is called)."""
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    query, key = torch.arange(T)[:, None], torch.arange(T)
    causal = (key <= query)[None, None].expand(B, 1, T, T)
    padded = (key < torch.tensor([T, 4])[:, None])[:, None, None].expand(B, 1, T, T)

    module = RobertaLayer(transformers.RobertaConfig(**BERT, layer_norm_eps=1e-3))
    self = {"query": "query", "key": "key", "value": "value"}
    names = {ours: f"attention.self.{theirs}" for ours, theirs in self.items()} | {"output": "attention.output.dense"}

    def roberta(module, names=names):
        found = attention(module, **names) | network(module, "intermediate.dense", "output.dense")
        return found | norms(module, "attention.output.LayerNorm", "output.LayerNorm")

    own = {**SIZES, "norm": "post", "activation": "gelu", "eps": 1e-3}
    yield "roberta layer", "EncoderLayer", own, {}, {"mask": padded[:, :, :1]}, roberta, module, (x, blocked(padded))

    module = ViTLayer(transformers.ViTConfig(**BERT, layer_norm_eps=1e-3))

    def vit(module):
        names = {ours: f"attention.{ours[0]}_proj" for ours in ("query", "key", "value", "output")}
        found = attention(module, **names) | network(module, "mlp.fc1", "mlp.fc2")
        return found | norms(module, "layernorm_before", "layernorm_after")

    own = {**SIZES, "norm": "pre", "activation": "gelu", "eps": 1e-3}
    yield "vit layer", "EncoderLayer", own, {}, {}, vit, module, (x,)

    module = WhisperEncoderLayer(transformers.WhisperConfig(**BART))

    def whisper(module):
        found = bart(module, "self_attn", "attention.") | network(module, "fc1", "fc2")
        return found | norms(module, "self_attn_layer_norm", "final_layer_norm")

    own = {**SIZES, "norm": "pre", "activation": "gelu"}
    yield "whisper encoder layer", "EncoderLayer", own, {}, {}, whisper, module, (x, None)

    def decoder(module):
        found = bart(module, "self_attn", "attention.") | bart(module, "encoder_attn", "cross_attention.")
        found |= network(module, "fc1", "fc2")
        return found | norms(module, "self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm")

    module = WhisperDecoderLayer(transformers.WhisperConfig(**BART), layer_idx=0)
    given = {"attention_mask": blocked(causal), "encoder_hidden_states": memory}
    yield "whisper decoder layer", "DecoderLayer", own, {}, {"memory": memory}, decoder, module, ((x,), given)

    module = MarianDecoderLayer(transformers.MarianConfig(**BART, activation_function="silu"), layer_idx=0)
    own = {**SIZES, "norm": "post", "activation": "silu"}
    yield "marian decoder layer", "DecoderLayer", own, {}, {"memory": memory}, decoder, module, ((x,), given)

    config = transformers.FalconConfig(hidden_size=D, num_attention_heads=H, multi_query=True, alibi=False, bias=False)
    config._attn_implementation = "eager"
    module, rope = falcon.FalconAttention(config, 0), falcon.FalconRotaryEmbedding(config)

    def multi_query(module):
        query, key, value = module.query_key_value.weight.split([D, D // H, D // H])
        found = {"query": query, "key": key, "value": value, "output": module.dense.weight}
        return {f"{name}_weight": weight.T for name, weight in found.items()}

    given = {"alibi": None, "attention_mask": blocked(causal), "position_embeddings": rope(x, torch.arange(T)[None])}
    own = {"model_dim": D, "num_heads": H, "num_kv_heads": 1, "use_bias": False}
    turn = {"rotary": ["RotaryEncoding", [D // H], {"base": config.rope_parameters["rope_theta"]}]}
    yield "falcon attention", "GroupedQueryAttention", own, turn, {"causal": True}, multi_query, module, ((x,), given)

    kinds = {"layer_types": ["full_attention", "sliding_attention"], "local_attention": 2 * W}
    config = transformers.ModernBertConfig(**BERT, **kinds, num_hidden_layers=2)
    module, rope = modernbert.ModernBertAttention(config, 1), modernbert.ModernBertRotaryEmbedding(config)
    near = ((query - key).abs() <= W)[None, None].expand(B, 1, T, T)

    def local(module):
        query, key, value = module.Wqkv.weight.chunk(3)
        found = {"query": query, "key": key, "value": value, "output": module.Wo.weight}
        return {f"{name}_weight": weight.T for name, weight in found.items()}

    turns = rope(x, torch.arange(T)[None], "sliding_attention")
    given = {"position_embeddings": turns, "attention_mask": blocked(near)}
    own = {"model_dim": D, "num_heads": H, "window": W + 1, "use_bias": False}
    base = config.rope_parameters["sliding_attention"]["rope_theta"]
    turn = {"rotary": ["RotaryEncoding", [D // H], {"base": base}]}
    yield "modernbert local attention", "SlidingWindowAttention", own, turn, {}, local, module, ((x,), given)

    config = transformers.T5Config(d_model=D, d_kv=5, num_heads=H, d_ff=F, relative_attention_num_buckets=8)
    config.relative_attention_max_distance, config._attn_implementation = 6, "eager"
    module = T5Block(config, has_relative_attention_bias=True)

    def t5(module):
        names = dict(zip(("query", "key", "value", "output"), "qkvo", strict=True))
        found = attention(module, **{ours: f"layer.0.SelfAttention.{name}" for ours, name in names.items()})
        found |= network(module, "layer.1.DenseReluDense.wi", "layer.1.DenseReluDense.wo")
        found |= norms(module, "layer.0.layer_norm", "layer.1.layer_norm")
        return found | {"bias.weight": module.layer[0].SelfAttention.relative_attention_bias.weight}

    own = {**SIZES, "norm": "pre", "normalization": "rms", "activation": "relu"}
    inner = {"model_dim": D, "num_heads": H, "key_dim": 5, "use_bias": False, "scale": 1.0}
    parts = {"attention": ["MultiHeadAttention", [], inner]}
    parts["bias"] = ["RelativeBias", [H], {"num_buckets": 8, "max_distance": 6}]
    yield "t5 encoder block", "EncoderLayer", own, parts, {}, t5, module, (x,)


def main():
    torch.manual_seed(0)
    stored, accounts = {}, {}
    for name, kind, options, parts, call, parameters, module, given in rows():
        with torch.no_grad():
            for path, x in module.named_parameters():
                torch.nn.init.normal_(x, std=0.3)
                if x.ndim == 1 and "norm" in path.lower() and path.endswith("weight"):
                    x += 1
            inputs, more = given if isinstance(given[-1], dict) else (given, {})
            output = module.eval()(*inputs, **more)
            output = output[0] if isinstance(output, tuple) else output
            found = parameters(module)
        arrays = {f"parameter/{key}": x for key, x in found.items()} | {"x": inputs[0], "output": output}
        arrays |= {f"call/{key}": x for key, x in call.items() if torch.is_tensor(x)}
        stored |= {f"{name}/{key}": x.detach().numpy() for key, x in arrays.items()}
        flags = {key: x for key, x in call.items() if not torch.is_tensor(x)}
        theirs = type(module).__name__
        accounts[name] = {"theirs": theirs, "kind": kind, "options": options, "parts": parts, "flags": flags}
    stored["about"] = np.array(json.dumps({"transformers": transformers.__version__, "rows": accounts}))
    path = Path(__file__).with_name("more_huggingface.npz")
    np.savez_compressed(path, **stored)
    print(f"{path.name}: {path.stat().st_size} bytes, {', '.join(accounts)}")


if __name__ == "__main__":
    main()
