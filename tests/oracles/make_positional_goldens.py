"""Makes ``positional.json``: what independent libraries say about positions, on inputs that stand in the file too.

Not a test, and not run by them: the libraries are not installed where the tests run. To repeat it, in an environment
of its own: ``pip install torch numpy x-transformers==2.31.10 transformers==5.23.0 keras-hub==0.32.0 keras==3.15.1``
(which brings TensorFlow), then run this file.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
import transformers
from keras_hub.layers import AlibiBias, RotaryEmbedding, SinePositionEncoding
from keras_hub.src.models.t5.t5_multi_head_attention import T5MultiHeadAttention
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.wav2vec2_bert import modeling_wav2vec2_bert as w2v
from x_transformers.x_transformers import AlibiPositionalBias, RelativePositionBias

B, H, T, S, K = 1, 2, 5, 7, 6
HEADS = (1, 2, 3, 6, 8, 12, 16, 20)
BUCKETS = ((32, 128, True), (32, 128, False), (16, 40, True), (10, 23, False))
FAR = 150
FIRST = (0, 33)
rng = np.random.default_rng(0)


def draw(*shape):
    return rng.normal(size=shape).astype(np.float32)


def listed(array):
    return np.asarray(array, np.float64).round(9).tolist()


def sinusoids():
    """Alternating sines and cosines; the rows come from the last position to the first."""
    config = transformers.Wav2Vec2BertConfig(hidden_size=K, max_source_positions=40, num_attention_heads=H)
    rows = w2v.Wav2Vec2BertRelPositionalEmbedding(config).pe[0, :40].flip(0)
    return {"call": "Wav2Vec2BertRelPositionalEmbedding(config).pe[0, :40].flip(0)", "encoding": listed(rows)}


def rotations():
    query, key = draw(B, H, S, K), draw(B, H, S, K)
    config = transformers.LlamaConfig(hidden_size=H * K, num_attention_heads=H)
    waves = modeling_llama.LlamaRotaryEmbedding(config)(torch.from_numpy(query), torch.arange(S)[None])
    half = modeling_llama.apply_rotary_pos_emb(torch.from_numpy(query), torch.from_numpy(key), *waves)
    sines, cosines = modeling_gptj.create_sinusoidal_positions(S, K)[None].chunk(2, dim=-1)
    interleaved = [
        modeling_gptj.apply_rotary_pos_emb(torch.from_numpy(x).transpose(1, 2), sines, cosines).transpose(1, 2)
        for x in (query, key)
    ]
    calls = {"half": "llama.apply_rotary_pos_emb(query, key, *LlamaRotaryEmbedding(config)(query, positions))"}
    calls["interleaved"] = "gptj.apply_rotary_pos_emb(x, *create_sinusoidal_positions(S, K).chunk(2, dim=-1))"
    turned = {"half": [listed(x) for x in half], "interleaved": [listed(x) for x in interleaved]}
    return {"call": calls, "query": listed(query), "key": listed(key), **turned}


def alibi():
    bias = {str(heads): listed(AlibiPositionalBias(heads)(2, 4)) for heads in HEADS}
    return {"call": "x_transformers.AlibiPositionalBias(heads)(2, 4)", "bias": bias}


def buckets():
    """By distance, key minus query, from -FAR to FAR."""
    distance, found = torch.arange(-FAR, FAR + 1), []
    for num_buckets, max_distance, both in BUCKETS:
        sizes = {"num_buckets": num_buckets, "max_distance": max_distance}
        theirs = T5Attention._relative_position_bucket(distance, bidirectional=both, **sizes)
        others = RelativePositionBias._relative_position_bucket(distance, causal=not both, **sizes)
        assert torch.equal(theirs, others)
        found.append({**sizes, "bidirectional": both, "buckets": theirs.tolist()})
    calls = "T5Attention._relative_position_bucket(distance, ...), x_transformers.RelativePositionBias the same"
    return {"call": calls, "far": FAR, "found": found}


def relative_bias():
    layer = RelativePositionBias(scale=1.0, num_buckets=8, max_distance=20, heads=3)
    weight = draw(8, 3)
    layer.relative_attention_bias.weight.data = torch.from_numpy(weight)
    call = "x_transformers.RelativePositionBias(scale=1.0, num_buckets=8, max_distance=20, heads=3)(T, S)"
    return {"call": call, "weight": listed(weight), "bias": listed(layer(T, S).detach())}


def shaw():
    """Shaw's vectors for the keys; no library adds them to the values."""
    sizes = {"left_max_position_embeddings": 2, "right_max_position_embeddings": 2, "attention_dropout": 0.0}
    sizes |= {"hidden_size": H * K, "num_attention_heads": H, "position_embeddings_type": "relative_key"}
    config = transformers.Wav2Vec2BertConfig(**sizes, attn_implementation="eager")
    layer = w2v.Wav2Vec2BertSelfAttention(config).double().eval()
    x, parameters = draw(B, S, H * K), {}
    parts = {"query": layer.linear_q, "key": layer.linear_k, "value": layer.linear_v, "output": layer.linear_out}
    for name, part in parts.items():
        weight, bias = draw(H * K, H * K), draw(H * K)
        part.weight.data, part.bias.data = torch.from_numpy(weight).double().T, torch.from_numpy(bias).double()
        parameters |= {f"{name}_weight": listed(weight), f"{name}_bias": listed(bias)}
    table = draw(5, K)
    layer.distance_embedding.weight.data = torch.from_numpy(table).double()
    parameters["relative_key"] = listed(table)
    output, weights = layer(torch.from_numpy(x).double())
    call = "Wav2Vec2BertSelfAttention(config, position_embeddings_type='relative_key')(x)"
    found = {"output": listed(output.detach()), "weights": listed(weights.detach())}
    return {"call": call, "x": listed(x), "num_heads": H, "parameters": parameters, **found}


