"""Greedy decoding and beam search: against all sequences there are, with a cache and without, every fault caught."""

import itertools

import numpy as np
import pytest
from support import FACE, close, draw, drawn, in_chunks, numbers, pair, tensor

from attn_course import pytorch, tf
from attn_course.catalog import DECLARED
from attn_course.core.declaration import LAYER
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.masks import padding_mask
from attn_course.parity import set_parameters

B, S, D, H, F, L, N = 3, 7, 10, 2, 13, 2, 5
BEGIN, END = 1, 2
MASK = padding_mask([7, 4, 2], S)[:, None, None]
ENDS = {"begin": BEGIN, "end": END}
SOURCE = np.random.default_rng(34).integers(1, N, (B, S))


def models(scale=0.5, norm="pre"):
    """The same model twice, whose norms add nothing: else one token would win everywhere."""
    layers, parameters = pair("Transformer", N, L, D, H, F, scale=scale, norm=norm)
    parameters = {name: 0 * x if "norm" in name and "bias" in name else x for name, x in parameters.items()}
    parameters = {name: 1 + 0 * x if "norm" in name and "scale" in name else x for name, x in parameters.items()}
    for layer in layers.values():
        set_parameters(layer, parameters)
    return layers


def given(face):
    return {"source": tensor(face, SOURCE), "source_mask": tensor(face, MASK), **ENDS}


def log_chance(model, row, tokens):
    """The log-probability of tokens behind one source, read at once."""
    source, mask = torch.tensor(SOURCE[row : row + 1]), MASK[row : row + 1]
    logits, _ = model(source, torch.tensor([[BEGIN, *tokens[:-1]]]), mask)
    chance = torch.log_softmax(logits[0], dim=-1)
    return sum(chance[t, token].item() for t, token in enumerate(tokens))


def hypotheses(max_length):
    """All that can be written: up to the first end token, or to the last position."""
    others = [n for n in range(N) if n != END]
    for length in range(max_length):
        for words in itertools.product(others, repeat=length):
            yield (*words, END)
    yield from itertools.product(others, repeat=max_length)


def score_of(model, row, tokens, alpha, fault=None):
    length = len(tokens) - (tokens[-1] == END if fault == "end not counted" else 0)
    divisor = ((5 + length) / 6) ** alpha
    if fault == "not normalized":
        divisor = 1
    if fault == "divided by the length":
        divisor = len(tokens)
    return log_chance(model, row, tokens) / divisor


def best_of_all(model, row, max_length, alpha):
    """(score, tokens) of the best of all hypotheses."""
    return max((score_of(model, row, tokens, alpha), tokens) for tokens in hypotheses(max_length))


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
def test_a_beam_wide_enough_finds_the_best_of_all(alpha):
    """With three tokens and a beam of all there are, nothing is lost."""
    model = models()[pytorch].eval()
    tokens, scores = pytorch.beam_search(model, **given(pytorch), max_length=2, beam_size=N, length_penalty=alpha)
    for row in range(B):
        score, expected = best_of_all(model, row, 2, alpha)
        np.testing.assert_allclose(scores[row, 0].item(), score, 1e-10)
        assert tuple(tokens[row, 0, : len(expected)].tolist()) == expected


def in_beam(face, both, **options):
    """Score and tokens, without what follows the end, of every hypothesis, and its row."""
    tokens, scores = map(numbers, face.beam_search(both[face], **given(face), **options))
    assert tokens.shape == (B, options["beam_size"], options["max_length"])
    assert (np.diff(scores) <= 1e-12).all()  # best first
    for row, beam in np.ndindex(scores.shape):
        words = tokens[row, beam].astype(int).tolist()
        yield row, words[: words.index(END) + 1] if END in words else words, scores[row, beam]


BEAM = {"max_length": 5, "beam_size": 3, "length_penalty": 0.6}


@pytest.mark.parametrize("fault", ["not normalized", "divided by the length", "end not counted"])
def test_a_score_normalized_otherwise_is_caught(fault):
    both = models()
    off = [
        abs(score - score_of(both[pytorch], row, words, 0.6, fault))
        for row, words, score in in_beam(pytorch, both, **BEAM)
    ]
    assert max(off) > 1e-3


@FACE
def test_a_longer_penalty_prefers_longer_ones(face):
    model = models()[face]
    lengths = []
    for alpha in (0.0, 5.0):
        tokens, _ = face.beam_search(model, **given(face), max_length=6, beam_size=4, length_penalty=alpha)
        lengths.append((numbers(tokens)[:, 0] != END).sum())
    assert lengths[0] < lengths[1]


