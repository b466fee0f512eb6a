"""Decoder and Transformer: by loops, alike in three implementations, equal to PyTorch's own."""

import math

import numpy as np
import pytest
from support import FACE, FACES, build, close, draw, drawn, numbers, pair, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.masks import padding_mask
from attn_course.parity import get_parameters, nested, set_parameters

B, S, T, D, H, F, L, N = 3, 7, 5, 14, 2, 19, 2, 11
PADDING = padding_mask([7, 4, 1], S)[:, None, None]
NORM = pytest.mark.parametrize("norm", ["post", "pre"])


def inputs(seed=0):
    return draw(B, T, D, seed=seed), draw(B, S, D, seed=seed + 1)


def tokens(*shape, seed=0):
    return np.random.default_rng(seed).integers(1, N, shape)  # 0 is padding


def parameters_of(name, *sizes, **options):
    return pair(name, *sizes, scale=0.4, **options)


# --- the specification ----------------------------------------------------------------


def test_transformer_is_its_parts():
    """Embed, encode, embed, decode, multiply by the table: step by step."""
    _, p = parameters_of("Transformer", N, L, D, H, F)
    source, target, table = tokens(B, S), tokens(B, T, seed=1), p["embedding.weight"]
    waves = reference.sinusoidal_encoding(S, D)
    read = np.array([[table[n] * math.sqrt(D) + waves[s] for s, n in enumerate(row)] for row in source])
    memory, _ = reference.encoder(read, nested(p, "encoder"), num_layers=L, num_heads=H, mask=PADDING)
    x = np.array([[table[n] * math.sqrt(D) + waves[t] for t, n in enumerate(row)] for row in target])
    own = nested(p, "decoder")
    for number in range(L):
        x, _ = reference.decoder_layer(x, memory, nested(own, f"layers.{number}"), num_heads=H, memory_mask=PADDING)
    found, (seen, weights) = reference.transformer(source, target, p, num_layers=L, num_heads=H, source_mask=PADDING)
    close(found, x @ table.T)
    assert [w.shape for w in seen] == [(B, H, S, S)] * L
    assert [(a.shape, c.shape) for a, c in weights] == [((B, H, T, T), (B, H, T, S))] * L


# --- the twins ------------------------------------------------------------------------


def test_a_target_has_a_mask_too():
    layers, p = parameters_of("Transformer", N, L, D, H, F)
    source, target = tokens(B, S), tokens(B, T, seed=1)
    masks = {"source_mask": PADDING, "target_mask": padding_mask([5, 2, 3], T)[:, None, None]}
    expected = reference.transformer(source, target, p, num_layers=L, num_heads=H, **masks)
    for face, layer in layers.items():
        close(layer(*to(face, source, target), **{name: tensor(face, x) for name, x in masks.items()}), expected)


# --- other libraries ------------------------------------------------------------------


