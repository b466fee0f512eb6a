"""Speculative decoding: greedy writes what ``generate`` does, sampled texts are as frequent, every fault is caught."""

import functools

import numpy as np
import pytest
from support import FACE, pair, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import torch
from attn_course.models.speculative import shared
from attn_course.parity import get_parameters, set_parameters

N, L, D, H, F, T = 7, 2, 16, 2, 19, 5
DRAFT = pytest.mark.parametrize("draft", ["one layer", "itself", "ngrams"])
PROMPT = np.random.default_rng(2).integers(0, N, (1, T))


@functools.cache
def models(**options):
    """A model and its own first layer, with the same last norm and table, in both frameworks."""
    layers, parameters = pair("LanguageModel", N, L, D, H, F, scale=0.4, **options)
    small, _ = pair("LanguageModel", N, 1, D, H, F, **options)
    for face, one in small.items():
        set_parameters(one, {name: parameters[name] for name in get_parameters(one)})
        layers[face] = layers[face], one
    return layers


def given(face, draft="one layer"):
    """A model, and the draft of that name."""
    model, small = models()[face]
    return model, {"one layer": small, "itself": model, "ngrams": reference.ngram_draft}[draft]


def alone(face, model, max_tokens, **options):
    written = face.generate(model, tensor(face, PROMPT), max_tokens=max_tokens, **options)
    return [int(token[0]) for token in written]


def written(face, model, draft, max_tokens, **options):
    """The tokens, and what every pass gave."""
    found = face.speculative_generate(model, tensor(face, PROMPT), draft=draft, max_tokens=max_tokens, **options)
    passes = list(found)
    return [token for one in passes for token in one.tokens], passes


@FACE
@DRAFT
@pytest.mark.parametrize("num_draft", [1, 4])
def test_greedy_is_greedy(face, draft, num_draft):
    """And in fewer passes; a top_k of 1 is greedy too, whatever is drawn. Longer than that, TensorFlow has a graph."""
    model, guess = given(face, draft)
    options = {"num_draft": num_draft, "temperature": 0} if num_draft > 1 else {"num_draft": 1, "top_k": 1}
    size = 14 if draft == "one layer" and num_draft > 1 else 8 if face is pytorch else 6
    found, passes = written(face, model, guess, size, **options)
    assert found == alone(face, model, size, temperature=0) and len(set(found)) > 2
    assert all(len(one.tokens) == one.accepted + 1 <= one.drafted + 1 <= num_draft + 1 for one in passes)
    if draft == "itself":
        assert all(one.accepted == one.drafted for one in passes)
    if draft == "one layer":
        assert 0 < sum(one.accepted for one in passes) < sum(one.drafted for one in passes)


@FACE
@pytest.mark.parametrize("options", [{"temperature": 1.0}, {"temperature": 0.7, "top_k": 4, "top_p": 0.9}], ids=str)
def test_the_model_as_its_own_draft_is_always_right(face, options):
    """Which finds a key that was left behind: with one all tokens are as likely as before, but fewer drafts stand."""
    model, _ = given(face)
    for seed in range(1 if face is tf else 8):
        _, passes = written(face, model, model, 11, num_draft=3, seed=seed, **options)
        assert [(one.drafted, one.accepted) for one in passes] == [(3, 3), (3, 3), (2, 2)]


def test_a_seed_writes_the_same_in_both_frameworks():
    one, other = (written(face, *given(face), 9, seed=5)[1] for face in (pytorch, tf))
    assert one == other and len({token for each in one for token in each.tokens}) > 3
    assert one != written(pytorch, *given(pytorch), 9, seed=6)[1]


