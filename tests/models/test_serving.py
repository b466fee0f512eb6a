"""The engine against generate alone: whatever is served beside, nobody's tokens change, and no block is lost."""

import functools
import hashlib
from collections import Counter
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from support import FACE, build

from attn_course import pytorch, tf
from attn_course.core.paged.shared import Blocks
from attn_course.frameworks import torch
from attn_course.models.decoding.shared import Sampler
from attn_course.models.serving.blocks import PrefixCache
from attn_course.models.serving.shared import Scheduler
from attn_course.parity import get_parameters, set_parameters

N, D, H = 11, 8, 4
BEGINNINGS = (1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 3, 4, 9), (5, 6, 7, 8), ()
LONGEST = 9 + 5 + 8 - 1


class Reader(Scheduler):
    """A model that says what it read: its logits are drawn with the text found in the blocks as their seed."""

    def __init__(self, **sizes):
        super().__init__(SimpleNamespace(new_cache=None, config={"vocab_size": N}), **sizes)
        self.store = np.full((sizes["blocks"] * sizes["block_size"], 2), -1)

    def read(self, batch):
        self.store[batch.place] = np.stack([batch.tokens, batch.position], axis=1)
        found = {}
        for rows, seen, mask in batch.groups:
            for row, places, own in zip(rows, seen, mask[:, 0], strict=True):
                text = self.store[places[own[-1]]]
                assert text[:, 1].tolist() == [*range(len(text))]
                found[row[-1]] = logits_of(tuple(text[:, 0].tolist()))
        return np.stack([found[last] for last in batch.last])


@functools.cache
def logits_of(text):
    seed = int.from_bytes(hashlib.sha256(repr(text).encode()).digest()[:4])
    return np.random.default_rng(seed).normal(size=N)


def alone(prompt, *, max_tokens, seed, end, temperature, salt=None):
    """What the reader writes for one request, without any engine."""
    text, sampler = list(prompt), Sampler(1, temperature, None, None, seed)
    while len(text) < len(prompt) + max_tokens and (len(text) == len(prompt) or text[-1] != end):
        text.append(int(sampler(logits_of(tuple(text))[None])[0]))
    return text[len(prompt) :]


