"""Does attention align as people do? Greek verses, their English, links by hand.

A word of English is aligned with the Greek word of the largest weight. Beside the
attention stand two aligners without any: the diagonal, and IBM model 1 of 1993.
``python -m experiments.align --seeds 0 1 2`` trains and stores the record; each model
is trained once in TensorFlow too.
"""

from collections import Counter, defaultdict

import numpy as np

from attn_course.tasks.text import PAD, Vocabulary, encode_pairs

# The models: widths of embedding, state, score and feed-forward layer; heads, layers
D, H, A, FF, HEADS, LAYERS, DROPOUT = 128, 192, 192, 256, 4, 2, 0.3


class Words(Vocabulary):
    """Words where a `Vocabulary` has characters: texts are lists of words."""

    def __init__(self, texts):
        self._number(sorted({word for text in texts for word in text}))


def recurrent(face, num_greek, num_english):
    """The encoder and the decoder of Bahdanau's model."""
    encoder = face.RecurrentEncoder(num_greek, D, H // 2)
    sizes = {"memory_dim": H, "attention_dim": A}
    return encoder, face.BahdanauDecoder(num_english, D, H, **sizes)


class Attending:
    """A small Transformer, called as `Recurrent` is; the weights of all its heads."""

    def __init__(self, num_greek, num_english):
        more = {"source_vocab_size": num_greek, "norm": "pre", "dropout": DROPOUT}
        super().__init__(num_english, LAYERS, D, HEADS, FF, **more)


def encode(verses):
    """All verses as one `Batch`, and how many tokens each language has."""
    greek, english = word_lists(verses)
    tables = Words(greek), Words(english)
    return encode_pairs(greek, english, *tables), tuple(map(len, tables))


def word_lists(verses):
    """Greek and English, lower case: two lists of lists."""
    return tuple(
        [[word.lower() for word in words] for words in column]
        for column in zip(*((x.greek, x.english) for x in verses), strict=True)
    )


# --- aligners without attention -------------------------------------------------------


def diagonal(verses):
    """Every word with the one at the same share of the sentence: lists of numbers."""
    sizes = [verse.links.shape for verse in verses]
    return [((np.arange(T) + 0.5) * S / T).astype(int) for S, T in sizes]


def ibm_model_1(pairs, rounds=6):
    """How often a Greek word becomes an English one: {(greek, english): 0 to 1}.

    pairs: (list of Greek words, list of English words). Each English word comes from
    one Greek word of its verse, and all orders are equally likely. Source: Brown et al.
    1993, "The mathematics of statistical machine translation", section 4.1; without
    the empty word. Every round of expectation maximization makes the pairs likelier.
    """
    chance = defaultdict(lambda: 1.0)
    for _ in range(rounds):
        counts, totals = Counter(), Counter()
        for greek, english in pairs:
            for word in english:
                total = sum(chance[one, word] for one in greek)
                for one in greek:
                    counts[one, word] += chance[one, word] / total
                    totals[one] += chance[one, word] / total
        chance = {pair: n / totals[pair[0]] for pair, n in counts.items()}
    return chance


def by_model_1(verses, rounds=6):
    """The likeliest Greek word of every English one, by `ibm_model_1`."""
    pairs = list(zip(*word_lists(verses), strict=True))
    chance = ibm_model_1(pairs, rounds)
    return [
        np.array([np.argmax([chance[one, word] for one in greek]) for word in english])
        for greek, english in pairs
    ]


# --- the judge ------------------------------------------------------------------------


def right_counts(verses, found):
    """Per verse: English words aligned as people did, and those that people linked.

    found: per verse, for every English word the number of a Greek word.
    """
    counts = []
    for verse, numbers in zip(verses, found, strict=True):
        right = verse.links[numbers, np.arange(len(numbers))]
        counts.append((int(right.sum()), int(verse.links.any(axis=0).sum())))
    return np.array(counts)


def chance_level(verses):
    """The share that is right if every Greek word is equally likely."""
    right = sum(verse.links.mean(axis=0).sum() for verse in verses)
    return float(right / sum(verse.links.any(axis=0).sum() for verse in verses))


def to_numbers(weights, late=0):
    """Per verse the Greek word of the largest weight for every English word, (..., T).

    late: 0 reads the step that writes the word, 1 the next, which is given it.
    """
    last = -1 + late
    return [np.argmax(w[..., late : last or None, :], axis=-1) for w in weights]


def read(model, loss, examples, size):
    """The weights of every verse, (..., T + 1, S), and the mean loss of a word.

    Row t has the weights while word t is written; the last row ends the verse. model:
    of arrays, without dropout. loss: of logits and words.
    """
    found, total, words = [], 0.0, 0
    for start in range(0, len(examples.source), size):
        rows = (array[start : start + size] for array in examples)
        source, mask, target_in, target_out = rows
        logits, weights = model(source, target_in, mask)
        lengths = (target_out != PAD).sum(axis=1)
        total += int(lengths.sum()) * loss(logits, target_out)
        words += int(lengths.sum())
        places = zip(weights, lengths, mask.sum(axis=1), strict=True)
        found += [w[..., :t, :s] for w, t, s in places]
    return found, total / words
