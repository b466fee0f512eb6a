"""Makes the files of what other packages say, one a family: ``python tests/oracles/make_goldens.py linearized``.

Not a test, and not run by them: these packages are not installed where the tests run. A family's line names them, and
is what to install beside PyTorch in an environment of its own. Each file tells its versions and its day.
"""

import datetime
import importlib.util
import json
import runpy
import sys
import types
from importlib.metadata import version
from pathlib import Path
from unittest import mock

import numpy as np
import torch

HERE = Path(__file__).parent
FAMILIES = {
    "huggingface": ["transformers==5.23.0"],
    "positional": ["x-transformers==2.31.10", "keras-hub==0.32.0", "keras==3.15.1"],
    "linearized": ["fla-core==0.6.0", "performer-pytorch==1.1.4"],
    "low_rank_hashing": ["linformer==0.2.3", "reformer-pytorch==1.4.4"],
    "sparse": ["local-attention==1.11.2"],
    "glassllm": ["glassllm==0.1.0"],
}


def main(family, *given):
    found, *told = globals()[family](*given)
    names = [pin.partition("==")[0] for pin in FAMILIES[family]]
    about = {"day": datetime.date.today().isoformat(), "versions": {name: version(name) for name in ("torch", *names)}}
    wrong = [pin for pin in FAMILIES[family] if pin not in {f"{k}=={v}" for k, v in about["versions"].items()}]
    if wrong:
        sys.exit(f"another version is installed than {', '.join(wrong)}")
    arrays = {name: x.detach().numpy() if torch.is_tensor(x) else np.asarray(x) for name, x in found.items()}
    arrays["about"] = np.array(json.dumps({**about, **dict(told)}))
    path = HERE / f"{family}.npz"
    np.savez_compressed(path, **arrays)
    print(f"{path.name}: {path.stat().st_size} bytes, {len(arrays)} arrays")


