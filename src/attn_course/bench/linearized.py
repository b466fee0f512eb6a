"""Linear attention and its kin against full attention, and against themselves.

A slope is measured as a ratio too: time at 4 n positions through time at n, which is
4 ** slope; a goal of 4 ** 1.2 = 5.28 is a slope of at most 1.2.
"""

import numpy as np

from attn_course.bench import Row

HEADS, WIDTH, RANK, BUCKET = 8, 64, 256, 64


def _draw(positions, heads=HEADS):
    rng = np.random.default_rng(0)
    shape = (1, heads, positions, WIDTH)
    return [rng.normal(size=shape).astype(np.float32) for _ in range(3)]


def _attend(face, name, inputs):
    """One mechanism on these inputs, as a function of no arguments."""
    query, key, value = inputs
    positions = query.shape[2]
    if name == "linear":
        return lambda: face.linear_attention(query, key, value)[0]
    if name == "linear, causal":
        return lambda: face.linear_attention(query, key, value, causal=True)[0]
    if name == "FAVOR+":
        return lambda: face.performer_attention(query, key, value)[0]
    if name == "LSH":
        sizes = {"num_buckets": 2 * positions // BUCKET, "chunk_size": BUCKET}
        return lambda: face.lsh_attention(query, value, num_rounds=4, **sizes)[0]
    rng = np.random.default_rng(1)
    drawn = rng.normal(size=(RANK, positions)).astype(np.float32) / positions**0.5
    like = {"key_projection": face.projection_of(drawn), "need_weights": False}
    return lambda: face.linformer_attention(query, key, value, **like)[0]


class _Torch:
    """PyTorch's functions, on tensors, without gradients."""

    def __init__(self):
        from attn_course import pytorch
        from attn_course.frameworks import torch

        self.torch, self.functions = torch, pytorch

    def __getattr__(self, name):
        return getattr(self.functions, name)

    def projection_of(self, array):
        return self.torch.from_numpy(array)

    def program(self, name, positions, heads=HEADS):
        inputs = [self.torch.from_numpy(x) for x in _draw(positions, heads)]
        return self.torch.no_grad()(_attend(self, name, inputs))

    def full(self, positions, causal):
        inputs = [self.torch.from_numpy(x) for x in _draw(positions)]
        fused = self.torch.nn.functional.scaled_dot_product_attention
        return self.torch.no_grad()(lambda: fused(*inputs, is_causal=causal))

    def running_sum(self, positions, heads):
        """Causal linear attention as the sum of all outer products so far."""
        inputs = _draw(positions, heads)
        query, key, value = (self.torch.from_numpy(x) for x in inputs)
        elu = self.torch.nn.functional.elu

        def run():
            asked, held = elu(query) + 1, elu(key) + 1
            outer = self.torch.einsum("bhtf,bhtv->bhtfv", held, value)
            sums = self.torch.einsum("bhtf,bhtfv->bhtv", asked, outer.cumsum(dim=2))
            total = (asked * held.cumsum(dim=2)).sum(dim=-1, keepdim=True)
            return sums / (total + 1e-6)

        return self.torch.no_grad()(run)


class _TensorFlow:
    """TensorFlow's functions, each as one graph."""

    def __init__(self):
        from attn_course import tf as functions
        from attn_course.frameworks import tf

        self.tf, self.functions = tf, functions

    def __getattr__(self, name):
        return getattr(self.functions, name)

    def projection_of(self, array):
        return self.tf.constant(array)

    def program(self, name, positions):
        inputs = [self.tf.constant(x) for x in _draw(positions)]
        graph = self.tf.function(lambda *x: _attend(self, name, x)())
        return lambda: graph(*inputs).numpy()


FACES = {"PyTorch": _Torch, "TensorFlow": _TensorFlow}


def _against_full(name, positions):
    face = _Torch()
    causal = name.endswith("causal")
    return face.program(name, positions), face.full(positions, causal)


def _growth(framework, name, positions):
    face = FACES[framework]()
    return face.program(name, 4 * positions), face.program(name, positions)


def _against_sum(positions):
    face, heads = _Torch(), 2  # the sums take 64 x 64 numbers a position and head
    ours = face.program("linear, causal", positions, heads)
    return ours, face.running_sum(positions, heads)


def _against_torch(name, positions):
    return _TensorFlow().program(name, positions), _Torch().program(name, positions)


FULL = "F.scaled_dot_product_attention"
SLOPES = {"linear, causal": 1.2, "linear": 1.3, "FAVOR+": 1.15, "Linformer": 1.1}
SLOPES |= {"LSH": 1.25}
ROWS = [
    *(
        Row(
            f"{name}, PyTorch, {positions} positions, against full attention",
            FULL,
            lambda name=name, positions=positions: _against_full(name, positions),
            goal,
            same=False,
        )
        for name, positions, goal in (
            ("linear, causal", 8192, 1 / 6),
            ("linear", 8192, 1 / 15),
            ("FAVOR+", 4096, 1 / 2.5),
            ("Linformer", 4096, 1 / 5),
            ("LSH", 8192, None),
        )
    ),
    Row(
        "linear, causal, PyTorch, 4096 positions, against the sum of outer products",
        "cumulative sum",
        lambda: _against_sum(4096),
        1 / 40,
    ),
    *(
        Row(
            f"{name}, {framework}, 16384 through 4096 positions",
            "itself, a quarter as long",
            lambda framework=framework, name=name: _growth(framework, name, 4096),
            4**slope,
            same=False,
        )
        for name, slope in SLOPES.items()
        for framework in FACES
    ),
    *(
        Row(
            f"{name}, TensorFlow against PyTorch, 4096 positions",
            "the same in PyTorch",
            lambda name=name: _against_torch(name, 4096),
            None,
        )
        for name in SLOPES
    ),
]
