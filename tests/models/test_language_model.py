"""The language model and what writes with it: positions of every kind, caches, left padding, sampling by its rule."""

import functools

import numpy as np
import pytest
from support import FACE, build, close, in_chunks, numbers, pair, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, torch
from attn_course.masks import document_mask, document_numbers, padding_mask
from attn_course.models.decoding.shared import Sampler, kept
from attn_course.parity import get_parameters, set_parameters

B, T, D, H, F, L, N = 3, 7, 12, 2, 17, 2, 11
TOKENS = np.random.default_rng(0).integers(0, N, (B, T))
STARTS = np.array([0, 4, 2])  # what is padded on the left of every row


def learned(face, **options):
    return face.LearnedEncoding(19, D, **options)


KINDS = {
    "sinusoidal": lambda face, **dtype: {"positions": "sinusoidal"},
    "rotary": lambda face, **dtype: {"positions": "rotary", "normalization": "rms", "activation": "swiglu"},
    "alibi": lambda face, **dtype: {"positions": "alibi"},
    "none": lambda face, **dtype: {"positions": None},
    "unscaled": lambda face, **dtype: {"positions": "sinusoidal", "embedding_scale": 1},
    "learned": lambda face, **dtype: {"positions": learned(face, **dtype)},
    "buckets": lambda face, **dtype: {"positions": face.RelativeBias(H, num_buckets=5, bidirectional=False, **dtype)},
    "latent": lambda face, **dtype: {
        "positions": None,
        "attention": lambda _: face.LatentAttention(D, H, latent_dim=5, rope_dim=4, key_dim=3, value_dim=7, **dtype),
    },
    "linear": lambda face, **dtype: {
        "positions": "sinusoidal",
        "attention": lambda _: face.LinearAttention(D, H, decay="learned", **dtype),
    },
    "delta": lambda face, **dtype: {
        "positions": None,
        "attention": lambda _: face.DeltaRuleAttention(
            D, H, decay="fixed", rotary=face.RotaryEncoding(D // H, **dtype), **dtype
        ),
    },
    "window": lambda face, **dtype: {
        "positions": "sinusoidal",
        "attention": lambda _: face.SlidingWindowAttention(D, H, window=3, num_kv_heads=1, **dtype),
    },
    "own": lambda face, **dtype: {
        "positions": None,
        "attention": lambda _: face.GroupedQueryAttention(
            D, H, num_kv_heads=1, rotary=face.RotaryEncoding(D // H, base=100.0, **dtype), **dtype
        ),
    },
}
KIND = pytest.mark.parametrize("kind", KINDS)


@functools.cache
def models(kind):
    """The same model twice, in float64; no test changes it."""
    made = {}
    for face in (pytorch, tf):
        options = KINDS[kind](face, **({"dtype": "float64"} if face is tf else {}))
        made[face] = build(face, "LanguageModel", N, L, D, H, F, norm="pre", **options)
    rng = np.random.default_rng(3)
    parameters = {name: 0.5 * rng.normal(size=x.shape) for name, x in get_parameters(made[pytorch]).items()}
    for model in made.values():
        set_parameters(model, parameters)
    return made


PAPERS = {"norm": "post", "activation": "relu", "positions": "sinusoidal"}


@pytest.mark.parametrize("choices", [{}, PAPERS], ids=["default", "the paper's"])
def test_the_default_is_what_the_pages_advise(choices):
    """Norms before, rotary positions, GELU: the specification, and the paper's choices by name."""
    sizes = N, L, D, H, F
    made, parameters = pair("LanguageModel", *sizes, **choices)
    options = {"num_layers": L, "num_heads": H}
    expected = reference.language_model(TOKENS, parameters, **options, **choices)
    for face, model in made.items():
        close(model(tensor(face, TOKENS)), expected)
        chosen = choices or {"norm": "pre", "activation": "gelu", "positions": "rotary"}
        other = build(face, "LanguageModel", *sizes, **chosen)
        set_parameters(other, parameters)
        close(other(tensor(face, TOKENS)), expected)
    with pytest.raises(ValueError, match="positions must be one of rotary, sinusoidal"):
        reference.language_model(TOKENS, parameters, **options, positions="alibi")


def test_the_table_is_drawn_first():
    """By its seed the table and layers in the order that they had."""
    torch.manual_seed(0)
    model = pytorch.LanguageModel(N, L, D, H, F)
    torch.manual_seed(0)
    torch.nn.Embedding(N, D)
    stack = pytorch.Encoder(L, D, H, F, norm="pre")
    table = torch.nn.init.normal_(torch.empty(N, D), std=D**-0.5)
    assert torch.equal(model.embedding.weight, table)
    assert torch.equal(model.stack.layers[1].attention.value.weight, stack.layers[1].attention.value.weight)


@KIND
def test_twins_agree_and_read_on_behind_a_cache(kind):
    made, found = models(kind), []
    for face, model in made.items():
        found.append(numbers(model(tensor(face, TOKENS))[0]))
        cache = model.new_cache(B, T)
        close(in_chunks(face, model, TOKENS, (4, 1, 2), need_weights=False, cache=cache), found[-1], 1e-9)
    close(*found, 1e-9)
    reversed_ = numbers(made[pytorch](torch.from_numpy(TOKENS[:, ::-1].copy()))[0])
    assert np.abs(reversed_[:, -1] - found[0][:, -1]).max() > (1e-9 if kind == "none" else 1e-3)


@FACE
@KIND
def test_greedy_is_the_likeliest_token_of_the_whole_text(face, kind):
    model, text = models(kind)[face], TOKENS
    for tokens in face.generate(model, tensor(face, TOKENS), max_tokens=5, temperature=0):
        expected = numbers(model(tensor(face, text))[0])[:, -1].argmax(-1)
        np.testing.assert_array_equal(numbers(tokens), expected)
        text = np.concatenate([text, numbers(tokens)[:, None].astype(text.dtype)], axis=1)
    assert text.shape == (B, T + 5)


@FACE
@KIND
def test_left_padding_is_one_by_one(face, kind):
    """Whatever stands in the padding: drawn with a seed, each token is what it is without."""
    model = models(kind)[face]
    mask = np.arange(T) >= STARTS[:, None]
    options = {"max_tokens": 4, "temperature": 0.8, "seed": 5}
    found = face.generate(model, tensor(face, TOKENS), mask=tensor(face, mask), **options)
    found = np.stack([numbers(x) for x in found], 1)
    for row, start in enumerate(STARTS):
        alone = np.repeat(TOKENS[row : row + 1, start:], B, axis=0)  # the row keeps its generator
        alone = np.stack([numbers(x) for x in face.generate(model, tensor(face, alone), **options)], 1)
        np.testing.assert_array_equal(found[row], alone[row])


@FACE
@KIND
def test_words_behind_padding_stand_where_they_do_alone(face, kind):
    """In a call of the model itself, without positions."""
    model, mask = models(kind)[face], (np.arange(T) >= STARTS[:, None])[:, None, None]
    found = numbers(model(tensor(face, TOKENS), tensor(face, mask))[0])
    for row, start in enumerate(STARTS):
        close(found[row, start:], model(tensor(face, TOKENS[row : row + 1, start:]))[0][0], 1e-9)


@FACE
@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi", "buckets", "learned", "window", "linear", "delta"])
def test_packed_documents_are_one_by_one(face, kind):
    """Causal too; the positions that are added begin anew with every document."""
    model, lengths = models(kind)[face], [[3, 4], [2, 1, 3], [5]]
    packs = kind in ("window", "linear", "delta")
    mask = document_numbers(lengths, T)[:, None, None] if packs else document_mask(lengths, T)
    places = np.array([[0, 1, 2, 0, 1, 2, 3], [0, 1, 0, 0, 1, 2, 0], [0, 1, 2, 3, 4, 0, 0]])
    options = {"mask": tensor(face, mask), "positions": tensor(face, places)}
    found = numbers(model(tensor(face, TOKENS), **options)[0])
    for row, own in enumerate(lengths):
        for start, length in zip(np.cumsum([0, *own]), own, strict=False):
            alone = model(tensor(face, TOKENS[row : row + 1, start : start + length]))[0]
            close(found[row : row + 1, start : start + length], alone, 1e-9)


def test_a_seed_gives_the_same_tokens_in_both():
    made = models("rotary")
    options = {"max_tokens": 8, "top_k": 7, "top_p": 0.9}
    texts = [
        np.stack([numbers(x) for x in face.generate(made[face], tensor(face, TOKENS), seed=seed, **options)], 1)
        for face in (pytorch, tf)
        for seed in (1, 2)
    ]
    np.testing.assert_array_equal(texts[0], texts[2])
    np.testing.assert_array_equal(texts[1], texts[3])
    assert (texts[0] != texts[1]).any()


@FACE
def test_a_seed_for_each_row_draws_what_the_row_draws_alone(face):
    """In whatever place it stands, among whichever others."""
    model, options = models("rotary")[face], {"max_tokens": 8, "top_k": 7}

    def written(rows, seed):
        return np.stack([numbers(x) for x in face.generate(model, tensor(face, rows), seed=seed, **options)], 1)

    together = written(TOKENS[[1, 0, 2, 1]], [5, 6, 7, 8])
    for row, seed, text in zip((1, 0, 2, 1), (5, 6, 7, 8), together, strict=True):
        np.testing.assert_array_equal(text, written(TOKENS[row : row + 1], seed)[0])
    assert (together[0] != together[3]).any()  # the seed, not the prompt
    with pytest.raises(ValueError, match="seed must be one number, or one for each of 3 rows, got 2"):
        written(TOKENS, [1, 2])


@FACE
@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
def test_a_cache_that_is_given_is_read_on(face, padded):
    """In blocks, in one piece, behind a past: the tokens are those of the whole prompt at once."""
    model, options = models("own")[face], {"max_tokens": 6, "temperature": 0}
    dtype = {"dtype": torch.float64 if face is pytorch else "float64"}

    def written(prompt, mask, cache=None):
        own = {"mask": tensor(face, mask)} if padded else {}
        return np.stack([numbers(x) for x in face.generate(model, prompt, cache=cache, **own, **options)], 1)

    mask, prompt = np.arange(T) >= STARTS[:, None], tensor(face, TOKENS)
    expected = written(prompt, mask)
    for cache in (
        model.new_cache(B, T + 5),
        tuple(face.PagedKVCache(B, 1, T + 5, D // H, block_size=4, **dtype) for _ in range(L)),
    ):
        for read in (0, 5):
            if read:
                first = {"mask": tensor(face, mask[:, None, None, :read])} if padded else {}
                model(prompt[:, :read], need_weights=False, cache=cache, **first)
            np.testing.assert_array_equal(written(prompt[:, read:], mask, cache), expected)
            assert int(cache[0].length) == T + 5
            for own in cache:
                own.truncate(0)
    with pytest.raises(ValueError, match="cache must have a capacity of 13, all that is read, got 12"):
        face.generate(model, prompt, max_tokens=7, cache=model.new_cache(B, 12))


@FACE
def test_a_row_that_has_ended_stays_so(face):
    model = models("sinusoidal")[face]
    prompt = tensor(face, TOKENS)
    free = np.stack([numbers(x) for x in face.generate(model, prompt, max_tokens=6, temperature=0)], 1)
    end = int(free[1, 1])
    found = np.stack([numbers(x) for x in face.generate(model, prompt, max_tokens=6, temperature=0, end=end)], 1)
    for row, text in zip(free, found, strict=True):
        length = list(row).index(end) + 1 if end in row else 6
        np.testing.assert_array_equal(text[:length], row[: min(length, len(text))])
        assert (text[length:] == end).all()
    one = face.generate(model, prompt[1:2], max_tokens=6, temperature=0, end=end)
    assert len(list(one)) == list(free[1]).index(end) + 1


LOGITS = np.log(np.array([[0.1, 0.4, 0.2, 0.3], [0.25, 0.25, 0.25, 0.25]]))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.1, 0.4, 0.2, 0.3]),
        ({"temperature": 0.5}, np.array([1, 16, 4, 9]) / 30),
        ({"top_k": 2}, [0, 4 / 7, 0, 3 / 7]),
        ({"top_p": 0.7}, [0, 4 / 7, 0, 3 / 7]),
        ({"top_p": 0.71}, [0, 4 / 9, 2 / 9, 3 / 9]),
        ({"top_k": 3, "top_p": 0.5}, [0, 4 / 7, 0, 3 / 7]),
        ({"top_p": 1e-6}, [0, 1, 0, 0]),
        ({"temperature": 0}, [0, 1, 0, 0]),
    ],
)
def test_what_is_drawn_has_its_chance(options, expected):
    """20,000 draws; a chance is off by at most 4 of its own deviations."""
    options = {"temperature": 1.0, "top_k": None, "top_p": None, **options}
    sampler = Sampler(2, **options, seed=0)
    drawn = np.array([sampler(LOGITS)[0] for _ in range(20000)])
    found = np.bincount(drawn, minlength=4) / len(drawn)
    expected = np.asarray(expected)
    assert np.all(np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / len(drawn)))