@FACE
@pytest.mark.parametrize("kind", ["paged", "int8"])
def test_it_goes_back_in_every_cache(face, kind, monkeypatch):
    """Blocks that are let go are free again; numbers that are rounded are the same, whenever they are read."""
    model, small = given(face)
    one = {pytorch: {"dtype": torch.float64}, tf: {"dtype": "float64"}}[face]
    pools = []

    def new_cache(batch, capacity):
        if kind == "int8":
            return tuple(face.QuantizedKVCache(batch, H, capacity, D // H, **one) for _ in range(L))
        pools[:] = [face.BlockPool(9, H, D // H, block_size=2, **one) for _ in range(L)]
        return tuple(pool.new_cache(capacity) for pool in pools)

    found, passes = written(face, model, small, 7, temperature=0, cache=new_cache(1, T + 7 - 1))
    assert any(one.accepted < one.drafted for one in passes)
    for pool in pools:
        assert int(pool.num_free) == 9 - -(-(T + 7 - 1) // 2)
    monkeypatch.setattr(model, "new_cache", new_cache)
    assert found == alone(face, model, 7, temperature=0)


@FACE
def test_it_ends_behind_the_end(face):
    """In the middle of what stands; the tokens behind are not written."""
    model, _ = given(face)
    whole = alone(face, model, 9, temperature=0)
    end = whole[6]
    found, passes = written(face, model, model, 9, num_draft=8, temperature=0, end=end)
    assert found == whole[: whole.index(end) + 1] and len(passes) == 1 and passes[0].accepted == 8


def test_the_rule_by_hand():
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.2, 0.2, 0.6]])
    q = np.array([[0.2, 0.6, 0.2], [0.1, 0.9, 0.0]])
    accept = functools.partial(reference.accept_drafts, p, q, [1, 1])
    assert accept([0.49, 0.1, 0.1]) == [1, 1, 0]  # 0.3 / 0.6, 0.1 / 0.9, then p[2]
    assert accept([0.49, 0.1, 0.5]) == [1, 1, 2]
    assert accept([0.51, 0.1, 0.0]) == accept([0.5, 0.1, 0.99]) == [0]  # of p - q, token 0 alone is left
    assert accept([0.49, 0.12, 0.3]) == [1, 2]
    assert reference.accept_drafts(p[:1], q[:0], [], [0.79]) == [1]
    certain = shared.certain([1], 3)
    assert reference.accept_drafts(p, certain, [1], [0.29, 0.0]) == [1, 0]
    assert reference.accept_drafts(p, certain, [1], [0.31, 0.72]) == [2]  # of p without the draft


def test_equal_chances_that_are_rounded():
    """The largest number below 1 as a draw: a refusal may leave nothing of p - q; then it is drawn from p."""
    most, rng = 1 - 2.0**-53, np.random.default_rng(0)
    refused = 0
    for _ in range(2000):
        q = rng.random(5)
        q /= q.sum()
        p = q if rng.random() < 0.5 else q * (1 - 2.0**-52)
        found = reference.accept_drafts(np.stack([p, p]), q[None], [3], [most, most])
        assert all(0 <= token < 5 for token in found)
        refused += len(found) == 1
    assert refused > 100
    assert shared.draw(np.array([0.3, 0.7, 0.0]), most) == 1  # no token without a chance


def chi_square(counts, chances):
    """The chance of a larger statistic; cells that are expected less than 5 times are one."""
    wanted = counts.sum() * chances
    few = wanted < 5
    counts, wanted = (np.append(x[~few], x[few].sum()) for x in (counts, wanted))
    counts, wanted = counts[wanted > 0], wanted[wanted > 0]
    value = ((counts - wanted) ** 2 / wanted).sum()
    halves = torch.tensor([(len(wanted) - 1) / 2, value / 2], dtype=torch.float64)
    return float(torch.special.gammaincc(*halves))


class Table:
    """A model of the last token alone, with the calls of a reader."""

    def __init__(self, logits):
        self.logits, self.length = logits, 0

    def read(self, tokens):
        new = tokens[self.length :]
        self.length = len(tokens)
        return self.logits[new]

    def truncate(self, length):
        self.length = min(length, self.length)


def frequencies(kind, texts=6000):
    """How often each text of 3 of 5 tokens is written, and how often the model alone writes it."""
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(5, 5)) * 1.5
    other = logits + rng.normal(size=(5, 5)) * 1.5
    choice = {"temperature": 1.0, "top_k": 4, "top_p": None}
    P, rng = shared.chances_of(logits, **choice), np.random.default_rng(1)
    counts = np.zeros((5, 5, 5))
    for _ in range(texts):
        readers = [Table(logits), Table(other)]
        draft = shared.model_draft(readers[1], rng, **choice) if kind == "model" else reference.ngram_draft
        how = {"num_draft": 2, "max_tokens": 3, "end": None, **choice}
        passes = shared.speculate(readers, draft, [1, 2, 1], rng, **how)
        counts[tuple(token for one in passes for token in one.tokens)] += 1
    return counts.ravel(), (P[1][:, None, None] * P[:, :, None] * P[None]).ravel()


@pytest.mark.parametrize("kind", ["model", "ngrams"])
def test_texts_are_as_frequent_as_the_models_own(kind):
    assert chi_square(*frequencies(kind)) > 0.001


def from_p(p, q, drafted, uniforms):
    for n, token in enumerate(drafted):
        if uniforms[n] * q[n, token] >= p[n, token]:
            return [*drafted[:n], shared.draw(p[n], uniforms[-1])]
    return [*drafted, shared.draw(p[len(drafted)], uniforms[-1])]


def by_the_draft(p, q, drafted, uniforms):
    for n, token in enumerate(drafted):
        if uniforms[n] >= q[n, token]:
            return [*drafted[:n], shared.draw(np.maximum(p[n] - q[n], 0), uniforms[-1])]
    return [*drafted, shared.draw(p[len(drafted)], uniforms[-1])]


@pytest.mark.parametrize("wrong", [from_p, by_the_draft])
def test_another_rule_is_caught(wrong, monkeypatch):
    monkeypatch.setattr(shared, "accept_drafts", wrong)
    assert chi_square(*frequencies("model", 1500)) < 1e-6


def test_a_real_model_with_its_caches_is_as_frequent():
    """Two tokens behind the prompt, 500 times; the chances of all 49 pairs from one pass each."""
    model, small = given(pytorch)
    counts = np.zeros((N, N))
    for seed in range(500):
        tokens, _ = written(pytorch, model, small, 2, num_draft=1, seed=seed)
        counts[tuple(tokens)] += 1
    texts = np.concatenate([np.repeat(PROMPT, N, 0), np.arange(N)[:, None]], axis=1)
    with torch.no_grad():
        chances = torch.softmax(model(torch.from_numpy(texts))[0][:, -2:], dim=-1).numpy()
    assert chi_square(counts.ravel(), (chances[:, 0].diagonal()[:, None] * chances[:, 1]).ravel()) > 0.001


def test_ngrams_by_hand():
    draft = reference.ngram_draft
    assert draft([1, 2, 3, 4, 9, 2, 3, 4, 5, 0, 2, 3, 4], 2) == ([5, 0], None)  # the newest place
    assert draft([7, 3, 4, 5, 2, 4, 6, 3, 4], 9) == ([5, 2, 4, 6, 3, 4], None)  # of 2 tokens, before one of 1
    assert draft([7, 3, 4, 5, 2, 4, 6, 3, 4], 9, longest=1) == ([6, 3, 4], None)
    assert draft([2, 2], 4) == ([2], None)
    assert draft([1, 2, 3], 4) == draft([1], 4) == ([], None)
    assert draft([5, 6, 5], 0) == ([], None)


@FACE
def test_drafts_of_any_function(face):
    """With chances of its own; what is none of the model's tokens, or too much, is named."""
    model, _ = given(face)
    asked = []

    def uniform(tokens, count):
        asked.append(count)
        return [3] * count, np.full((count, N), 1 / N)

    found, _ = written(face, model, uniform, 5, num_draft=3, temperature=0)
    assert found == alone(face, model, 5, temperature=0) and asked[0] == 3 and max(asked) <= 3
    for wrong, message in [
        (lambda tokens, count: ([1] * 4, None), r"draft must give a list of at most 3 tokens, got \[1, 1, 1, 1\]"),
        (lambda tokens, count: (np.array([1]), None), "draft must give a list of at most 3 tokens"),
        (lambda tokens, count: ([1], np.ones((1, N + 1))), r"draft must give chances \(1, 7\), .* got \(1, 8\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            written(face, model, wrong, 5, num_draft=3)


@FACE
def test_what_is_refused(face):
    """A state and a window say so before anything is written, as model and as draft."""
    model, small = given(face)
    sizes, kind = (N, 1, D, H, F), {"positions": None}
    state = face.LanguageModel(*sizes, attention=lambda _: face.LinearAttention(D, H), **kind)
    delta = face.LanguageModel(*sizes, attention=lambda _: face.DeltaRuleAttention(D, H), **kind)
    ring = face.LanguageModel(*sizes, attention=lambda _: face.SlidingWindowAttention(D, H, window=3), **kind)
    for one, message in ((state, "in a state"), (delta, "in a state"), (ring, "in a window of 3")):
        for pair_of in ((one, model), (model, one)):
            with pytest.raises(ValueError, match=f"cache can't go back {message}"):
                face.speculative_generate(pair_of[0], tensor(face, PROMPT), draft=pair_of[1], max_tokens=3)
    right = {"draft": small, "max_tokens": 3}
    for options, message in [
        ({"num_draft": 0}, "num_draft must be at least 1, got 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1, got 0"),
        ({"draft": "ngrams"}, "draft must be a model with new_cache, or a function of tokens and count, got str"),
        ({"temperature": -1}, "temperature must be a finite number of at least 0, got -1"),
        ({"prompt": tensor(face, np.zeros((2, 3), "int64"))}, "prompt must have one row, got 2"),
        ({"prompt": tensor(face, np.zeros((1, 0), "int64"))}, "positions of prompt must be at least 1, got 0"),
        ({"model": face.SinusoidalEncoding(D)}, "model must have new_cache"),
    ]:
        with pytest.raises(ValueError, match=message):
            face.speculative_generate(**{"model": model, "prompt": tensor(face, PROMPT), **right, **options})
    spoiled = type(model)(*sizes, **kind)
    set_parameters(spoiled, {name: np.nan * x for name, x in get_parameters(spoiled).items()})
    with pytest.raises(ValueError, match="logits must be finite"):
        written(face, spoiled, reference.ngram_draft, 3)
    other = face.LanguageModel(N + 1, 1, D, H, F, **kind)
    with pytest.raises(ValueError, match=r"draft must give chances \(2, 7\), of the model's tokens, got \(2, 8\)"):
        list(face.speculative_generate(model, tensor(face, PROMPT), draft=other, max_tokens=3, top_k=1))
