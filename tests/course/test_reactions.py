"""Reactions, their tokens and atom maps, and the pretrained encoder that reads them."""

import re

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.course.labs.reactions import pytorch, tf
from attn_course.frameworks import tf as tensorflow, torch
from attn_course.parity import get_parameters
from attn_course.tasks import reactions

ROWS = reactions.load_reactions()


def run(framework, smiles, **options):
    """Output and weights (layers, B, H, T, T) in NumPy."""
    ids, mask = reactions.encode(smiles)
    if framework == "tf":
        output, weights = tf.albert()(tensorflow.constant(ids), tensorflow.constant(mask), **options)
    else:
        with torch.no_grad():
            output, weights = pytorch.albert()(torch.from_numpy(ids), torch.from_numpy(mask), **options)
    return output.numpy(), np.stack([x.numpy() for x in weights])


# --- data ---


def test_every_reaction_fits_its_map():
    assert len(ROWS) == 52 and sum(len(row.maps) for row in ROWS) == 762
    element = re.compile(r"[A-Z][a-z]?|[a-z]")
    for row in ROWS:
        tokens = reactions.tokenize(row.smiles)
        before = [tokens[i] for i in reactions.atoms(tokens) if i < tokens.index(">>")]
        after = [tokens[i] for i in reactions.atoms(tokens) if i > tokens.index(">>")]
        assert (len(row.same), len(row.maps)) == (len(before), len(after))
        assert len(set(row.maps.tolist())) == len(row.maps)  # no atom is used twice
        names = [[element.search(token)[0].lower() for token in side] for side in (before, after)]
        assert [names[0][i] for i in row.maps] == names[1]  # carbon comes from carbon


def test_tokens():
    assert reactions.tokenize("C[C@@H](O)c1ccc(Br)cc1%12>>[Na+]") == [
        "C", "[C@@H]", "(", "O", ")", "c", "1", "c", "c", "c", "(", "Br", ")", "c", "c", "1", "%12", ">>", "[Na+]",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="smiles: expected atoms, bonds and rings, got 'C C'"):
        reactions.tokenize("C C")
    assert reactions.atoms(["[CLS]", "Cl", ".", "[nH]", "1", "*", "[MASK]"]) == [1, 3, 5]


def test_encode():
    ids, mask = reactions.encode(["CO", "C"])
    words = reactions.load_vocabulary()
    assert [words[i] for i in ids[0]] == ["[CLS]", "C", "O", "[SEP]"]
    assert [words[i] for i in ids[1]] == ["[CLS]", "C", "[SEP]", "[PAD]"]
    assert mask.tolist() == [[True] * 4, [True] * 3 + [False]]
    with pytest.raises(ValueError, match=re.escape("unknown tokens: [Xx]")):
        reactions.encode(["[Xx]"])
    with pytest.raises(ValueError, match="at most 512 tokens, got 514"):
        reactions.encode(["C" * 512])


def test_a_map_is_read_from_weights():
    # 1 C . 3 O >> 5 O 6 C: the oxygen is mapped to the oxygen, the carbon wrongly too
    weights = np.zeros((8, 8))
    weights[5, 3] = weights[6, 3] = 0.4
    weights[6, 1] = 0.3
    weights[6, 6] = 0.9  # its own position is no atom of the reactants
    assert reactions.read_maps(weights, "C.O>>OC").tolist() == [1, 1]
    row = reactions.Reaction("C.O>>OC", np.array([1, 0]), np.array([0, 1]))
    assert reactions.right_atoms(np.array([1, 1]), row).tolist() == [True, False]
    row = reactions.Reaction("C.C>>C", np.array([0]), np.array([0, 0]))
    assert reactions.right_atoms(np.array([1]), row).tolist() == [True]  # one carbon or the other


# --- the encoder ---


@pytest.mark.parametrize("framework", ["pytorch", "tf"])
def test_parameters_are_the_files(framework):
    model = {"pytorch": pytorch, "tf": tf}[framework].albert()
    found, stored = get_parameters(model), reactions.load_weights()
    assert found.keys() == stored.keys()
    assert sum(x.size for x in found.values()) == 735_567
    for name, x in found.items():
        np.testing.assert_array_equal(x, stored[name])


@pytest.mark.parametrize("framework", ["pytorch", "tf"])
def test_padding_changes_nothing(framework):
    short, long = ROWS[2].smiles, ROWS[4].smiles
    alone, own = run(framework, [short])
    both, padded = run(framework, [short, long])
    T = alone.shape[1]
    np.testing.assert_allclose(both[:1, :T], alone, atol=2e-5)
    np.testing.assert_allclose(padded[:, :1, :, :T, :T], own, atol=2e-5)
    assert (padded[:, 0, :, :, T:] == 0).all()


@pytest.mark.parametrize("framework", ["pytorch", "tf"])
def test_one_head_is_the_atom_map(framework):
    rows = [row for row in ROWS if len(row.smiles) < 60]
    _, weights = run(framework, [row.smiles for row in rows])
    layer, head = reactions.MAPPING_HEAD
    right, other = [], []
    for found, row in zip(weights.transpose(1, 0, 2, 3, 4), rows, strict=True):
        right += reactions.right_atoms(reactions.read_maps(found[layer, head], row.smiles), row).tolist()
        other += reactions.right_atoms(reactions.read_maps(found[layer, head - 1], row.smiles), row).tolist()
    assert np.mean(right) > 0.85 and np.mean(other) < 0.2


@pytest.mark.parametrize("framework", ["pytorch", "tf"])
def test_heads_can_be_hidden(framework):
    kept = np.ones((reactions.LAYERS, 8), np.float32)
    whole, _ = run(framework, [ROWS[2].smiles])
    same, _ = run(framework, [ROWS[2].smiles], head_masks=kept if framework == "tf" else torch.from_numpy(kept))
    np.testing.assert_allclose(same, whole, atol=1e-6)
    kept[0] = 0
    other, _ = run(framework, [ROWS[2].smiles], head_masks=kept if framework == "tf" else torch.from_numpy(kept))
    assert np.abs(other - whole).max() > 0.1


def test_a_hidden_token_is_filled_in():
    model, words = pytorch.albert(), reactions.load_vocabulary()
    ids, mask = reactions.encode([row.smiles for row in ROWS[:12]])
    right = []
    for place in (3, 8, 13):
        asked = torch.from_numpy(ids.copy())
        asked[:, place] = words.index("[MASK]")
        with torch.no_grad():
            output, _ = model(asked, torch.from_numpy(mask))
            right += (model.scores(output)[:, place].argmax(-1).numpy() == ids[:, place]).tolist()
    assert np.mean(right) > 0.9
