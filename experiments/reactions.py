"""All 96 heads scored, and heads cut away until the atom map breaks."""

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.course.labs import interval, reactions as lab
from attn_course.course.labs.reactions.pytorch import albert
from attn_course.files import ending_in_one_line
from attn_course.tasks import reactions as task
from experiments import chosen_seeds, store

SIZE = 13  # reactions of about the same length in a batch
DRAWS = 5
RULES = "before", "itself", "after"


@torch.no_grad()
def run(model, reactions, head_masks, layers=task.LAYERS):
    """For every reaction the weights (layers, H, T, T) of the first layers."""
    order = np.argsort([len(row.smiles) for row in reactions])
    found = [None] * len(reactions)
    for start in range(0, len(order), SIZE):
        own = order[start : start + SIZE]
        ids, mask = task.encode([reactions[i].smiles for i in own])
        given = torch.from_numpy(ids), torch.from_numpy(mask)
        _, weights = model(*given, head_masks[:layers])
        weights = torch.stack(weights, dim=1).numpy()
        for i, w, T in zip(own, weights, mask.sum(axis=-1), strict=True):
            found[i] = w[..., :T, :T]
    return found


def right_counts(model, reactions, kept):
    """Of the mapping head, for every reaction: atoms right, atoms."""
    layer, head = task.MAPPING_HEAD
    masks = torch.tensor(kept, dtype=torch.float32)
    maps = run(model, reactions, masks, layer + 1)
    counts = []
    for w, row in zip(maps, reactions, strict=True):
        right = task.right_atoms(task.read_maps(w[layer, head], row.smiles), row)
        counts.append((int(right.sum()), len(right)))
    return np.array(counts)


def score_heads(model, reactions):
    """Every head: the share of atoms that it maps as chemists do, and three rules."""
    maps = run(model, reactions, torch.ones(task.LAYERS, task.HEADS))
    counts = np.array(
        [
            task.right_atoms(task.read_maps(w, row.smiles), row).sum(axis=-1)
            for w, row in zip(maps, reactions, strict=True)
        ]
    )
    total = np.array([len(row.maps) for row in reactions])
    rules = np.mean([lab.rule_scores(w) for w in maps], axis=0)
    rows = []
    for layer in range(task.LAYERS):
        for head in range(task.HEADS):
            own = {
                name: round(float(score[layer, head]), 4)
                for name, score in zip(RULES, rules, strict=True)
            }
            right = interval(counts[:, layer, head], total)
            rows.append({"layer": layer, "head": head, "right": right, "rules": own})
    return rows


def cut_away(model, chosen, other, seed):
    """Heads below the mapping head cut in three orders; the order is of ``chosen``."""
    layer, _ = task.MAPPING_HEAD
    whole = right_counts(model, chosen, np.ones((task.LAYERS, task.HEADS)))[:, 0].sum()
    harm = np.zeros(layer * task.HEADS)
    for head in range(layer * task.HEADS):
        kept = np.ones(task.LAYERS * task.HEADS)
        kept[head] = 0
        own = right_counts(model, chosen, kept.reshape(task.LAYERS, task.HEADS))
        harm[head] = whole - own[:, 0].sum()
    rng, rows = np.random.default_rng(seed), []
    least = np.argsort(harm, kind="stable")
    orders = {"least harm": least, "most harm": least[::-1]}
    orders |= {f"random {i}": rng.permutation(len(harm)) for i in range(DRAWS)}
    for name, order in orders.items():
        for count in lab.COUNTS:
            kept = np.ones(task.LAYERS * task.HEADS)
            kept[order[:count]] = 0
            found = right_counts(model, other, kept.reshape(task.LAYERS, task.HEADS))
            rows.append({"order": name, "cut": count, "right": interval(*found.T)})
            print(rows[-1], flush=True)
    return rows, [int(x) for x in harm]


def main():
    seeds = chosen_seeds()
    model, reactions = albert(), task.load_reactions()
    rows = score_heads(model, reactions)
    print(*sorted(rows, key=lambda row: row["right"])[-5:], sep="\n", flush=True)
    columns = []
    for cut in lab.cut_everywhere():
        kept = np.ones((task.LAYERS, task.HEADS))
        kept[:, cut] = 0
        found = interval(*right_counts(model, reactions, kept).T)
        columns.append({"cut": list(cut), "right": found})
        print(columns[-1], flush=True)
    chosen, other = reactions[::2], reactions[1::2]
    cut, harm = cut_away(model, chosen, other, seeds[0])
    more = {"cut": cut, "harm": harm, "columns": columns, "aligner": lab.ALIGNER}
    store("reactions", rows, seeds, **more)


if __name__ == "__main__":
    with ending_in_one_line():
        main()