def draw(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def under(name, found):
    return {f"{name}/{key}": x for key, x in found.items()}


# --- huggingface: also what stands for a module where the library is not ------------------

KEPT = [
    "hidden_size", "num_attention_heads", "num_key_value_heads", "intermediate_size", "hidden_act", "hidden_activation",
    "activation_function", "rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "rope_parameters", "sliding_window",
    "max_position_embeddings", "rope_interleave", "use_qk_norm", "index_n_heads", "index_head_dim", "index_topk",
    "index_block_size", "index_local_blocks", "index_topk_blocks", "q_lora_rank", "o_groups", "o_lora_rank",
    "compress_rates", "qk_rope_head_dim",
]  # fmt: skip
OWN = [
    "head_dim", "scaling", "sliding_window", "attn_logit_softcapping", "layer_type", "num_heads", "kv_lora_rank",
    "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "q_lora_rank", "use_rope", "attn_temperature_tuning",
    "attn_scale", "floor_scale", "lambda_init", "rope_layer_type", "attention_type", "is_kv_shared_layer",
]  # fmt: skip


def huggingface():
    """Every row of ``tests/clients/modules.py``: PYTHONPATH=.venv/clients, which ``make test-clients`` installs."""
    sys.path.append(str(HERE.parent / "clients"))
    import modules

    def kept(thing, names):
        return {name: getattr(thing, name) for name in names if hasattr(thing, name)}

    torch.manual_seed(0)
    found, accounts = {}, {}
    for name, module, attention, rope in modules.rows():
        _, x, output = modules.golden(name, module, attention, rope)
        found |= under(name, {"x": x, "output": output}) | under(f"{name}/state", module.state_dict())
        about = {"kind": type(module).__name__, "attention": type(attention).__name__}
        accounts[name] = about | {"config": kept(attention.config, KEPT), "own": kept(attention, OWN)}
    return found, ("rows", accounts)


# --- positions ----------------------------------------------------------------------------

HEADS = (1, 2, 3, 6, 8, 12, 16, 20)
BUCKETS = ((32, 128, True), (32, 128, False), (16, 40, True), (10, 23, False))
FAR = 150


def positional():
    """Biases, buckets by distance (key minus query, from -FAR to FAR), sinusoids and rotations."""
    from keras_hub.layers import AlibiBias, RotaryEmbedding, SinePositionEncoding
    from keras_hub.src.models.t5.t5_multi_head_attention import T5MultiHeadAttention
    from x_transformers.x_transformers import AlibiPositionalBias, RelativePositionBias

    query, weight = draw(1, 2, 7, 6, seed=0).float(), draw(8, 3, seed=1).float()
    layer = RelativePositionBias(scale=1.0, num_buckets=8, max_distance=20, heads=3)
    layer.relative_attention_bias.weight.data = weight
    found = {"query": query, "relative/weight": weight, "relative/bias": layer(5, 7)}
    for heads in HEADS:
        found[f"alibi/x_transformers/{heads}"] = AlibiPositionalBias(heads)(2, 4)
        found[f"alibi/keras_hub/{heads}"] = AlibiBias()(np.zeros((1, heads, 2, 4)))[0]
    for width, first in ((6, 0), (5, 33)):  # an odd width ends on a sine
        found[f"sinusoids/{first}"] = SinePositionEncoding()(np.zeros((1, 7, width)), start_index=first)[0]
        turned = RotaryEmbedding()(query.transpose(1, 2).numpy(), start_index=first)  # heads behind positions
        found[f"rotations/{first}"] = np.swapaxes(turned, 1, 2)
    distance = torch.arange(-FAR, FAR + 1, dtype=torch.int32)
    for buckets, most, both in BUCKETS:
        sizes = {"num_buckets": buckets, "max_distance": most}
        theirs = RelativePositionBias._relative_position_bucket(distance, causal=not both, **sizes)
        others = T5MultiHeadAttention._relative_position_bucket(distance.numpy(), bidirectional=both, **sizes)
        for library, numbers in (("x_transformers", theirs), ("keras_hub", others)):
            found[f"buckets/{library}/{buckets} {most} {both}"] = np.asarray(numbers).astype(np.uint8)
    return (found,)


# --- linearized ---------------------------------------------------------------------------


def fla(topic):
    """The plain recurrences of one mechanism: the package around them wants a GPU's compiler."""
    path = Path(importlib.util.find_spec("fla").submodule_search_locations[0]) / "ops" / topic / "naive.py"
    return types.SimpleNamespace(**runpy.run_path(str(path)))


def turned(*arrays):
    """(B, H, T, X) as (B, T, H, X), and back."""
    return [x.transpose(1, 2).contiguous() for x in arrays]


def linearized():
    """In float32, as these libraries compute; the inputs too."""
    from performer_pytorch.performer_pytorch import gaussian_orthogonal_random_matrix, linear_attention, softmax_kernel

    B, H, T, K, V, F = 2, 3, 11, 5, 7, 13
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(B, H, T, K, generator=generator) for _ in range(2))
    value = torch.randn(B, H, T, V, generator=generator)
    decay, beta = torch.rand(2, B, H, T, generator=generator)
    decay = 0.3 + 0.7 * decay
    unit = torch.nn.functional.normalize(key, dim=-1)
    torch.manual_seed(0)
    projection = gaussian_orthogonal_random_matrix(F, K)
    found = {"query": query, "key": key, "unit_key": unit, "value": value}
    found |= {"decay": decay, "beta": beta, "projection": projection}
    elu = [torch.nn.functional.elu(x) + 1 for x in (query, key)]
    recurrent, plain = fla("linear_attn").naive_recurrent_linear_attn, turned(query, key, value)
    found["linear"] = turned(recurrent(*turned(*elu, value), scale=1.0, normalize=True)[0])[0]
    found["additive"] = turned(recurrent(*plain, scale=1.0)[0])[0]
    found["retention"] = fla("retention").naive_retention(query, key, value) * K**0.5
    log_decay, gate = turned(decay.log(), beta)
    gated = fla("simple_gla").naive_recurrent_simple_gla
    found["decayed"] = turned(gated(*plain, g=log_decay, scale=1.0)[0])[0]
    found["delta"] = fla("delta_rule").delta_rule_recurrence(query, unit, value, beta)[0] * K**0.5
    rule = fla("gated_delta_rule").naive_recurrent_gated_delta_rule
    found["gated_delta"] = turned(rule(*turned(query, unit, value), beta=gate, g=log_decay, scale=1.0)[0])[0]
    options = {"projection_matrix": projection, "eps": 0.0}
    features = [softmax_kernel(x, is_query=x is query, **options) for x in (query, key)]
    found["favor"] = linear_attention(*features, value)
    return (found,)


# --- low rank and hashing -----------------------------------------------------------------


def low_rank_hashing():
    found = {}
    for name, shared in (("linformer", False), ("linformer, shared", True)):
        found |= under(name, linformer(shared))
    for rounds in (1, 3):
        for causal in (False, True):
            found |= under(f"lsh {rounds} {causal}", lsh(rounds, causal))
    return (found | under("reversible", reversible()),)


def linformer(shared):
    from linformer import LinformerSelfAttention

    layer = LinformerSelfAttention(6, 9, k=5, heads=3, share_kv=shared).double().eval()
    for seed, parameter in enumerate(layer.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed) / 3
    x = draw(2, 7, 6, seed=9)
    parameters = {key.replace(".", "_"): value for key, value in layer.state_dict().items()}
    return parameters | {"x": x, "output": layer(x)}


