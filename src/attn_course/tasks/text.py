"""What all text-to-text tasks share: characters as tokens, pairs, endless batches.

NumPy only, so one stream of batches feeds PyTorch and TensorFlow alike, and both see
the same rows in the same order.

Shapes: B rows, S source positions, T target positions, n examples of a whole set.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

PAD, BEGIN, END, UNKNOWN = range(4)
NUM_SPECIAL = 4
# Sources are padded to a multiple of this: fewer widths, fewer traces when compiled.
WIDTH_STEP = 8
# What `decode` shows for a special token that stands where a character should be.
NOT_A_CHARACTER = "\N{REPLACEMENT CHARACTER}"


class Batch(NamedTuple):
    """Encoded pairs, right-padded with ``PAD``: a whole set, or `batches` of it.

    source: (B, S) int32; source_mask: (B, S) bool, True = a real character;
    target_in: (B, T) int32, what the decoder is fed: ``BEGIN`` and the characters;
    target_out: (B, T) int32, what it must predict: the characters and ``END``.
    The loss must skip the positions where ``target_out == PAD``. PyTorch's
    cross-entropy wants int64 targets.
    """

    source: np.ndarray
    source_mask: np.ndarray
    target_in: np.ndarray
    target_out: np.ndarray


@dataclass(frozen=True)
class Parallel:
    """Parallel lists of n strings: the sources, the targets, and what a task adds."""

    sources: list
    targets: list

    def __len__(self):
        return len(self.sources)

    def take(self, rows):
        """The same at the indices `rows`, in that order."""
        columns = (getattr(self, field.name) for field in fields(self))
        return type(self)(*([column[i] for i in rows] for column in columns))


class Vocabulary:
    """Characters and their tokens.

    ``PAD`` is 0, ``BEGIN`` 1, ``END`` 2, ``UNKNOWN`` 3; then come the characters.
    `characters` is any iterable of single characters; repeats count once, and the order
    is that of their code points, so that the same set gives the same numbers
    everywhere. ``len(vocabulary)`` is N, the rows of an embedding. Raises ValueError
    when an item is not one character.
    """

    def __init__(self, characters):
        self._number(sorted(set(characters)))
        wrong = [character for character in self.characters if len(character) != 1]
        if wrong:
            raise ValueError(
                f"characters: expected single characters, got {wrong[0]!r}"
            )

    def _number(self, pieces):
        """Give tokens to these pieces of texts, in this order."""
        self.characters = tuple(pieces)
        numbered = enumerate(self.characters, NUM_SPECIAL)
        self._tokens = {piece: token for token, piece in numbered}

    def __len__(self):
        return NUM_SPECIAL + len(self.characters)

    def encode(self, texts, *, begin=False, end=False):
        """Texts as ``(tokens (B, S) int32, lengths (B,) int32)``.

        Shorter ones are right-padded with ``PAD`` to the longest. `begin` and `end` add
        their token, which counts in the length. An unseen character is ``UNKNOWN``.
        Raises ValueError when `texts` is a single string: it would be read as one text
        a character.
        """
        if isinstance(texts, str):
            raise ValueError(
                f"texts: expected a list of strings, got the string {texts!r}"
            )
        rows = [[BEGIN] * begin + self._tokens_of(text) + [END] * end for text in texts]
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        tokens = np.full((len(rows), lengths.max(initial=0)), PAD, dtype=np.int32)
        for row, values in zip(tokens, rows, strict=True):
            row[: len(values)] = values
        return tokens, lengths

    def _tokens_of(self, text):
        return [self._tokens.get(character, UNKNOWN) for character in text]

    def decode(self, tokens):
        """Tokens (B, S) as a list of B strings, each cut before its first ``END``.

        A leading ``BEGIN`` and the padding on the right are left out. Any other special
        token shows as U+FFFD: a model that emits one in the middle of a word must not
        pass for right. Raises ValueError for tokens that are not integers of rank 2 in
        ``[0, len(vocabulary))``.
        """
        tokens = np.asarray(tokens)
        if tokens.ndim != 2 or not np.issubdtype(tokens.dtype, np.integer):
            raise ValueError(
                "tokens: expected integers (B, S), "
                f"got {tokens.dtype} of shape {tokens.shape}"
            )
        if tokens.size and (tokens.min() < 0 or tokens.max() >= len(self)):
            raise ValueError(
                f"tokens: expected 0 to {len(self) - 1}, "
                f"got {tokens.min()} to {tokens.max()}"
            )
        return [self._decode_row(row.tolist()) for row in tokens]

    def _decode_row(self, row):
        return "".join(self._shown(row))

    def _shown(self, row):
        """What a row of tokens says, in pieces, up to its end."""
        if END in row:
            row = row[: row.index(END)]
        while row and row[-1] == PAD:
            row.pop()
        if row and row[0] == BEGIN:
            row = row[1:]
        shown = (NOT_A_CHARACTER,) * NUM_SPECIAL + self.characters
        return [shown[token] for token in row]


def encode_pairs(sources, targets, source_vocabulary, target_vocabulary):
    """Two lists of n strings as one `Batch` of n rows.

    Raises ValueError when their lengths differ.
    """
    if len(sources) != len(targets):
        raise ValueError(
            f"targets: expected one for each of the {len(sources)} sources, "
            f"got {len(targets)}"
        )
    source, lengths = source_vocabulary.encode(sources)
    return Batch(
        source=source,
        source_mask=np.arange(source.shape[1]) < lengths[:, None],
        target_in=target_vocabulary.encode(targets, begin=True)[0],
        target_out=target_vocabulary.encode(targets, end=True)[0],
    )


def batches(examples, batch_size, seed):
    """An endless iterator of `Batch`es of exactly `batch_size` rows.

    `examples` is a `Batch` of n rows. Each epoch shuffles the rows, sorts them by
    source length in steps of 8, cuts them into batches and shuffles these. So a batch
    holds sources of similar length, and padding costs little. The rows that fill no
    batch (``n % batch_size``) sit out one epoch, other ones each time. The source is as
    wide as its longest row, rounded up to a multiple of 8; the target likewise, but
    never wider than in `examples`. The same `seed` gives the same batches. Raises
    ValueError when `examples` has fewer than `batch_size` rows.
    """
    count = len(examples.source)
    if not 1 <= batch_size <= count:
        raise ValueError(
            f"batch_size: expected 1 to {count}, the number of examples, "
            f"got {batch_size}"
        )
    # A generator of its own, so that the check above fails now, not at the first batch.
    return _endless(examples, batch_size, np.random.default_rng(seed))


def _endless(examples, batch_size, generator):
    count = len(examples.source)
    group = _round_up(examples.source_mask.sum(axis=1))
    while True:
        # Dropped before the sorting: after it, these would always be the longest rows.
        order = generator.permutation(count)[: count - count % batch_size]
        order = order[np.argsort(group[order], kind="stable")]
        for rows in generator.permutation(order.reshape(-1, batch_size)):
            yield _trim(Batch(*(part[rows] for part in examples)))


def _trim(batch):
    S = int(_round_up(batch.source_mask.sum(axis=1).max()))
    T = int(_round_up((batch.target_out != PAD).sum(axis=1).max()))
    grow = ((0, 0), (0, max(0, S - batch.source.shape[1])))
    return Batch(
        source=np.pad(batch.source, grow, constant_values=PAD)[:, :S],
        source_mask=np.pad(batch.source_mask, grow, constant_values=False)[:, :S],
        target_in=batch.target_in[:, :T],
        target_out=batch.target_out[:, :T],
    )


def _round_up(length):
    return -(-length // WIDTH_STEP) * WIDTH_STEP