def test_of_equal_chances_the_first_are_kept():
    np.testing.assert_array_equal(kept(np.exp(LOGITS[1:]), 2, None) > 0, [[True, True, False, False]])
    np.testing.assert_array_equal(kept(np.exp(LOGITS[1:]), None, 0.5) > 0, [[True, True, False, False]])


@FACE
@pytest.mark.parametrize("temperature", [0, 1.0])
def test_logits_that_give_no_token_are_named(face, temperature):
    """A parameter that is NaN, as after a step too far; the first token is refused, not written."""
    model = models.__wrapped__("none")[face]  # its own
    spoiled = {name: np.nan * x for name, x in get_parameters(model).items()}
    set_parameters(model, spoiled)
    with pytest.raises(ValueError, match=r"logits must be finite, .* got nan as the highest of row 0"):
        next(face.generate(model, tensor(face, TOKENS), max_tokens=3, temperature=temperature))
    choice = {"temperature": temperature, "top_k": None, "top_p": None, "seed": 0}
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match=f"got {wrong} as the highest of row 1"):
            Sampler(2, **choice)(np.array([[0.0, 1.0, -np.inf], [0.0, wrong, 1.0]]))
    with pytest.raises(ValueError, match="got -inf as the highest of row 1"):
        Sampler(2, **choice)(np.array([[0.0, 1.0], [-np.inf, -np.inf]]))
    assert Sampler(1, **choice)(np.array([[-np.inf, 1.0, -np.inf]])) == 1
    assert Sampler(1, 1e-310, None, None, 0)(np.array([[3.0, 1.0, 2.0]])) == 0  # 3 over it is infinite


