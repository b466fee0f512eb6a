"""Chemical reactions, and a small encoder that was trained on millions of them.

A reaction is a text: ``CCO.CC(=O)Cl>>CCOC(C)=O``, the reactants, an arrow, the product.
A letter is an atom, brackets are branches, digits close rings. README.md beside this
file says where the weights and the reactions come from.
"""

import gzip
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from attn_course.tasks.data import read_checked

WEIGHTS = Path(__file__).parent / "albert.npz"
REACTIONS = Path(__file__).parent / "reactions.json.gz"
SHA256 = {
    WEIGHTS: "08ddab2d885eeaf0ef97a86397dfccb1b94e77bd71ebe5086d2729a2faf8efa6",
    REACTIONS: "abfe4a251f9fed3b5543b5a751482dcddc67d4e2cf8e08e5430a2f7a9f6b80a3",
}
LAYERS, HEADS, MODEL_DIM, FF_DIM, EMBEDDING_DIM = 12, 8, 256, 512, 128
LONGEST = 512  # positions
MAPPING_HEAD = 10, 5  # layer and head, both from 0, that the makers read
TOKEN = re.compile(
    r"\[[^\]]+\]"  # an atom with its charge or hydrogens: [NH4+], [C@H], and [MASK]
    r"|Br|Cl|[BCNOPSFIbcnops*]"  # an atom
    r"|>>|[=#$:/\\~.()+-]"  # the arrow, bonds, the dot between molecules, branches
    r"|%[0-9]{2}|[0-9]"  # where a ring closes
)


class Reaction(NamedTuple):
    """smiles: the text. maps: for every atom of the product, in the order of the text,
    the number of its atom among the reactants, as people say. same: for every atom of
    the reactants a number; those that a symmetry exchanges have the same.
    """

    smiles: str
    maps: np.ndarray
    same: np.ndarray


def load_reactions():
    """The reactions with their atom maps, a list of `Reaction`.

    Raises:
        ValueError: the file is missing or damaged.
    """
    return [
        Reaction(row["smiles"], np.array(row["maps"]), np.array(row["same"]))
        for row in _read()["reactions"]
    ]


def load_weights():
    """The parameters of the encoder: name -> array of float32.

    Raises:
        ValueError: the file is missing or damaged.
    """
    with np.load(io.BytesIO(read_checked(WEIGHTS, SHA256[WEIGHTS]))) as file:
        return {name: file[name].astype(np.float32) for name in file.files}


def load_vocabulary():
    """The list of the model's tokens.

    Raises:
        ValueError: the file is missing or damaged.
    """
    return list(_read()["vocabulary"])


def tokenize(smiles):
    """Cut a reaction or a molecule into the model's tokens.

    Raises:
        ValueError: some of the text is no token.

    >>> tokenize("CC(=O)[O-].BrC>>C")
    ['C', 'C', '(', '=', 'O', ')', '[O-]', '.', 'Br', 'C', '>>', 'C']
    """
    tokens = TOKEN.findall(smiles)
    if "".join(tokens) != smiles:
        raise ValueError(f"smiles: expected atoms, bonds and rings, got {smiles!r}")
    return tokens


def encode(reactions):
    """Texts -> ids (B, T) and mask (B, T), True where a token stands.

    Each begins with ``[CLS]`` and ends with ``[SEP]``; the rest is ``[PAD]``.

    Raises:
        ValueError: a text has a token that the model doesn't know, or too many.
    """
    number = {token: i for i, token in enumerate(load_vocabulary())}
    rows = []
    for smiles in reactions:
        tokens = ["[CLS]", *tokenize(smiles), "[SEP]"]
        unknown = sorted(set(tokens) - set(number))
        if unknown:
            raise ValueError(f"unknown tokens: {', '.join(unknown)}")
        if len(tokens) > LONGEST:
            raise ValueError(f"at most {LONGEST} tokens, got {len(tokens)}")
        rows.append([number[token] for token in tokens])
    longest = max(map(len, rows))
    ids = np.array([row + [0] * (longest - len(row)) for row in rows])
    lengths = np.array([len(row) for row in rows])
    return ids, np.arange(longest) < lengths[:, None]


def atoms(tokens):
    """The positions of the tokens that are atoms.

    >>> atoms(["[CLS]", "C", "(", "=", "O", ")", "[O-]", ">>", "[SEP]"])
    [1, 4, 6]
    """
    words = "[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"
    return [
        i
        for i, token in enumerate(tokens)
        if (token[0].isalpha() or token[0] in "[*") and token not in words
    ]


def read_maps(weights, smiles):
    """For every atom of the product the reactant atom that gets the largest weight.

    Shapes:
        weights: (..., T, T) for the tokens of smiles with ``[CLS]`` and ``[SEP]``; rows
        and columns after those are not read.
        returns: (..., atoms of the product), numbers of atoms among the reactants.
    """
    tokens = ["[CLS]", *tokenize(smiles), "[SEP]"]
    arrow = tokens.index(">>")
    before = [i for i in atoms(tokens) if i < arrow]
    after = [i for i in atoms(tokens) if i > arrow]
    return weights[..., after, :][..., before].argmax(axis=-1)


def right_atoms(maps, reaction):
    """Which atoms of the product are mapped as people do: bool, as maps.

    Atoms that a symmetry of the reactants exchanges count as the same.
    """
    return reaction.same[maps] == reaction.same[reaction.maps]


@cache
def _read():
    return json.loads(gzip.decompress(read_checked(REACTIONS, SHA256[REACTIONS])))
