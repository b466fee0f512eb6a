"""Models that read and write: the specification, greedy decoding, beams, padding, what is prepared once."""

import numpy as np
import pytest
import support
from support import FACE, close, numbers, tensor, to

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, tf as tensorflow
from attn_course.parity import get_parameters, nested, set_parameters

B, S, T, N, M, H, A = 3, 7, 5, 11, 2, 3, 5
E = 2 * H
BEGIN = 1
MASK = np.arange(S) < np.array([[7], [4], [0]])
MASK[0, [0, 3]] = False  # from the left, and a hole; the last row has no token at all
RNG = np.random.default_rng(0)
SOURCE, TARGETS = RNG.integers(0, N, (B, S)), RNG.integers(0, N, (B, T))
SIZES = {"vocab_size": N, "embedding_dim": M, "hidden_dim": H}
DECODERS = {
    "FixedContextDecoder": (reference.fixed_context_decoder, {}, slice(None)),
    # the second half of the last state is the right reader's
    "BahdanauDecoder": (reference.bahdanau_decoder, {"attention_dim": A}, slice(H, None)),
}
EACH = pytest.mark.parametrize("name", DECODERS)
FEEDING = {"Luong": (None, True), "fed": ("monotonic", True), "not fed": ("predictive", False)}  # of a LuongDecoder
RECURRENT = pytest.mark.parametrize("name", [*DECODERS, *FEEDING])
NORMS = "post", "pre"  # of a Transformer
EVERY = pytest.mark.parametrize("name", [*DECODERS, *FEEDING, *NORMS])


def build(face, name, **more):
    if name in NORMS:
        return support.build(face, "Transformer", N, 2, 10, 2, 13, norm=name, **more)
    more = {"memory_dim": E, **(DECODERS[name][1] if name in DECODERS else {})}
    if name not in DECODERS:
        kind, more["input_feeding"] = FEEDING[name]
        local = {"half_width": 2, "alignment": kind} if kind else {}
        attention = "LocalAttention" if kind else "LuongAttention"
        more["attention"] = support.build(face, attention, H, E, score="general", **local)
    encoder = support.build(face, "RecurrentEncoder", **SIZES)
    kind = name if name in DECODERS else "LuongDecoder"
    return face.EncoderDecoder(encoder, support.build(face, kind, **SIZES, **more))


def pair(name):
    """The model in both frameworks with the same parameters, and the parameters."""
    models = build(pytorch, name), build(tf, name)
    rng = np.random.default_rng(36)
    parameters = get_parameters(models[0])
    parameters = {key: rng.normal(size=x.shape) for key, x in parameters.items()}
    if name in NORMS:  # norms that add nothing: else one token would win everywhere
        parameters = {key: float("scale" in key) + 0 * x if "norm" in key else x / 2 for key, x in parameters.items()}
    for model in models:
        set_parameters(model, parameters)
    return *models, parameters


def mask_of(name):
    return MASK[:, None, None] if name in NORMS else MASK


def specified(name, parameters, mask=MASK):
    """The whole model by the specification: memory, first state, logits, weights."""
    decode, _, half = DECODERS[name]
    mask = (SOURCE != 0) & (True if mask is None else mask)
    encoder, decoder = nested(parameters, "encoder"), nested(parameters, "decoder")
    memory, last = reference.recurrent_encoder(SOURCE, encoder, mask=mask)
    bridge = decoder["bridge.weight"], decoder["bridge.bias"]
    state = np.tanh(last[:, half] @ bridge[0] + bridge[1])
    return memory, state, *decode(TARGETS, memory, state, decoder, mask)


@EACH
@pytest.mark.parametrize("mask", [None, MASK], ids=["all", "masked"])
def test_the_whole_model_is_the_specification(name, mask):
    in_torch, in_tf, parameters = pair(name)
    _, _, *expected = specified(name, parameters, mask)
    close(in_torch(*to(pytorch, SOURCE, TARGETS, mask)), expected)
    close(in_tf(*to(tf, SOURCE, TARGETS, mask)), expected)


