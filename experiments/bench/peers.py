"""Rows beside other packages: ``pip install "attn-course[bench]"``.

A package that is missing is named at the end; its row is not measured.
"""

from experiments.bench import Row
from experiments.bench.cases import BLOCK, WIDTH, given, lsh, on_heads
from experiments.bench.mechanisms import HEADS, RANK, WINDOW

FAVOR = "performer_attention"
WINDOWED, LINEAR = "sliding_window_attention", "linear_attention"


def _beside(ours, theirs, n):
    from experiments.bench.pytorch import program

    return program(ours, n), program(theirs, n)


def _window(n):
    """local-attention sees as many to either side, and itself."""
    from local_attention import LocalAttention

    sizes = {"window_size": WINDOW - 1, "exact_windowsize": True, "autopad": True}
    layer = LocalAttention(**sizes, use_rotary_pos_emb=False, causal=False)

    theirs = given(lambda *x: layer(*(each[0] for each in x))[None], HEADS)
    return _beside(on_heads(WINDOWED, HEADS, window=WINDOW), theirs, n)


def _flex(n):
    """FlexAttention, compiled: it needs a compiler of C++."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    from attn_course.core.frameworks import torch

    place = torch.get_default_device().type

    def near(batch, head, i, j):
        return (i - j).abs() < WINDOW

    blocks = create_block_mask(near, None, None, n, n, device=place)
    compiled = torch.compile(flex_attention)

    theirs = given(lambda *x: compiled(*x, block_mask=blocks), HEADS)
    return _beside(on_heads(WINDOWED, HEADS, window=WINDOW), theirs, n)


def _performer(n):
    """performer-pytorch with as many random features."""
    from performer_pytorch import FastAttention

    theirs = given(FastAttention(WIDTH, nb_features=256), HEADS)
    return _beside(on_heads(FAVOR, HEADS, num_features=256), theirs, n)


def _linear(n):
    """The three products of performer-pytorch, on features that are there."""
    from performer_pytorch.performer_pytorch import linear_attention

    from attn_course.core.frameworks import torch

    elu = torch.nn.functional.elu
    theirs = given(lambda q, k, v: linear_attention(elu(q) + 1, elu(k) + 1, v), HEADS)
    return _beside(on_heads(LINEAR, HEADS), theirs, n)


def _linformer(n):
    """The whole layer of linformer, projections included, and ours."""
    from linformer import LinformerSelfAttention

    model = HEADS * WIDTH

    def theirs(face, draw, n):
        sizes = {"k": RANK, "heads": HEADS, "dim_head": WIDTH, "share_kv": True}
        return LinformerSelfAttention(model, n, **sizes), [draw(1, n, model)]

    def ours(face, draw, n):
        layer = face.LinformerAttention(model, HEADS, length=n, rank=RANK)
        return lambda x: layer(x, need_weights=False)[0], [draw(1, n, model)]

    return _beside(ours, theirs, n)


def _reformer(n):
    """reformer-pytorch with as many rounds, and buckets of the same size."""
    from reformer_pytorch.reformer_pytorch import LSHAttention

    def theirs(face, draw, n):
        layer = LSHAttention(bucket_size=BLOCK // 2, n_hashes=4, causal=False)
        inputs = [draw(HEADS, n, WIDTH) for _ in range(2)]
        return lambda *x: layer(*x)[0][None], inputs

    return _beside(lsh(HEADS), theirs, n)


def _big_bird(n):
    """transformers' on heads that are there; not in training, where it draws anew."""
    from transformers import BigBirdConfig
    from transformers.models.big_bird import modeling_big_bird

    from attn_course.core.frameworks import torch

    sizes = {"hidden_size": HEADS * WIDTH, "num_attention_heads": HEADS}
    sizes |= {"block_size": BLOCK, "num_random_blocks": 3, "max_position_embeddings": n}
    config = BigBirdConfig(**sizes)
    layer = modeling_big_bird.BigBirdBlockSparseAttention(config, seed=0).eval()
    layer.query = layer.key = layer.value = torch.nn.Identity()
    masks = modeling_big_bird.BigBirdModel.create_masks_for_block_sparse_attn
    blocked, band, rows, columns = masks(torch.ones(1, n), BLOCK)

    def theirs(face, draw, n):
        inputs = [draw(1, n, HEADS * WIDTH)]
        return lambda x: layer(x, band, rows, columns, blocked, blocked)[0], inputs

    ours = on_heads("big_bird_attention", HEADS, block_size=BLOCK, num_random=3, seed=0)
    return _beside(ours, theirs, n)


def _row(mechanism, peer, make, goal, n, same=False):
    name = f"{mechanism.replace('_', ' ')}, PyTorch, {{n}} positions, beside {peer}"
    needs = "" if peer == "FlexAttention" else peer.replace("-", "_")
    return Row(name, peer, make, goal, n, same, mechanism, needs)


ROWS = [
    _row(WINDOWED, "local-attention", _window, 1 / 3, 16384, same=True),
    _row(WINDOWED, "FlexAttention", _flex, 1 / 1.3, 16384),  # a minute to compile
    _row(FAVOR, "performer-pytorch", _performer, 1 / 1.3, 4096),
    _row(LINEAR, "performer-pytorch", _linear, 1 / 0.85, 8192, same=True),
    _row("linformer_attention", "linformer", _linformer, None, 4096),
    _row("big_bird_attention", "transformers", _big_bird, 1 / 3, 4096),
    _row("lsh_attention", "reformer-pytorch", _reformer, 1 / 1.5, 4096),
]
