"""How well predicted strings match their targets, in all and by source length."""

from itertools import pairwise


def exact_match(predicted, targets):
    """The share of `predicted` strings that equal their target in every character.

    From 0.0 to 1.0. Raises ValueError when the two lists differ in length or are empty:
    no share would mean anything.
    """
    if len(predicted) != len(targets) or not targets:
        raise ValueError(
            f"predicted: expected {len(targets)} strings and at least one, "
            f"got {len(predicted)}"
        )
    return sum(a == b for a, b in zip(predicted, targets, strict=True)) / len(targets)


def by_length(predicted, examples, edges):
    """Exact match in buckets of source length.

    Returns rows ``(shortest, longest, count, exact)``, both lengths included.
    `examples` has ``sources`` and ``targets`` (`Dates`, `Reversal`). `edges` are k + 1
    rising whole numbers; bucket i holds ``edges[i] <= length < edges[i + 1]``. An empty
    bucket has count 0, and exact is None. Raises ValueError for edges that do not rise,
    for a wrong number of predictions, and for a source that is in no bucket: the table
    must not look better because a row dropped out silently.
    """
    if len(edges) < 2 or any(a >= b for a, b in pairwise(edges)):
        raise ValueError(f"edges: expected at least two rising numbers, got {edges}")
    if len(predicted) != len(examples.targets):
        raise ValueError(
            f"predicted: expected {len(examples.targets)} strings, got {len(predicted)}"
        )
    lengths = [len(source) for source in examples.sources]
    if lengths and not (edges[0] <= min(lengths) and max(lengths) < edges[-1]):
        raise ValueError(
            f"edges: expected all of {min(lengths)} to {max(lengths)} inside, "
            f"got {edges}"
        )
    rows = []
    for low, high in pairwise(edges):
        inside = [i for i, length in enumerate(lengths) if low <= length < high]
        exact = None
        if inside:
            targets = [examples.targets[i] for i in inside]
            exact = exact_match([predicted[i] for i in inside], targets)
        rows.append((low, high - 1, len(inside), exact))
    return rows