@RECURRENT
def test_greedy(name):
    """Alike in both, and each token is the likeliest after the tokens before it."""
    in_torch, in_tf, _ = pair(name)
    asked = {"begin": BEGIN, "max_length": T}
    found = in_torch.greedy(*to(pytorch, SOURCE, MASK), **asked)
    other = in_tf.greedy(*to(tf, SOURCE, MASK), **asked)
    close(found, [None if x is None else numbers(x) for x in other])
    tokens = numbers(found[0])
    assert len(np.unique(tokens)) > 2  # else a constant would pass
    before = np.concatenate([np.full((B, 1), BEGIN), tokens[:, :-1]], axis=1)
    logits, weights = in_torch(*to(pytorch, SOURCE, before, MASK))
    np.testing.assert_array_equal(numbers(logits).argmax(-1), tokens)
    close((found[0], found[1]), (tokens, None if weights is None else numbers(weights)))


def counting(encode, rows):
    return lambda source, *rest, **options: rows.append(len(source)) or encode(source, *rest, **options)


def naive_beam(model, mask, row, end, size=4, alpha=0.6):
    """(score, tokens) of the beam's hypotheses, best first: each is read at once, by itself, at every step."""
    source, mask = to(pytorch, SOURCE[row : row + 1], mask[row : row + 1])

    def score(hypothesis):
        tokens, chance = hypothesis
        return chance / ((5 + len(tokens)) / 6) ** alpha

    kept = [((), 0.0)]
    for _ in range(T):
        found = [one for one in kept if end in one[0]]
        for tokens, chance in (one for one in kept if end not in one[0]):
            logits = numbers(model(source, tensor(pytorch, np.array([[BEGIN, *tokens]])), mask)[0])[0, -1]
            chances = chance + logits - np.log(np.exp(logits).sum())
            found += [((*tokens, n), chances[n]) for n in range(N)]
        kept = sorted(found, key=score, reverse=True)[:size]
    return [(score(one), one[0]) for one in kept]


@EVERY
def test_a_beam_is_that_of_hypotheses_one_by_one(name, monkeypatch):
    """Three lengths are among them; a source is encoded once; a beam of one is greedy, with a cache and without."""
    models = dict(zip((pytorch, tf), pair(name), strict=False))
    for end in range(N):  # the first that ends one in time
        expected = [naive_beam(models[pytorch], mask_of(name), row, end) for row in range(B)]
        if len({len(tokens) for beam in expected for _, tokens in beam}) > 2:
            break
    else:
        pytest.fail("none ends early")
    asked = {"begin": BEGIN, "end": end, "max_length": T}
    for face, model in models.items():
        source, mask = to(face, SOURCE, mask_of(name))
        given, read = {"source_mask": mask, **asked}, []
        monkeypatch.setattr(model, "encode", counting(model.encode, read))
        tokens, scores = map(numbers, face.beam_search(model, source, **given))
        assert read == [B]
        np.testing.assert_allclose(scores, [[score for score, _ in beam] for beam in expected], 1e-9)
        for row, beam in enumerate(expected):
            for found, (_, words) in zip(tokens[row], beam, strict=True):
                assert found.tolist() == [*words, *[end] * (T - len(words))]
        greedy = [numbers(face.greedy_decode(model, source, **given, use_cache=use)) for use in (True, False)]
        one, _ = face.beam_search(model, source, **given, beam_size=1)
        assert (greedy[0] == greedy[1]).all() and (greedy[0] == numbers(one)[:, 0]).all()


@EVERY
@pytest.mark.parametrize("way", ["greedy_decode", "beam_search"])
def test_keras_writes_in_one_graph(name, way, monkeypatch):
    """A step is traced once, and then costs no Python; what it writes is PyTorch's."""
    (ours, theirs), traces = pair(name)[:2], []
    part, called = (theirs, "decode") if name in NORMS else (theirs.decoder, "step")
    step = getattr(part, called)

    def counting(*given, **options):
        traces.append(given)
        return step(*given, **options)

    monkeypatch.setattr(part, called, counting)
    asked = {"begin": BEGIN, "end": N - 1, "max_length": 20}
    found = []
    for face, model in ((pytorch, ours), (tf, theirs)):
        source, mask = to(face, SOURCE, mask_of(name))
        found.append(getattr(face, way)(model, source, source_mask=mask, **asked))
    close(*([numbers(x) for x in one] if way == "beam_search" else numbers(one) for one in found))
    assert len(traces) == 1