@FACE
def test_wrong_calls_are_named(face):
    model, prompt = models("none")[face], tensor(face, TOKENS)
    right = tensor(face, padding_mask([7, 3, 7], T))
    for given, words in (
        ({"max_tokens": 0}, "max_tokens must be at least 1, got 0"),
        ({"temperature": -1.0}, "temperature must be a finite number of at least 0, got -1.0"),
        ({"temperature": np.nan}, "temperature must be a finite number of at least 0, got nan"),
        ({"top_k": 0}, "top_k must be at least 1, got 0"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1, got 0.0"),
        ({"end": -1}, "end must be at least 0, got -1"),
        ({"end": N}, f"end must be a token from 0 to {N - 1}, got {N}"),
        ({"mask": right}, "mask must be False on the left alone: pad on the left"),
        ({"mask": prompt}, "mask must be bool"),
    ):
        with pytest.raises(ValueError, match=words):
            face.generate(model, prompt, **{"max_tokens": 3, **given})
    with pytest.raises(ValueError, match="prompt must be integers, got float64"):
        face.generate(model, tensor(face, TOKENS.astype("float64")), max_tokens=3)
    for token in (N, -1):
        with pytest.raises(ValueError, match=f"prompt must have tokens from 0 to 10, got {token}"):
            face.generate(model, tensor(face, np.array([[1, token, 2]])), max_tokens=3)
    with pytest.raises(ValueError, match="positions of prompt must be at least 1, got 0"):
        face.generate(model, prompt[:, :0], max_tokens=3)
    with pytest.raises(ValueError, match=r"model must have new_cache\(batch, capacity\), as a LanguageModel"):
        face.generate(face.SinusoidalEncoding(D), prompt, max_tokens=3)
    with pytest.raises(ValueError, match="positions must be one of rotary, alibi, sinusoidal, got 'roatry'"):
        face.LanguageModel(N, L, D, H, F, positions="roatry")
    with pytest.raises(ValueError, match="embedding_scale must be a positive, finite number, got 0"):
        face.LanguageModel(N, L, D, H, F, embedding_scale=0)
    with pytest.raises(ValueError, match="positions must be a name, a layer or None, got int"):
        face.LanguageModel(N, L, D, H, F, positions=7)
    with pytest.raises(ValueError, match="positions must not be rotary, the default, beside an attention"):
        face.LanguageModel(N, L, D, H, F, positions="rotary", attention=lambda _: face.MultiHeadAttention(D, H))
    with pytest.raises(ValueError, match="positions must be integers"):
        model(prompt, positions=tensor(face, TOKENS.astype("float64")))


@KIND
def test_keras_saves_a_model_of_every_kind(kind, tmp_path):
    model = models(kind)[tf]
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    close(loaded(TOKENS)[0], model(TOKENS)[0])
    drawn = [tf.generate(x, tensor(tf, TOKENS), max_tokens=3, temperature=0) for x in (loaded, model)]
    np.testing.assert_array_equal(*(np.stack(list(x)) for x in drawn))


@pytest.mark.parametrize("kind", ["rotary", "linear"])
def test_a_part_of_a_functional_model_is_saved_and_named(kind, tmp_path):
    model = models(kind)[tf]
    tokens = keras.Input((None,), dtype="int64")
    keras.Model(tokens, model(tokens, need_weights=False)[0]).save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    close(loaded(TOKENS), model(TOKENS)[0])
    with pytest.raises(ValueError, match=rf"got Functional: give its part, get_layer\('{model.name}"):
        tf.generate(loaded, tensor(tf, TOKENS), max_tokens=3)
    part = loaded.get_layer(model.name)
    assert len(list(tf.generate(part, tensor(tf, TOKENS), max_tokens=3))) == 3


def test_a_wrapper_of_pytorch_is_told_from_its_module():
    wrapped = torch.nn.DataParallel(models("rotary")[pytorch])
    with pytest.raises(ValueError, match=r"got DataParallel: give its \.module"):
        pytorch.generate(wrapped, torch.from_numpy(TOKENS), max_tokens=3)


def test_a_file_from_before_has_sinusoids():
    config = tf.LanguageModel(N, L, D, H, F).get_config()
    for name in ("positions", "eps"):
        del config[name]
    assert type(tf.LanguageModel.from_config(config).encoding) is tf.SinusoidalEncoding


@FACE
def test_tokens_come_as_they_are_computed(face, monkeypatch):
    """The prompt is read for the first; each next costs one call, and none is made before it is asked for."""
    model, calls = models("rotary")[face], []
    name = "forward" if face is pytorch else "call"
    run = getattr(model, name)

    def counted(*inputs, **options):
        calls.append(inputs[0].shape[1])
        return run(*inputs, **options)

    monkeypatch.setattr(model, name, counted)
    tokens = face.generate(model, tensor(face, TOKENS), max_tokens=4, temperature=0)
    assert calls == []
    for number in range(4):
        next(tokens)
        assert calls == [T, 1, 1, 1][: number + 1]


@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "buckets", "window", "latent", "linear"])
def test_keras_writes_a_long_text_in_one_graph(kind, padded, monkeypatch):
    """The prompt is read, one token traced; the other 18 cost no Python. A state is no variable: it stays as it is."""
    made, calls = models(kind), []
    run = made[tf].call

    def counted(*inputs, **options):
        calls.append(inputs[0].shape[1])
        return run(*inputs, **options)

    def written(face):
        mask = {"mask": tensor(face, np.arange(T) >= STARTS[:, None])} if padded else {}
        options = {"temperature": 0.8, "seed": 5, "max_tokens": 20, **mask}
        return np.stack([numbers(x) for x in face.generate(made[face], tensor(face, TOKENS), **options)])

    monkeypatch.setattr(made[tf], "call", counted)
    np.testing.assert_array_equal(written(tf), written(pytorch))
    assert calls == ([T] + [1] * 19 if kind == "linear" else [T, 1])