def keras_sinusoids():
    """An odd width ends on a sine."""
    found = []
    for width, first in zip((K, K - 1), FIRST, strict=True):
        encoding = SinePositionEncoding()(np.zeros((1, S, width)), start_index=first)[0]
        found.append({"first_position": first, "encoding": listed(encoding)})
    call = "keras_hub.layers.SinePositionEncoding()(np.zeros((1, S, width)), start_index=first)[0]"
    return {"call": call, "found": found}


def keras_alibi():
    bias = {str(heads): listed(AlibiBias()(np.zeros((1, heads, 2, 4)))[0]) for heads in HEADS}
    return {"call": "keras_hub.layers.AlibiBias()(np.zeros((1, heads, 2, 4)))[0]", "bias": bias}


def keras_buckets():
    """By distance, as above."""
    distance, found = np.arange(-FAR, FAR + 1, dtype=np.int32), []
    for num_buckets, max_distance, both in BUCKETS:
        sizes = {"num_buckets": num_buckets, "max_distance": max_distance, "bidirectional": both}
        theirs = T5MultiHeadAttention._relative_position_bucket(distance, **sizes)
        found.append({**sizes, "buckets": np.asarray(theirs).tolist()})
    return {"call": "T5MultiHeadAttention._relative_position_bucket(distance, ...)", "far": FAR, "found": found}


def keras_rotations(query):
    """Of the query of ``rotations``; here its heads stand behind the positions."""
    query, found = np.array(query, np.float32).swapaxes(1, 2), []
    for first in FIRST:
        turned = np.swapaxes(RotaryEmbedding()(query, start_index=first), 1, 2)
        found.append({"first_position": first, "turned": listed(turned)})
    return {"call": "keras_hub.layers.RotaryEmbedding()(query, start_index=first)", "found": found}


if __name__ == "__main__":
    libraries = ("torch", "transformers", "x-transformers", "tensorflow", "keras", "keras-hub")
    made = {"versions": {name: version(name) for name in libraries}}
    parts = (sinusoids, rotations, alibi, buckets, relative_bias, shaw, keras_sinusoids, keras_alibi, keras_buckets)
    for part in parts:
        made[part.__name__] = part()
    made["keras_rotations"] = keras_rotations(made["rotations"]["query"])
    path = Path(__file__).with_name("positional.json")
    path.write_text(json.dumps(made) + "\n", encoding="utf-8")
