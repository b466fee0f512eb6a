"""Dense attention and multi-head attention beside the libraries' own."""

from functools import partial

from experiments.bench import Row, side
from experiments.bench.cases import on_heads

HEADS, WIDTH = 8, 256
# Parts of a layer: its argument, the class, and what the class is built from.
PARTS = {
    "norm": ("query_key_norm", "QueryKeyNorm", (WIDTH // HEADS,)),
    "gate": ("output_gate", "OutputGate", (WIDTH, HEADS)),
    "sink": ("softmax", "SinkSoftmax", (HEADS,)),
    "cap": ("softmax", "CappedSoftmax", (50.0,)),
}
OURS = on_heads("scaled_dot_product_attention", HEADS, need_weights=False)


def _dot_product_torch(positions):
    from experiments.bench.pytorch import fused, program

    return program(OURS, positions), fused(positions, HEADS)


def _dot_product_tf(positions):
    from attn_course.core.frameworks import keras, tf
    from experiments.bench.tf import program

    def theirs(face, draw, n):
        # Keras has the heads after the positions.
        inputs = [draw(1, HEADS, n, 64) for _ in range(3)]
        swapped = [tf.transpose(x, (0, 2, 1, 3)) for x in inputs]
        return keras.ops.nn.dot_product_attention, swapped

    return program(OURS, positions), program(theirs, positions)


def _small_torch(kind, n):
    """16 words, 4 heads, width 16: what Python costs around the formula."""
    from attn_course.core.frameworks import torch
    from attn_course.pytorch import MultiHeadAttention, scaled_dot_product_attention
    from experiments.bench.pytorch import arrived, drawer

    draw = drawer()
    query, key, value = (draw(1, 4, n, 16) for _ in range(3))
    x = draw(1, n, 16)
    mask = (torch.arange(n) < 11).expand(n, n).contiguous()
    theirs = torch.nn.MultiheadAttention(16, 4, batch_first=True)
    own = MultiHeadAttention.from_torch(theirs)
    fused = torch.nn.functional.scaled_dot_product_attention

    def textbook():
        score = query @ key.mT / 4.0
        weights = torch.softmax(score, dim=-1)
        return weights @ value

    def ours(*mask, **options):
        return scaled_dot_product_attention(query, key, value, *mask, **options)[0]

    pairs = {
        "with weights": (ours, textbook),
        "fused": (lambda: ours(need_weights=False), lambda: fused(query, key, value)),
        "fused with a mask": (
            lambda: ours(mask, need_weights=False),
            lambda: fused(query, key, value, mask),
        ),
        "multi-head": (
            lambda: own(x, need_weights=False)[0],
            lambda: theirs(x, x, x, need_weights=False)[0],
        ),
    }
    return tuple(arrived(torch.no_grad()(program)) for program in pairs[kind])


def _multi_head_torch(batch, positions):
    """A step of training each; they return the weight that it reaches last."""
    from attn_course.core.frameworks import torch
    from attn_course.pytorch import MultiHeadAttention
    from experiments.bench.pytorch import drawer, training_step

    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    own = MultiHeadAttention.from_torch(theirs)
    draw = drawer()
    x, target = (draw(batch, positions, WIDTH) for _ in range(2))

    def attend():
        return own(x, need_weights=False)[0]

    def attend_theirs():
        return theirs(x, x, x, need_weights=False)[0]

    def reached():
        return own.value.weight.detach().T

    def reached_theirs():
        return theirs.in_proj_weight.detach()[2 * WIDTH :].T

    ours = training_step(own, attend, target, reached)
    return ours, training_step(theirs, attend_theirs, target, reached_theirs)


def _multi_head_tf(batch, positions):
    from attn_course.core.frameworks import keras, tf
    from attn_course.tf import MultiHeadAttention
    from experiments.bench.tf import drawer, training_step

    keras.utils.set_random_seed(0)
    draw = drawer()
    x, target = (draw(batch, positions, WIDTH) for _ in range(2))
    theirs = keras.layers.MultiHeadAttention(HEADS, WIDTH // HEADS)
    theirs(x, x)
    own = MultiHeadAttention.from_keras(theirs)

    def step_of(layer, attend, weight):
        return training_step(
            layer, attend, target, lambda: tf.reshape(weight, (WIDTH, WIDTH))
        )

    def attend():
        return own(x, need_weights=False)[0]

    def attend_theirs():
        return theirs(x, x)

    ours = step_of(own, attend, own.value_dense.kernel)
    return ours, step_of(theirs, attend_theirs, theirs.value_dense.kernel)


def _with_part(framework, part, batch, positions):
    """A step of training with a part, and of the same layer without it."""
    own = side(framework)
    draw = own.drawer()
    x, target = (draw(batch, positions, WIDTH) for _ in range(2))

    def step_of(**parts):
        own.seed()
        layer = own.FACE.MultiHeadAttention(WIDTH, HEADS, **parts)

        def attend():
            return layer(x, causal=True, need_weights=False)[0]

        return own.training_step(layer, attend, target)

    argument, kind, sizes = PARTS[part]
    return step_of(**{argument: getattr(own.FACE, kind)(*sizes)}), step_of()


DOT, WHOLE = "scaled_dot_product_attention", "multi_head_attention"
STEP = "multi-head training step, {framework}, {batch} x {{n}} positions"
LIBRARY = {
    "PyTorch": (_multi_head_torch, "nn.MultiheadAttention"),
    "TensorFlow": (_multi_head_tf, "keras.layers.MultiHeadAttention"),
}
DENSE = {
    "PyTorch": (_dot_product_torch, "F.scaled_dot_product_attention"),
    "TensorFlow": (_dot_product_tf, "keras.ops.nn.dot_product_attention"),
}
PRICED = {"norm": 1.15, "gate": 1.15, "sink": None, "cap": None}
SMALL = (
    ("with weights", "the textbook's three lines", 1.8),
    ("fused", "F.scaled_dot_product_attention", 1.6),
    ("fused with a mask", "F.scaled_dot_product_attention", 1.8),
    ("multi-head", "nn.MultiheadAttention", 1.8),
)
ROWS = [
    *(
        Row(
            f"scaled dot-product, {framework}, {{n}} positions",
            *(peer, make, 1.05, positions),
            mechanism=DOT,
        )
        for framework, (make, peer) in DENSE.items()
        for positions in (512, 2048)
    ),
    *(
        Row(
            STEP.format(framework=framework, batch=batch),
            *(peer, partial(make, batch), 1.0, positions),
            mechanism=WHOLE,
        )
        for framework, (make, peer) in LIBRARY.items()
        for batch, positions in ((4, 128), (2, 512))
    ),
    *(
        Row(
            f"training step with {part}, {framework}, {batch} x {{n}} positions",
            "the layer without it",
            partial(_with_part, framework, part, batch),
            *(goal, positions, False),
        )
        for framework in LIBRARY
        for part, goal in PRICED.items()
        for batch, positions in ((4, 128), (2, 512))
    ),
    *(
        Row(f"small call, PyTorch, {kind}", peer, partial(_small_torch, kind), goal)
        for kind, peer, goal in SMALL
    ),
]
