"""One declaration a mechanism: what tables, tests, benchmarks and pages are made from.

In the topic's ``__init__.py``, next to its prose:

    MECHANISMS = (Mechanism(name="sliding_window_attention", ...),)

and, for public layers that are no row of the catalog, ``LAYERS = (Layer(...),)``.
``attn_course.catalog`` collects both; the contract's case, the wrong arguments, the
benchmark's case, the row of costs, the API page and the public modules are derived. It
holds data alone: names of functions, not functions, so that a topic can be read without
a framework. Never derived: prose, signatures, docstrings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

BASE = "Vaswani et al. 2017, Table 1"
OWN = "the formula"  # no paper's table has it

WIDTHS = {
    "D": "model_dim",
    "H": "num_heads",
    "K": "key_dim",
    "V": "value_dim",
    "E": "memory_dim",
    "F": "memory_dim",
    "N": "vocab_size",
}


@dataclass(frozen=True)
class Form:
    """How something is called: the axes of every input, by letters, and of the mask.

    An input of the axes B, T and S alone holds tokens. widths: which size a letter
    stands for. blocked: the inputs whose positions the mask hides. alone: each input
    for itself, no size or dtype of one is another's. empty: no position at all is a
    right call.
    """

    inputs: Mapping[str, str]
    mask: str = ""
    blocked: tuple[str, ...] = ()
    widths: Mapping[str, str] = field(default_factory=lambda: WIDTHS)
    alone: bool = False
    empty: bool = False


BESIDE_KEYS = ("key", "value")
HEADS = Form(
    {"query": "BHTK", "key": "BHSK", "value": "BHSV"}, "B11S", blocked=BESIDE_KEYS
)
LAYER = Form(
    {"query": "BTD", "key": "BSE", "value": "BSF"}, "B11S", blocked=BESIDE_KEYS
)
ITSELF = Form({"x": "BTD"}, "B11T", blocked=("x",))
MEMORY = Form(
    {"query": "BTD", "memory": "BSE"},
    "BS",
    blocked=("memory",),
    widths=WIDTHS | {"D": "query_dim"},
)
WRITER = Form(
    {"targets": "BT", "memory": "BSE", "initial_state": "BH"},
    "BS",
    blocked=("memory",),
    widths=WIDTHS | {"H": "hidden_dim"},
)
ENCODING = Form({"x": "BTD"}, empty=True)
PAIR = Form({"query": "BHTK", "key": "BHSK"}, alone=True, empty=True)
SCORE = Form({"score": "BHTS"}, "B11S", empty=True)
CONTEXT = Form({"context": "BHTV", "x": "BTD"}, empty=True)

# Kinds of options beside sizes; a tuple of words is a choice among them.
FLAG = "flag"  # a bool
SHARE = "share"  # from 0, below 1
NONE = "none"  # refused, unless it is 0
POSITIVE = "positive"


@dataclass(frozen=True)
class Timed:
    """A benchmark's case: the function on heads, the layer on words, or its own.

    on: "heads", the function; "words", "memory", "itself", the layer on one or two
    sequences; "form", on inputs as declared; "own", as the benchmark says. longest: the
    longest length that is measured. options: of the function or the layer; a string
    names what the benchmark was asked for ("window", "heads", "rank"). counted: two
    lengths at which operations are counted. causal: compared with causal attention.
    """

    on: str
    longest: int
    options: Mapping[str, Any] = field(default_factory=dict)
    counted: tuple[int, ...] = (4096, 16384)
    causal: bool = False


@dataclass(frozen=True, kw_only=True)
class Layer:
    """How a public layer, or a function, is built and called, and what it promises.

    name: of its specification, or of the function where layer, the class, is None.
    sizes: what the layer is built from in the contract; the specification gets those
    that it has arguments for. One that takes heads gets a layer's parameters by the
    argument's name: an argument ``key_projection`` the parameter of that name.
    reference: its name there, if it is another. pattern: the mask builder that it
    equals. weights: whether it returns any. sums: what a row of them adds up to: "one",
    "less" where a share is nobody's, or "any". padding: whether the mask can hide keys
    alone, from all queries alike.

    jumps: whether weights that are rounded can change the result as a whole: a vector
    falls into another bucket.

    natural: the sizes that may be 0. options: what may be given besides, and its kind.
    wrong: options that must be refused, and who must be named. refuses: options of a
    call that layers of its form take and this one does not.

    Every layer runs under ``torch.compile`` and XLA and is exported to ONNX, which has
    no inverses or decompositions of matrices: write these as steps of products. What
    compilers can't do: cell, one of the libraries' recurrent cells, which no
    compiler of PyTorch takes whole; fixed, letters of the axes that stay as they are in
    a graph.
    """

    name: str
    layer: str | None = None
    form: Form = LAYER
    sizes: Mapping[str, Any] = field(default_factory=dict)
    reference: str = ""
    pattern: str = ""
    weights: bool = True
    sums: str = "one"
    padding: bool = False
    jumps: bool = False
    natural: tuple[str, ...] = ()
    options: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    wrong: tuple[tuple[Mapping[str, Any], str], ...] = ()
    refuses: tuple[str, ...] = ()
    cell: bool = False
    fixed: str = ""


@dataclass(frozen=True, kw_only=True)
class Mechanism(Layer):
    """A layer with a row in the catalog. ``time`` and ``memory`` are for n queries over
    n keys of width d.

    h heads, m features, k the rank, c the chunk or block, w the window, r its dilation
    or random blocks, g the global tokens. steps: what must be computed one after the
    other; path: the layers until any two positions have met. orders: where time, steps
    and path are printed, or ``OWN`` where they follow from the formula alone. family:
    with what it is shown. timed: None, where there is nothing to measure.
    """

    paper: str
    chapter: str
    time: str
    memory: str
    steps: str = "O(1)"
    path: str = "O(1)"
    orders: str = OWN
    family: str = "all pairs"
    timed: Timed | None = None


class Row(NamedTuple):
    """A row of the catalog: what a ``Mechanism`` declares of itself, and its topic."""

    name: str
    topic: str
    paper: str
    chapter: str
    layer: str | None
    time: str
    memory: str
    steps: str = "O(1)"
    path: str = "O(1)"
    orders: str = OWN
    family: str = "all pairs"


# Sizes are different primes, so that no two of them can be mixed up.
HEAD_SIZES = {"model_dim": 13, "num_heads": 2, "key_dim": 17, "value_dim": 19}
HEAD_SIZES |= {"memory_dim": (26, 23)}
NARROW_SIZES = HEAD_SIZES | {"key_dim": 3, "value_dim": 5}
# What a layer of heads takes; dropout only where weights are formed.
HEAD_OPTIONS = {"use_bias": FLAG, "dropout": SHARE}
UNDROPPED = {"use_bias": FLAG, "dropout": NONE}
UNEVEN = ({"num_heads": 4, "key_dim": None}, "model_dim")
