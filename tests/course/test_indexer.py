"""The lab of chapter 12: the model read layer by layer, its indexers, and what a choice holds."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course.course.labs import indexer as lab
from attn_course.course.labs.generate import pytorch as model_torch, tf as model_tf
from attn_course.course.labs.indexer import pytorch as in_torch, tf as in_tf
from attn_course.frameworks import tf as tensorflow, torch


def test_pages_of_training_and_test_share_no_token():
    test, some = lab.pages("test"), lab.pages("train", 512)
    assert test.shape == (24, 128) and some.shape == (7, 128)
    assert np.array_equal(some[0, 64:], some[1, :64])
    book = len(lab.load_tokenizer().encode(lab.load_book()))
    assert book >= lab.LEARNED + lab.TESTED


def test_both_frameworks_read_the_model_alike():
    tokens, models = lab.pages("test")[:2, :40], (model_torch.load_glassllm(), model_tf.load_glassllm())
    near = (np.tri(40, dtype=bool) & ~np.tri(40, k=-5, dtype=bool))[None, None].repeat(2, 0)
    for choose in (None, lambda *found: near):
        (one, own), (other, theirs) = (
            module.read(model, tokens, choose) for module, model in zip((in_torch, in_tf), models, strict=True)
        )
        np.testing.assert_allclose(one, other, atol=2e-3)
        for a, b in zip(own, theirs, strict=True):
            np.testing.assert_allclose(a[0], b[0], atol=2e-3)
            np.testing.assert_allclose(a[1].sum(-1), 1.0, atol=1e-5)
    with torch.no_grad():
        whole = models[0](torch.from_numpy(tokens))[0].numpy()
    np.testing.assert_allclose(in_torch.read(models[0], tokens)[0], whole, atol=1e-3)


def test_indexers_score_and_lose_alike():
    x = np.random.default_rng(0).normal(size=(2, 9, 128)).astype(np.float32)
    one, other = in_torch.Indexer(4), in_tf.Indexer(4)
    other(tensorflow.constant(x))
    twinned(one, other)
    np.testing.assert_allclose(in_torch.scores(one, x), in_tf.scores(other, x), atol=1e-4)
    weights = np.tri(9, dtype=np.float32)[None, None].repeat(2, 0) / np.arange(1, 10)[:, None].astype(np.float32)
    own = float(in_torch.loss(one, torch.from_numpy(x), torch.from_numpy(weights)).detach())
    theirs = in_tf.loss(other, tensorflow.constant(x), tensorflow.constant(weights))
    assert own == pytest.approx(float(theirs), abs=1e-4)


def test_an_eighth_is_kept_and_the_first_of_equal_scores():
    kept = lab.kept(np.zeros((1, 40, 40)))
    assert kept.sum(-1)[0].tolist() == [-(-t // 8) for t in range(1, 41)]
    assert kept[0, 39, :5].all() and not kept[0, 39, 5:].any()
    score = np.broadcast_to(np.arange(40.0), (1, 40, 40))
    assert lab.kept(score)[0, 39].nonzero()[0].tolist() == [35, 36, 37, 38, 39]
    assert not np.triu(lab.kept(score, 1)[0], 1).any()


def test_ties_are_counted_at_the_last_place_alone():
    T = 40
    distinct = np.random.default_rng(0).normal(size=(3, T, T))
    assert lab.tied(distinct) == 0 and lab.tied(np.zeros((3, T, T))) == 1
    assert lab.tied(np.where(np.arange(T) < 9, 1.0 + np.arange(T), 0.0) + 0 * distinct) == 0  # five of nine are kept


def test_mass_of_a_choice():
    weights = np.full((1, 2, 40, 40), 1 / 40)
    chosen = np.zeros((1, 1, 40, 40), bool)
    chosen[..., :10] = True
    assert lab.held(weights, chosen) == pytest.approx(0.25)


def test_a_query_shares_every_bucket_with_a_key_like_it():
    x = np.random.default_rng(0).normal(size=(1, 2, 12, 8))
    found = lab.hashed(x, 3 * x[:, :, np.r_[3, 1:12]], 0)[0]  # key 0 is vector 3
    assert found[3, 0] == 2 * lab.ROUNDS
    assert (np.diag(found) == 2 * lab.ROUNDS + 1).all() and found[5, 7] < 2 * lab.ROUNDS