def check(engine):
    """Blocks in use = blocks reachable; who shares a block shares its whole past, and none that is half-full."""
    size, blocks = engine.block_size, engine.blocks
    reached, owner = Counter(engine.prefixes.known.values()), {}
    assert max(reached.values(), default=1) == 1  # one name each
    for request in engine.running:
        reached.update(request.table)
        assert len({*request.table}) == len(request.table) == -(-request.read // size)
        for n, block in enumerate(request.table):
            end = min((n + 1) * size, request.read)
            text = request.names[0], tuple(request.tokens[:end])
            assert owner.setdefault(block, text) == text
            assert blocks.holders[block] == 1 or end % size == 0
    assert not any(request.table or request.read for request in engine.waiting)
    assert blocks.holders == [reached[n] for n in range(len(blocks.holders))]
    assert sorted(blocks.free) == [n for n, held in enumerate(blocks.holders) if not held]


class Drawn:
    """What hypothesis draws, by a call of NumPy's generators."""

    def __init__(self, data):
        self.draw = data.draw

    def integers(self, low, high=None):
        return self.draw(st.integers(*((0, low - 1) if high is None else (low, high - 1))))


def request(rng):
    """A prompt, often with a beginning that others have, and options."""
    prompt = (*BEGINNINGS[rng.integers(4)], *(int(rng.integers(N)) for _ in range(rng.integers(1, 6))))
    options = {
        "max_tokens": int(rng.integers(1, 9)),
        "temperature": float(rng.integers(2)),
        "seed": int(rng.integers(4)),
    }
    return prompt, options | {"end": (None, 4)[rng.integers(2)], "salt": (None, None, "another")[rng.integers(3)]}


def sizes(rng):
    """Of an engine that can serve the longest request, and hardly more."""
    size, most = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    budget = (None, most + int(rng.integers(13)))[rng.integers(2)]
    blocks = -(-LONGEST // size) + int(rng.integers(4))
    more = {"max_requests": most, "token_budget": budget, "prefix_cache": bool(rng.integers(4))}
    return {"blocks": blocks, "block_size": size, **more}


ACTS = ["add"] * 5 + ["step"] * 4 + ["cancel", "refuse"]


def refused(engine, kind):
    """No token, one that does not exist, or a request longer than the pool: an error, and nothing else."""
    whole = len(engine.blocks.holders) * engine.block_size
    prompt, words = (((), "positions of prompt"), ((1, N), "tokens from 0"), ((1,) * whole, "blocks must be"))[kind]
    with pytest.raises(ValueError, match=words):
        engine.add(prompt, max_tokens=2)


def play(engines, rng, expected, acts=12):
    """Add, refuse, cancel and step as drawn, then to the end; every text is that of its request alone."""
    asked = []
    for _ in range(acts):
        act, engine = ACTS[rng.integers(len(ACTS))], engines[rng.integers(len(engines))]
        if act == "add":
            prompt, options = request(rng)
            asked.append((prompt, options, engine.add(prompt, **options)))
        elif act == "step":
            engine.step()
        elif act == "refuse":
            refused(engine, rng.integers(3))
        elif asked:
            engine.cancel(asked[rng.integers(len(asked))][2])
        for each in engines:
            check(each)
    for engine in engines * 2000:
        if engine.waiting or engine.running:
            engine.step()
            check(engine)
    assert not any(engine.waiting or engine.running for engine in engines)
    for prompt, options, served in asked:
        whole = expected(prompt, **options)
        done = served.state == "done"
        assert served.written == (whole if done else whole[: len(served.written)])
        assert done or served.state == "cancelled"


def test_nobodys_tokens_change_in_a_thousand_schedules():
    """Of a model that says what stands in the blocks that it is given; hits, waits and preemptions occur.

    Half of the schedules are of two engines that take turns: a request of one is no other's.
    """
    counts = Counter()

    # A schedule that fails is not made shorter: that takes longer than all of them.
    once = {"phases": [Phase.generate], "suppress_health_check": list(HealthCheck)}

    @settings(max_examples=1000, derandomize=True, database=None, deadline=None, **once)
    @given(st.data())
    def schedule(data):
        rng = Drawn(data)
        engines = [Reader(**sizes(rng)) for _ in range(rng.integers(1, 3))]
        play(engines, rng, alone)
        for engine in engines:
            counts.update(engine.counts)
            for what in ("read", "hit", "waited", "preempted"):
                assert engine.counts[what] == sum(sum(entry[what].values()) for entry in engine.log)
        counts["schedules"] += 1

    schedule()
    assert counts["schedules"] >= 1000 and min(counts[what] for what in ("hit", "waited", "preempted")) > 200, counts


@functools.cache
def model(face, kind="grouped"):
    """Two layers; repeated heads and learned positions in the other kind. No test changes it."""
    dtype = {"dtype": "float64"} if face is tf else {}

    def grouped(_):
        rotary = face.RotaryEncoding(D // H, **dtype)
        return face.GroupedQueryAttention(D, H, num_kv_heads=2, rotary=rotary, use_bias=False, **dtype)

    def repeated(_):
        return face.MultiHeadAttention(D, H, num_kv_heads=2, **dtype)

    positions = face.LearnedEncoding(LONGEST, D, **dtype) if kind == "repeated" else None
    options = {"norm": "pre", "normalization": "rms", "activation": "swiglu", "embedding_scale": 4.0}
    options |= {"attention": repeated if kind == "repeated" else grouped, "positions": positions}
    made = build(face, "LanguageModel", N, 2, D, H, 16, **options)
    rng = np.random.default_rng(3)
    set_parameters(made, {name: rng.normal(size=x.shape) for name, x in get_parameters(made).items()})
    return made


def engine_of(face, kind="grouped", **sizes):
    return face.Engine(model(face, kind), **{"blocks": 8, "block_size": 3, "max_requests": 5} | sizes)


@functools.cache
def generated(prompt, kind="grouped", salt=None, **options):
    """What ``generate`` writes for one request; in Keras it draws the same, as test_language_model.py holds."""
    tokens = pytorch.generate(model(pytorch, kind), torch.tensor(prompt)[None], **options)
    return [int(x[0]) for x in tokens]


@FACE
@pytest.mark.parametrize("kind", ["grouped", "repeated"])
def test_nobodys_tokens_change(face, kind):
    """Of a model in float64, greedy and sampled, schedule after schedule in one engine, whose prefixes stay."""
    rng, engine = np.random.default_rng(5), engine_of(face, kind, token_budget=9)
    for _ in range(8):
        play([engine], rng, functools.partial(generated, kind=kind))
    assert min(engine.counts[what] for what in ("hit", "waited", "preempted")) >= 5, engine.counts


@FACE
def test_angles_are_computed_once_a_step(face, monkeypatch):
    """By layers that share their rotary encoding; layers with one each compute them anew, and write the same."""
    parts, written, called = import_module(face.RotaryEncoding.__module__), [], []
    exact = parts.position_angles
    monkeypatch.setattr(parts, "position_angles", lambda *x, **how: (called.append(1), exact(*x, **how))[1])
    dtype = {"dtype": "float64"} if face is tf else {}
    for rotaries in ([face.RotaryEncoding(D // H, **dtype)] * 3, [face.RotaryEncoding(D // H, **dtype) for _ in "abc"]):
        options = {"attention": lambda n, own=rotaries: face.MultiHeadAttention(D, H, rotary=own[n], **dtype)}
        made = build(face, "LanguageModel", N, 3, D, H, 16, positions=None, **options)
        given = {name: np.sin(np.arange(x.size)).reshape(x.shape) for name, x in get_parameters(made).items()}
        set_parameters(made, given)
        engine = face.Engine(made, blocks=8, block_size=3, max_requests=2)
        asked = [engine.add(prompt, max_tokens=4, temperature=0.0) for prompt in ((1, 2, 3, 4, 5), (6, 7))]
        called.clear()
        engine.step()
        assert len(called) == len({*map(id, rotaries)})
        engine.run()
        written.append([request.written for request in asked])
    assert written[0] == written[1]


@FACE
def test_bad_requests_are_refused_and_nobody_notices(face):
    """By name, before they have taken anything; who is served beside them gets its own tokens."""
    engine = engine_of(face)
    options = {"max_tokens": 6, "temperature": 0.0}
    good = engine.add((1, 2, 3, 4, 5), **options)
    engine.step()
    for prompt, wrong, words in (
        ((), {}, "positions of prompt must be at least 1, got 0"),
        ((1, N), {}, "prompt must have tokens from 0 to 10, got 11"),
        ((1, -1), {}, "prompt must have tokens from 0 to 10, got -1"),
        ((1.5, 2.0), {}, "prompt must be integers, got float64"),
        ((1,) * 20, {}, "blocks must be 9 for this request, got 8"),
        ((1, 2), {"max_tokens": 24}, "blocks must be 9 for this request, got 8"),
        ((1, 2), {"max_tokens": 0}, "max_tokens must be at least 1, got 0"),
        ((1, 2), {"temperature": -1.0}, "temperature must be a finite number of at least 0"),
    ):
        with pytest.raises(ValueError, match=words):
            engine.add(prompt, **options | wrong)
        check(engine)
    engine.run()
    assert good.written == generated((1, 2, 3, 4, 5), **options) and len(engine.waiting) == 0
    engine.cancel(good)
    assert good.state == "done"
    check(engine)


@FACE
def test_what_can_not_be_served_is_named(face):
    dtype, own = {"dtype": "float64"} if face is tf else {}, {"positions": None}
    windowed = own | {"attention": lambda _: face.SlidingWindowAttention(D, H, window=3, **dtype)}
    state = own | {"attention": lambda _: face.LinearAttention(D, H, **dtype)}
    rule = {"dim": 2, "method": "longrope", "trained_length": 4, "short": [1.0], "long": [2.0]}
    rotary = face.RotaryEncoding(D // H, frequencies=rule, **dtype)
    turned = own | {"attention": lambda _: face.MultiHeadAttention(D, H, rotary=rotary, **dtype)}
    for options, words in (
        ({"positions": "alibi"}, "model must have no bias on its scores, got AlibiBias"),
        (state, "must keep a key and a value of every position"),
        (windowed, "must keep a key and a value"),
        (turned, "must turn by positions alone"),
    ):
        with pytest.raises(ValueError, match=words):
            face.Engine(build(face, "LanguageModel", N, 1, D, H, 16, **options), blocks=1, block_size=1, max_requests=1)
    with pytest.raises(ValueError, match="model must be a LanguageModel, got SinusoidalEncoding"):
        face.Engine(face.SinusoidalEncoding(D), blocks=1, block_size=1, max_requests=1)
    for wrong in ("blocks", "block_size", "max_requests"):
        with pytest.raises(ValueError, match=f"{wrong} must be at least 1, got 0"):
            engine_of(face, **{wrong: 0})
    with pytest.raises(ValueError, match="token_budget must be at least 5, got 4"):
        engine_of(face, token_budget=4)
    with pytest.raises(ValueError, match="model must have positions up to 22 for this request, got 21"):
        engine_of(face, "repeated").add((1,), max_tokens=22)


@FACE
def test_two_engines_have_one_model_and_each_its_blocks(face):
    """They take turns, step by step, on the same prompts; one pool for both is refused."""
    engines = [engine_of(face, block_size=size, blocks=12) for size in (2, 3)]
    with pytest.raises(ValueError, match="blocks must be a number: engines share no pool"):
        engine_of(face, blocks=engines[0].blocks)
    options = {"max_tokens": 7, "temperature": 1.0, "seed": 2}
    asked = [engine.add((1, 2, 3, *more), **options) for more in ((4,), (5, 6)) for engine in engines]
    while any(engine.running or engine.waiting for engine in engines):
        for engine in engines:
            engine.step()
            check(engine)
    for request in asked:
        assert request.written == generated(tuple(request.tokens[: request.length]), **options)


def hits(salts, prompt=range(9), **sizes):
    engine = Reader(
        **{"blocks": 30, "block_size": 4, "max_requests": 2, "token_budget": None, "prefix_cache": True} | sizes
    )
    found = []
    for salt in salts:
        found.append(engine.add([*prompt], max_tokens=1, salt=salt))
        engine.run()
    return [request.counts["hit"] for request in found]


def test_only_one_salt_shares_and_one_token_is_read():
    assert hits([None, None, "a", "a", b"a", None]) == [0, 8, 0, 8, 0, 8]
    assert hits([None, None], prompt=range(8)) == [0, 4]  # the last token must be read, for its logits
    assert hits([None, None], prefix_cache=False) == [0, 0]


def test_who_writes_never_waits_for_a_long_prompt():
    """With a budget, a token in every step; without, all of the prompt at once."""
    for budget, longest in ((8, 8), (None, 101)):
        sizes = {"blocks": 60, "block_size": 4, "max_requests": 4, "prefix_cache": True}
        engine = Reader(**sizes, token_budget=budget)
        writer = engine.add((1, 2, 3), max_tokens=20)
        engine.step()
        engine.add((5,) * 100, max_tokens=1)
        given = [[request for request, _ in engine.step()] for _ in range(15)]
        assert all(writer in step for step in given)
        assert max(sum(entry["read"].values()) for entry in engine.log) == longest


def test_a_preempted_request_comes_back_first_and_the_log_says_so():
    """Two that grow need 3 blocks each, and there are 4: the one that came last gives way, a third waits for both."""
    engine = Reader(blocks=4, block_size=2, max_requests=3, token_budget=None, prefix_cache=False)
    asked = [engine.add((n, 7, 8), max_tokens=4, temperature=0.0) for n in (1, 2)]
    engine.step()
    engine.step()
    asked.append(engine.add((3,), max_tokens=1))
    engine.run()
    assert [request.counts["preempted"] for request in asked] == [0, 1, 0]
    assert [next(n for n, entry in enumerate(engine.log) if entry["preempted"])] == [2]
    ended = [max(n for n, entry in enumerate(engine.log) if r.number in entry["written"]) for r in asked]
    assert ended[0] < ended[2] <= ended[1]
    for entry in engine.log:
        assert sum(map(len, entry["tables"].values())) + entry["free"] == 4


def test_the_end_of_the_longest_unused_text_is_given_up_first():
    blocks = Blocks(5)
    cache = PrefixCache(blocks)
    for text in ("ab", "cd"):
        for name in text:
            (block,) = blocks.take(1)
            cache.add(name, block)
            blocks.release([block])
    cache.touch("ab")
    cache.touch("cd")
    cache.touch("ab")
    found = cache.find("ab")
    cache.make_room(2)
    assert [*cache.known] == ["c", "b", "a"]
    cache.make_room(9)  # what is held stays
    assert [*cache.known] == ["b", "a"] and sorted(blocks.free + found) == [*range(5)]
    for act in (lambda: blocks.release(blocks.free[:1]), lambda: blocks.release(found[:1] * 2), lambda: blocks.take(4)):
        with pytest.raises(ValueError, match=r"blocks must have a holder|pool must have 4 free blocks, got 3"):
            act()