@RECURRENT
def test_keras_trains_in_one_graph(name):
    """Of whatever lengths: the numbers and the gradients are those of a call at each."""
    model, tokens = pair(name)[1], tensorflow.TensorSpec((None, None), "int64")

    def trained(source, targets):
        with tensorflow.GradientTape() as tape:
            found = model(source, targets)
            loss = tensorflow.reduce_sum(found[0] ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        return found, [tensorflow.convert_to_tensor(each) for each in gradients]

    graph = tensorflow.function(trained, input_signature=[tokens, tokens])
    for source, targets in ((SOURCE, TARGETS[:, :2]), (SOURCE[:, :4], TARGETS[:, :1])):
        given = to(tf, source, targets)
        for one, other in zip(*map(tensorflow.nest.flatten, (graph(*given), trained(*given))), strict=True):
            close(one, other)


@FACE
@pytest.mark.parametrize("name", ["BahdanauDecoder", "post"])
def test_padding_is_not_read(face, name, tmp_path):
    """The token 0, or the one that is named, of a stored model too, in training and in every way of writing."""
    model = dict(zip((pytorch, tf), pair(name), strict=False))[face]
    read = SOURCE.clip(1, 9)
    read[1, 4:] = 0
    longer = np.pad(read, ((0, 0), (0, 3)))
    tens, real = np.where(longer == 0, 10, longer), longer != 0
    real = real[:, None, None] if name in NORMS else real

    def padded_by(pad):
        if name not in NORMS:
            return face.EncoderDecoder(model.encoder, model.decoder, pad=pad)
        other = build(face, name, pad=pad)
        set_parameters(other, get_parameters(model))
        return other

    def said(model, source, mask=None):
        source, mask = to(face, source, mask)
        how = {"source_mask": mask, "begin": BEGIN, "end": 2, "max_length": T}
        logits = model(source, tensor(face, TARGETS), mask)[0]
        beam = face.beam_search(model, source, **how)
        writes = [] if name in NORMS else model.greedy(source, mask, begin=BEGIN, max_length=T)[:1]
        return [logits, face.greedy_decode(model, source, **how), *beam, *writes]

    expected = [numbers(x) for x in said(model, read)]
    close(said(model, longer), expected)
    for pad, source, mask in ((0, longer, real | True), (10, tens, None), (None, longer, real), (None, longer, None)):
        other = padded_by(pad)
        if face is tf:
            other.save(tmp_path / "model.keras")
            other = keras.models.load_model(tmp_path / "model.keras")
        assert other.config["pad"] == pad
        found = said(other, source, mask)
        if pad is None and mask is None:
            assert np.abs(numbers(found[0]) - expected[0]).max() > 1e-3
        else:
            close(found, expected)
    for wrong, message in ((N, f"pad must be a token, below {N}, or None, got {N}"), (-1, "pad must be at least 0")):
        with pytest.raises(ValueError, match=message):
            padded_by(wrong)


@EACH
@FACE
def test_prepared_is_what_the_step_would_prepare(name, face):
    models = dict(zip((pytorch, tf), pair(name)[:2], strict=True))
    decoder = models[face].decoder
    memory, state, *_ = specified(name, get_parameters(models[face]))
    token, state, memory, mask = to(face, TARGETS[:, 0], state, memory, MASK)
    prepared = decoder.prepare(memory, mask)
    with_it = decoder.step(token, state, memory, mask, prepared=prepared)
    without = decoder.step(token, state, memory, mask)
    close(with_it[0], numbers(without[0]))
    close(with_it[1], numbers(without[1]))
    # It is used, too: another sentence's preparation gives another output.
    other = decoder.prepare(2 * memory, mask)
    changed = decoder.step(token, state, memory, mask, prepared=other)
    assert np.abs(numbers(changed[0]) - numbers(without[0])).max() > 1e-3