def lsh(rounds, causal):
    """By the paper's rules: the same bucket only, and what several rounds find counts once.

    The directions come from ``torch.randn`` inside the layer; here they are handed to it. Values are as wide as keys.
    """
    from reformer_pytorch import LSHAttention

    H, S, K, chunk = 3, 24, 7, 4
    rules = {"attend_across_buckets": False, "allow_duplicate_attention": False}
    layer = LSHAttention(bucket_size=chunk, n_hashes=rounds, causal=causal, **rules).eval()
    query, value = draw(H, S, K, seed=1).requires_grad_(), draw(H, S, K, seed=2).requires_grad_()
    directions = draw(1, K, 3, S // chunk // 2, seed=3)[:, :, :rounds]
    with mock.patch("torch.randn", lambda *_, **__: directions):
        output, _, buckets = layer(query, value)
    output.sin().sum().backward()
    found = {"output": output, "by_query": query.grad, "by_value": value.grad}
    if rounds == 3:  # one round has the first of these directions, and the same inputs
        found |= {"query": query, "value": value, "rotations": directions[0].movedim(1, 0)}
    buckets = buckets.reshape(H, rounds, S) - S // chunk * torch.arange(rounds)[:, None]
    return found | {"buckets": buckets.byte()}


def reversible():
    from reformer_pytorch.reversible import ReversibleSequence

    def part(seed):
        one = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 6)).double()
        for shift, parameter in enumerate(one.parameters()):
            parameter.data = draw(*parameter.shape, seed=10 * seed + shift) / 3
        return one

    parts = [part(seed) for seed in range(4)]
    x = draw(2, 7, 12, seed=5).requires_grad_()
    output = ReversibleSequence([parts[:2], parts[2:]])(x)
    output.sin().sum().backward()
    found = {"x": x, "output": output, "by_x": x.grad}
    for number, one in enumerate(parts):
        for name, parameter in one.named_parameters():
            found |= {f"{number}.{name}": parameter, f"{number}.by.{name}": parameter.grad}
    return found


# --- sparse -------------------------------------------------------------------------------


def sparse(folder):
    """A window of 4 in local-attention, and in the reference of flash-attn 2.8.3.

    Of the latter its source archive stands, unpacked, in ``folder``. Its kernels need a GPU: ``attention_ref`` of
    ``utils/testing.py`` is the formula in PyTorch that its own tests hold them to.
    """
    from local_attention import LocalAttention

    package = types.ModuleType("flash_attn")  # its own __init__ loads the kernels, and fails without CUDA
    package.__path__ = [str(Path(folder) / "flash_attn")]
    sys.modules["flash_attn"] = package
    reference = runpy.run_path(str(Path(folder) / "flash_attn" / "utils" / "testing.py"))["attention_ref"]
    local_heads, heads = draw(3, 2, 24, 6, seed=300), draw(3, 2, 24, 2, 6, seed=400)
    found = {"local/heads": local_heads, "flash/heads": heads.transpose(2, 3)}
    for causal in (False, True):
        options = {"window_size": 4, "causal": causal, "exact_windowsize": True, "use_rotary_pos_emb": False}
        layer = LocalAttention(**options, look_backward=1, look_forward=0 if causal else 1)
        found[f"local/{causal}"] = layer(*local_heads)
        output, _ = reference(*heads, causal=causal, window_size=(4, 0 if causal else 4), upcast=False)
        found[f"flash/{causal}"] = output.transpose(1, 2)
    return (found,)


# --- glassllm -----------------------------------------------------------------------------

TEXTS = (
    "Alice was beginning to get very tired",
    "“Who are YOU?” said the Caterpillar.\n\nThis was not an encouraging opening—",
    "Fury said to a mouse,   naïve £5 {ù} Æ’s _x_",
)


def glassllm():
    """Its NumPy code with its own weights."""
    from glassllm import load_pretrained, no_grad

    model, tokenizer = load_pretrained("en")
    found = {f"tokens/{text}": tokenizer.encode(text) for text in TEXTS}
    with no_grad():
        found["logits"] = model(np.array(tokenizer.encode(TEXTS[1]))).data[0].astype(np.float32)
    for name, options in {"greedy": {"greedy": True}, "drawn": {"temperature": 0.7, "seed": 3}}.items():
        found[name] = [step.token for step in model.generate(tokenizer.encode(TEXTS[0]), 40, **options)]
    return (found,)


if __name__ == "__main__":
    main(*sys.argv[1:])