@NORM
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("stack", [False, True])
def test_decoders_are_pytorchs(norm, activation, stack):
    """A layer and a stack, and the specification with their numbers."""
    options = {"norm_first": norm == "pre", "activation": activation, "batch_first": True}
    layer = theirs = torch.nn.TransformerDecoderLayer(D, H, F, dropout=0.0, **options)
    if stack:
        theirs = torch.nn.TransformerDecoder(layer, L, torch.nn.LayerNorm(D) if norm == "pre" else None)
    theirs = theirs.double().eval()
    for x in theirs.parameters():
        torch.nn.init.normal_(x, std=0.4)
    kind, specified = (pytorch.Decoder, reference.decoder) if stack else (pytorch.DecoderLayer, reference.decoder_layer)
    ours = kind.from_torch(theirs)
    x, memory = to(pytorch, *inputs())
    blocked = {"memory_key_padding_mask": ~torch.from_numpy(PADDING[:, 0, 0])}
    future = torch.nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
    expected = theirs(x, memory, tgt_mask=future, **blocked)
    close(ours(x, memory, PADDING)[0], expected)
    sizes = {"num_heads": H, "norm": norm, "activation": activation} | ({"num_layers": L} if stack else {})
    close(specified(*inputs(), get_parameters(ours), memory_mask=PADDING, **sizes)[0], expected)
    assert not ours.training
    with pytest.raises(ValueError, match=f"module must be a Transformer{kind.__name__} of the library"):
        kind.from_torch(layer if stack else torch.nn.Linear(2, 2))


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@NORM
def test_stacks_are_those_of_pytorchs_transformer(norm):
    """nn.Transformer as it comes: it ends both stacks with one more norm, also behind post-norm layers."""
    options = {"norm_first": norm == "pre", "batch_first": True, "dropout": 0.0}
    theirs = torch.nn.Transformer(D, H, L, L, F, **options).double()
    ours = pytorch.Transformer(N, L, D, H, F, norm=norm).double()
    ours.encoder = pytorch.Encoder.from_torch(theirs.encoder)
    ours.decoder = pytorch.Decoder.from_torch(theirs.decoder)
    table = ours.embedding.weight
    waves = pytorch.sinusoidal_encoding(S, D, dtype=torch.float64)
    source, target = to(pytorch, tokens(B, S), tokens(B, T, seed=1))
    given = table[source] * D**0.5 + waves, table[target] * D**0.5 + waves[:T]
    future = torch.nn.Transformer.generate_square_subsequent_mask(T, dtype=torch.float64)
    blocked = ~torch.from_numpy(PADDING[:, 0, 0])
    masks = {"src_key_padding_mask": blocked, "memory_key_padding_mask": blocked}
    expected = theirs(*given, tgt_mask=future, **masks) @ table.T
    close(ours(source, target, PADDING)[0], expected)


@FACE
@pytest.mark.parametrize("kind", ["AlibiBias", "RelativeBias"])
@pytest.mark.parametrize("name", ["Encoder", "Decoder"])
def test_a_stack_with_a_bias_of_its_own(face, kind, name):
    """As with the bias handed to the call, with one more given too, and token by token behind a cache."""
    own = build(face, kind, H, **({"bidirectional": False, "num_buckets": 7} if kind == "RelativeBias" else {}))
    item = drawn(build(face, name, L, D, H, F, norm="pre", bias=own))
    plain = build(face, name, L, D, H, F, norm="pre")
    set_parameters(plain, {name: x for name, x in get_parameters(item).items() if not name.startswith("bias.")})
    x, *memory = to(face, *inputs()[: 1 + (name == "Decoder")])
    mask, given = to(face, PADDING[..., : S if memory else T], draw(H, T, T, seed=4))
    options = {"causal": True} if name == "Encoder" else {}
    for more in (None, given):
        handed = own(T, T) if more is None else own(T, T) + more
        close(item(x, *memory, mask, bias=more, **options), plain(x, *memory, mask, bias=handed, **options))
    cache = item.new_cache(*memory or [B], T)
    memory += [mask] if memory else []
    expected = numbers(item(x, *memory, **options)[0])
    assert np.abs(expected - numbers(plain(x, *memory, **options)[0])).max() > 1e-3
    with torch.no_grad():
        parts = [item(x[:, a:b], *memory, cache=cache, **options)[0] for a, b in ((0, 2), (2, 3), (3, 5))]
    close(np.concatenate([numbers(part) for part in parts], 1), expected, 1e-8)


def test_a_decoder_with_a_bias_is_saved(tmp_path):
    item = tf.Decoder(L, D, H, F, bias=tf.RelativeBias(H, num_buckets=6, bidirectional=False))
    entries = keras.Input((None, D)), keras.Input((None, D))
    keras.Model(entries, item(*entries)).save(tmp_path / "model.keras")
    x, memory = (x.astype("float32") for x in inputs())
    loaded = keras.models.load_model(tmp_path / "model.keras")
    close(loaded((x, memory))[0], item(x, memory)[0], 1e-6)