@FACE
@pytest.mark.parametrize("size", [2, 16])
def test_a_beam_on_blocks(face, size, monkeypatch):
    """What hypotheses share they hold in the same blocks; tokens and scores are those of whole caches."""
    model = models()[face]
    expected = face.beam_search(model, **given(face), max_length=15, beam_size=4)
    make, pools = model.new_cache, []

    def in_blocks(memory, capacity):
        found = []
        for own, read in make(memory, capacity):
            rows, heads, key_dim, _ = own.sizes
            own = face.PagedKVCache(rows, heads, capacity, key_dim, block_size=size, dtype=own.key.dtype)
            pools.append((own, own.pool))
            found.append((own, read))
        return tuple(found)

    monkeypatch.setattr(model, "new_cache", in_blocks)
    close(face.beam_search(model, **given(face), max_length=15, beam_size=4), expected)
    for own, pool in pools:
        own.free()
        assert int(pool.num_free) == len(np.asarray(pool.holders)) and not np.asarray(pool.holders).any()


@FACE
def test_cached_decoding_with_its_source_mask(face):
    """In pieces of 1, 3 and 2 tokens: the logits of the masked source read at once, not those of the open one."""
    model, target = models()[face], np.random.default_rng(4).integers(0, N, (B, 6))
    source, mask, target = tensor(face, SOURCE), tensor(face, MASK), tensor(face, target)
    expected = numbers(model(source, target, mask)[0])
    memory, _ = model.encode(source, mask)
    cache, pieces = model.new_cache(memory, 6), ((0, 1), (1, 4), (4, 6))
    with torch.no_grad():
        steps = [numbers(model.decode(target[:, a:b], memory, mask, cache=cache)[0]) for a, b in pieces]
    np.testing.assert_allclose(np.concatenate(steps, 1), expected, 1e-10, 1e-10)
    opened = numbers(model.decode(target, memory)[0])
    assert np.abs(opened - expected)[1:].max(axis=(1, 2)).min() > 1e-3


@FACE
def test_a_decoder_with_latents_reads_on(face):
    """A DeepSeek layer with something to look across to: token by token as at once, in the bytes of its latents."""
    latent = face.LatentAttention(D, H, latent_dim=5, rope_dim=4, key_dim=3, value_dim=7)
    layer = face.DecoderLayer(D, H, F, norm="pre", normalization="rms", attention=latent)
    rng = np.random.default_rng(0)
    x, memory = (tensor(face, rng.normal(size=(B, n, D)).astype("float32")) for n in (6, S))
    mask = tensor(face, MASK)
    expected = numbers(layer(x, memory, mask)[0])
    own, read = cache = layer.new_cache(memory, 6)
    assert own.nbytes == 4 * B * 6 * (5 + 4) and int(read.length) == S
    steps = in_chunks(face, lambda x: layer(x, memory, mask, cache=cache), numbers(x).astype("float32"), (1,) * 6)
    np.testing.assert_allclose(steps, expected, 1e-4, 1e-5)


