"""What is compared with what. A new mechanism adds a row a framework."""

import numpy as np

from attn_course.bench import Row


def _draw(*shapes):
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape).astype(np.float32) for shape in shapes]


def _dot_product_torch(positions):
    from attn_course.frameworks import torch
    from attn_course.pytorch import scaled_dot_product_attention

    inputs = [torch.from_numpy(x) for x in _draw(*[(1, 8, positions, 64)] * 3)]
    fused = torch.nn.functional.scaled_dot_product_attention

    @torch.no_grad()
    def ours():
        return scaled_dot_product_attention(*inputs, need_weights=False)[0]

    @torch.no_grad()
    def peer():
        return fused(*inputs)

    return ours, peer


def _dot_product_tf(positions):
    from attn_course.frameworks import keras, tf
    from attn_course.tf import scaled_dot_product_attention

    arrays = _draw(*[(1, 8, positions, 64)] * 3)
    inputs = [tf.constant(x) for x in arrays]
    # Keras has the heads after the positions.
    swapped = [tf.constant(x.swapaxes(1, 2)) for x in arrays]

    @tf.function
    def attend(*inputs):
        return scaled_dot_product_attention(*inputs, need_weights=False)[0]

    theirs = tf.function(keras.ops.nn.dot_product_attention)
    return lambda: attend(*inputs).numpy(), lambda: theirs(*swapped).numpy()


ROWS = [
    *(
        Row(
            f"scaled dot-product, PyTorch, {positions} positions",
            "F.scaled_dot_product_attention",
            lambda positions=positions: _dot_product_torch(positions),
            1.05,
        )
        for positions in (512, 2048)
    ),
    *(
        Row(
            f"scaled dot-product, TensorFlow, {positions} positions",
            "keras.ops.nn.dot_product_attention",
            lambda positions=positions: _dot_product_tf(positions),
            1.05,
        )
        for positions in (512, 2048)
    ),
]
