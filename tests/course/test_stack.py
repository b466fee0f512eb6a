"""The sets of a stack of layers, the place of its norms, and the scores of a pretrained encoder's heads."""

import both_frameworks  # noqa: F401
import numpy as np
import pytest
from support import twinned

from attn_course.course.labs import longer, norms, reactions, stack
from attn_course.course.labs.pairs import pytorch as torch_pairs, tf as tf_pairs
from attn_course.course.labs.patterns import pytorch as torch_patterns, tf as tf_patterns
from attn_course.course.labs.positions import pytorch as torch_positions, tf as tf_positions
from attn_course.frameworks import tf, torch
from attn_course.tasks.digits import load_digits
from experiments import ailing, associative, mixes, norms as program, taming


def test_sets():
    digits = load_digits("test")
    sets, odd = next(stack.image_sets(digits, 50, seed=1))
    assert sets.shape == (50, 10, 64) and set(odd.tolist()) == set(range(10))
    label = {image.tobytes(): kind for image, kind in zip(digits.images.reshape(-1, 64), digits.labels, strict=True)}
    for images, place in zip(sets, odd, strict=True):
        kinds = [label[image.tobytes()] for image in images]
        rest = set(kinds[:place] + kinds[place + 1 :])
        assert len(rest) == 1 and kinds[place] not in rest
        assert len({image.tobytes() for image in images}) == 10  # no image twice


def test_warm_up():
    rates = [norms.warm_up(step, 600, 0.5) for step in (1, 100, 200, 201, 600)]
    np.testing.assert_allclose(rates, [0.5 / 200, 0.25, 0.5, 0.5, 0.5])


def test_pieces():
    text = np.arange(300) % 256
    (piece,) = next(program.pieces(text, 0))
    assert piece.shape == (norms.BATCH, norms.LENGTH + 1)
    assert ((piece[:, 1:] - piece[:, :-1]) % 256 == 1).all()


def test_rules_and_cuts():
    before = np.eye(5, k=-1)
    assert reactions.rule_scores(before).tolist() == [0.8, 0, 0]
    cuts = reactions.cut_everywhere()
    assert cuts[0] == () and len(cuts) == 1 + 8 + 21 + 1 and all(5 not in cut for cut in cuts if len(cut) > 1)


PLACES = {"max_length": 64, "causal": True}
TOKEN_MODELS = torch_positions.TokenModel, tf_positions.TokenModel
PATTERN_MODELS = torch_patterns.PatternModel, tf_patterns.PatternModel
PATTERN = {"width": 12, "heads": 2, "layers": 2, "length": 16}
# The models, what they are built from, and how many symbols each of their inputs has.
TWINS = {
    "norms": (*program.MODELS.values(), ["post"], {}, [256]),
    "mixes": (*mixes.MODELS.values(), ["3 : 1, NoPE"], {}, [33]),
    "capped": (*taming.MODELS.values(), [32, "cap"], {}, [256]),
    "normed": (*taming.MODELS.values(), [32, "norm"], {}, [256]),
    "recall": (*associative.MODELS.values(), ["softmax, ALiBi", 8], {}, [128, 33]),
    "cards": (torch_pairs.Player, tf_pairs.Player, ["near"], {}, [24, 5]),
    "YaRN": (*TOKEN_MODELS, [11, 32, 2, 2], {"positions": "rotary", **PLACES, **longer.rotation("yarn")}, [11]),
    "scaled": (
        *(*TOKEN_MODELS, [11, 32, 2, 2]),
        {"positions": "scaled", **PLACES, "trained_length": 5, "strength": 0.5},
        [11],
    ),
    "dense": (*PATTERN_MODELS, [11], {**PATTERN, "kind": "dense"}, [11]),
    "window": (*PATTERN_MODELS, [11], {**PATTERN, "kind": "window", "window": 5}, [11]),
    "fixed": (*PATTERN_MODELS, [11], {**PATTERN, "kind": "fixed", "stride": 4, "summary": 1}, [11]),
}


@pytest.mark.parametrize("name", TWINS)
def test_models_agree_in_both_frameworks(name):
    in_torch, in_tf, given, options, symbols = TWINS[name]
    torch.manual_seed(0)
    model, twin = in_torch(*given, **options), in_tf(*given, **options)
    rng = np.random.default_rng(0)
    rows = [rng.integers(count, size=(3, 16)) for count in symbols]
    twin(*map(tf.constant, rows))
    twinned(model, twin)
    with torch.no_grad():
        both = model(*map(torch.from_numpy, rows)), twin(*map(tf.constant, rows))
    one, other = (found[0] if isinstance(found, tuple) else found for found in both)
    np.testing.assert_allclose(other.numpy(), one.numpy(), atol=1e-4)
    if hasattr(model, "largest"):
        assert float(twin.largest()) == pytest.approx(float(model.largest()), rel=1e-4)


@pytest.mark.parametrize("cause", ailing.CAUSES)
def test_ailing_models_agree_in_both_frameworks(cause):
    """Whole, and with a cache; logits, maps and the stream's norms."""
    model, twin = (make(cause) for make in ailing.MODELS.values())
    tokens = np.random.default_rng(0).integers(ailing.TOKENS, size=(3, ailing.T - 1))
    twin(tf.constant(tokens))
    torch.nn.init.normal_(model.logits)
    for one, other in zip((model, *model.blocks), (twin, *twin.blocks), strict=True):
        for name, x in one.named_parameters(recurse=False):
            getattr(other, name).assign(x.detach().numpy())
    found = []
    for each, tensor in ((model.requires_grad_(False), torch.from_numpy), (twin, tf.constant)):
        logits, streams, maps, *_ = each(tensor(tokens))
        *_, past = each(tensor(tokens[:, :6]))
        last = each(tensor(tokens[:, 6:7]), past)[0]
        norms = [np.linalg.norm(x.numpy(), axis=-1).mean() for x in streams]
        found.append([logits.numpy(), last.numpy(), *(x.numpy() for x in maps), norms])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