CROSSING = {d.layer: d.sizes for topic in DECLARED.values() for d in topic if d.layer and d.form is LAYER}
PLACED = {"RelativeAttention", "SlidingWindowAttention", "DilatedWindowAttention", "LongformerAttention"}
PLACED |= {"StridedAttention", "FixedAttention", "BlockSparseAttention", "BigBirdAttention", "ChosenBlocksAttention"}
DOUBLE = {pytorch: {"dtype": torch.float64}, tf: {"dtype": "float64"}}
PARTED = {
    "query_key_norm": lambda face: face.QueryKeyNorm(D // H, **DOUBLE[face]),
    "over all heads": lambda face: face.QueryKeyNorm(D // H, num_heads=H, **DOUBLE[face]),
    "softmax": lambda face: face.SinkSoftmax(H, **DOUBLE[face]),
    "output_gate": lambda face: face.OutputGate(D, H, **DOUBLE[face]),
    "scale": lambda face: 0.7,
}


def stepwise(face, cross, steps=5):
    """What a decoder layer with such a cross-attention gives at once, and token by token with a cache."""
    layer = drawn(face.DecoderLayer(D, H, F, norm="pre", cross_attention=cross, **DOUBLE[face]))
    x, memory = draw(B, steps, D), tensor(face, draw(B, S, D, seed=1))
    with torch.no_grad():
        cache, whole = layer.new_cache(memory, steps), numbers(layer(tensor(face, x), memory)[0])
    return whole, in_chunks(face, lambda x: layer(x, memory, cache=cache), x, (1,) * steps)


@FACE
@pytest.mark.parametrize("name", CROSSING)
def test_any_cross_attention_reads_its_cache_as_the_memory(face, name):
    """What looks at where a query stands among the keys can't: from the cache it is not seen."""
    sizes = {"model_dim": D, "num_heads": H, "key_dim": 6, "value_dim": 3, "memory_dim": D}
    cross = getattr(face, name)(**{**CROSSING[name], **sizes}, **DOUBLE[face])
    refused = {"DeltaRuleAttention": "causal|beta", **{name: f"{name} is not supported by a cache" for name in PLACED}}
    if name in refused:
        with pytest.raises(ValueError, match=refused[name]):
            stepwise(face, cross)
    else:
        expected, found = stepwise(face, cross)
        np.testing.assert_allclose(found, expected, 1e-8, 1e-8)


@FACE
@pytest.mark.parametrize("part", PARTED)
def test_a_cross_attention_with_parts_reads_its_cache_as_the_memory(face, part):
    """A norm of keys stands before the cache, as in a call without one."""
    parts = {part if part != "over all heads" else "query_key_norm": PARTED[part](face)}
    expected, found = stepwise(face, face.MultiHeadAttention(D, H, **DOUBLE[face], **parts))
    np.testing.assert_allclose(found, expected, 1e-8, 1e-8)


@FACE
def test_a_cache_of_cross_attention_has_no_place_for_rotary(face):
    """Query and memory count apart."""
    cross = face.MultiHeadAttention(D, H, key_dim=4, **DOUBLE[face], rotary=face.RotaryEncoding(4))
    with pytest.raises(ValueError, match="rotary is not supported by a cache of cross_attention"):
        stepwise(face, cross)


@FACE
def test_a_cache_computes_every_position_once(face, monkeypatch):
    """T tokens take T positions; without a cache 1 + 2 + ... + T."""
    model, counted = models()[face], []
    decode = model.decode

    def counting(new, *rest, **options):
        counted.append(new.shape[1])
        return decode(new, *rest, **options)

    monkeypatch.setattr(model, "decode", counting)
    for use_cache in (True, False):
        counted.clear()
        face.greedy_decode(model, **given(face), max_length=9, use_cache=use_cache)
        steps = len(counted)
        assert steps > 3 and counted == ([1] * steps if use_cache else list(range(1, steps + 1)))


@FACE
def test_rows_do_not_know_of_each_other(face):
    """Alone in its batch, a row gives the same; padding behind its source changes nothing."""
    model = models()[face]
    whole = numbers(face.greedy_decode(model, **given(face), max_length=6))
    for row, length in enumerate((7, 4, 2)):
        alone = tensor(face, SOURCE[row : row + 1, :length])
        own = numbers(face.greedy_decode(model, alone, **ENDS, max_length=6))
        np.testing.assert_array_equal(own[0], whole[row])


@FACE
def test_behind_the_end_stands_the_end(face):
    """Greedy is by hand: the likeliest token, until the end token comes."""
    both = models(scale=0.6)
    found = numbers(face.greedy_decode(both[face], **given(face), max_length=8))
    for row in range(B):
        written = []
        while len(written) < 8 and END not in written:
            steps = [(log_chance(both[pytorch], row, [*written, n]), n) for n in range(N)]
            written.append(max(steps)[1])
        assert found[row].tolist() == written + [END] * (8 - len(written))


@FACE
def test_wrong_calls_are_named(face):
    model = models()[face]
    options = given(face)
    for call, words in (
        (lambda: face.greedy_decode(None, **options, max_length=3), "model"),
        (lambda: face.greedy_decode(model, **options, max_length=0), "max_length"),
        (lambda: face.greedy_decode(model, **{**options, "end": -1}, max_length=3), "end"),
        (lambda: face.beam_search(model, **options, max_length=3, beam_size=N + 1), "beam_size"),
        (lambda: face.beam_search(model, **options, max_length=3, beam_size=0), "beam_size"),
        (lambda: face.beam_search(model, **options, max_length=3, length_penalty=-1), "length_penalty"),
        (lambda: face.beam_search(model, **options, max_length=3, length_penalty=np.nan), "length_penalty"),
        (lambda: face.greedy_decode(model, **{**options, "end": N}, max_length=3), "end must be a token from 0 to 4"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_a_graph_is_a_step_not_all_of_them():
    model, options = models()[tf], given(tf)
    for write in (tf.greedy_decode, tf.beam_search):
        with pytest.raises(RuntimeError, match="each of its steps is a graph by itself"):
            tensorflow.function(lambda write=write: write(model, **options, max_length=3))()
    writer = tf.LanguageModel(N, 1, 12, H, F)
    with pytest.raises(RuntimeError, match="each of its steps is a graph by itself"):
        tensorflow.function(lambda: next(tf.generate(writer, options["source"], max_tokens=3)))()


@FACE
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_logits_that_give_no_token_are_named(face, wrong, monkeypatch):
    """One NaN or infinity, or minus infinity for all; minus infinity for some is an answer."""
    model, bad = models()[face], np.zeros(N)
    decode = model.decode

    def spoiled(*given, **options):
        logits, weights = decode(*given, **options)
        return logits + tensor(face, bad), weights

    monkeypatch.setattr(model, "decode", spoiled)
    bad[3] = -np.inf
    assert (numbers(face.greedy_decode(model, **given(face), max_length=3)) != 3).all()
    face.beam_search(model, **given(face), max_length=3)
    bad[2 if wrong != -np.inf else slice(None)] = wrong
    words = f"logits must be finite, or minus infinity for some tokens but not all, got {wrong} as the highest of row 0"
    for write in (face.greedy_decode, face.beam_search):
        with pytest.raises(ValueError, match=words):
            write(model, **given(face), max_length=3)