@FACE
def test_what_has_one_input_cannot_look_across(face):
    """It would take the memory for a mask."""
    latent = face.LatentAttention(D, H, latent_dim=5, rope_dim=4, key_dim=3, value_dim=7)
    hashing = face.LSHAttention(D, H, num_buckets=4)
    for layer in (latent, hashing):
        wanted = f"cross_attention must be a layer that takes a memory beside the query, got {type(layer).__name__}"
        with pytest.raises(ValueError, match=wanted):
            face.DecoderLayer(D, H, F, cross_attention=layer)
        with pytest.raises(ValueError, match=wanted):
            face.Decoder(L, D, H, F, cross_attention=[layer, layer].__getitem__)
    with pytest.raises(ValueError, match=f"cross_attention must be a layer over heads with model_dim = {D}"):
        face.DecoderLayer(D, H, F, cross_attention=face.MultiHeadAttention(2 * D, H))


def test_from_torch_refuses_what_it_cannot_carry():
    with pytest.raises(ValueError, match="activation"):
        pytorch.DecoderLayer.from_torch(torch.nn.TransformerDecoderLayer(D, H, F, activation=torch.tanh))


# --- loss and rate --------------------------------------------------------------------


@FACES
def test_label_smoothing(face):
    logits, targets = draw(B, T, N, seed=4), tokens(B, T)
    found = numbers(face.label_smoothing(*to(face, logits, targets), smoothing=0.2))
    for b in range(B):
        for t in range(T):
            chance = np.exp(logits[b, t]) / np.exp(logits[b, t]).sum()
            goal = np.full(N, 0.2 / N)
            goal[targets[b, t]] += 0.8
            close(found[b, t], -(goal * np.log(chance)).sum())
    with pytest.raises(ValueError, match="targets"):
        face.label_smoothing(*to(face, logits, targets[:, 1:]))
    with pytest.raises(ValueError, match="smoothing"):
        face.label_smoothing(*to(face, logits, targets), smoothing=1.5)


def test_label_smoothing_is_the_libraries():
    logits, targets = draw(B, T, N, seed=4), tokens(B, T)
    found = reference.label_smoothing(logits, targets)
    given = torch.tensor(logits).transpose(1, 2), torch.tensor(targets)
    theirs = torch.nn.functional.cross_entropy(*given, label_smoothing=0.1, reduction="none")
    close(found, theirs)
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1, reduction=None, dtype="float64")
    close(found, loss(np.eye(N)[targets], logits))


def test_warm_up_rate():
    """Rises linearly to its peak, falls as the root: equation 3."""
    rate = {n: reference.warm_up_rate(n, model_dim=512, warm_up_steps=4000) for n in (1, 2000, 4000, 16000)}
    peak = (512 * 4000) ** -0.5
    expected = [peak / 4000, peak / 2, peak, peak / 2]
    np.testing.assert_allclose(list(rate.values()), expected)
    with pytest.raises(ValueError, match="step"):
        reference.warm_up_rate(0, model_dim=512, warm_up_steps=4000)


def test_base_model_of_the_paper():
    """63.1 million numbers with a table of 37,000 tokens: the paper prints 65 (table 3)."""
    D, F, L, N = 512, 2048, 6, 37_000
    attention, network, norm = 4 * (D * D + D), 2 * D * F + F + D, 2 * D
    encoder, decoder = attention + network + 2 * norm, 2 * attention + network + 3 * norm
    model = pytorch.Transformer(N, L, D, 8, F, device="meta")
    count = sum(x.numel() for x in model.parameters())
    assert count == N * D + L * (encoder + decoder) == 63_082_496


def test_set_parameters_of_one_table():
    """Source and target share it: what is written once is read thrice."""
    layers, p = parameters_of("Transformer", N, 1, D, H, F)
    p = {**p, "embedding.weight": 0 * p["embedding.weight"]}
    set_parameters(layers[pytorch], p)
    source, target = to(pytorch, tokens(B, S), tokens(B, T))
    assert layers[pytorch](source, target)[0].abs().max() == 0
