"""Looks for every verse among those of another translation; stores the record."""

import numpy as np

from attn_course.files import ending_in_one_line
from attn_course.labs import interval
from attn_course.labs.minilm import GROUPS, shared, verses, word_vectors
from attn_course.labs.minilm.pytorch import embed, minilm
from attn_course.tasks.minilm import LAYERS, MODEL_DIM
from experiments import chosen_seeds, store

BATCH = 50
SHOWN = 5


def vectors_by_layer(model, texts):
    """What the model makes of the texts, stopped after 0 to 6 layers: (7, n, D)."""
    order = np.argsort([len(text) for text in texts])
    found = np.zeros((LAYERS + 1, len(texts), MODEL_DIM))
    for start in range(0, len(order), BATCH):
        own = order[start : start + BATCH]
        for n in range(LAYERS + 1):
            found[n, own] = embed(model, [texts[i] for i in own], n)
    return found


def right_by_group(right, group):
    """The share that is right of all, and of every group, with intervals."""
    parts = [interval(right[group == g]) for g in range(GROUPS)]
    return {"right": interval(right), "by_shared": parts}


def main():
    seeds = chosen_seeds()
    places, questions, passages = verses()
    share = np.array([shared(*x) for x in zip(questions, passages, strict=True)])
    edges = np.quantile(share, np.arange(1, GROUPS) / GROUPS)
    group = np.searchsorted(edges, share, side="right")
    model = minilm()
    asked, kept = (vectors_by_layer(model, texts) for texts in (questions, passages))
    cosines = {"shared words": word_vectors(questions, passages)
               @ word_vectors(passages, passages).T}  # fmt: skip
    for n in range(LAYERS + 1):
        cosines[f"{n} layers"] = asked[n] @ kept[n].T
    rows, found = [], {}
    for name, cosine in cosines.items():
        found[name] = cosine.argmax(axis=1)
        right = (found[name] == np.arange(len(places))).astype(float)
        rows.append({"method": name, **right_by_group(right, group)})
        print(rows[-1], flush=True)
    lowest = np.flatnonzero(group == 0)
    shown = [
        {
            "place": places[i],
            "question": questions[i],
            "answer": passages[i],
            "found": {name: passages[x[i]] for name, x in found.items()},
        }
        for i in lowest[:: len(lowest) // SHOWN][:SHOWN]
    ]
    more = {"count": len(places), "edges": [round(float(x), 4) for x in edges]}
    store("minilm", rows, seeds, shown=shown, **more)


if __name__ == "__main__":
    with ending_in_one_line():
        main()
