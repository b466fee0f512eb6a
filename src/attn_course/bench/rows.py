"""What is compared with what. A new mechanism adds a row a framework."""

import numpy as np

from attn_course.bench import Row, decode, flash, linearized, sparse


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


def _small_torch(kind):
    """16 words, 4 heads, width 16: what Python costs around the formula."""
    from attn_course.frameworks import torch
    from attn_course.pytorch import MultiHeadAttention, scaled_dot_product_attention

    query, key, value = (torch.from_numpy(x) for x in _draw(*[(1, 4, 16, 16)] * 3))
    (x,) = (torch.from_numpy(x) for x in _draw((1, 16, 16)))
    mask = torch.arange(16) < 11
    mask = mask.expand(16, 16).contiguous()
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
        "fused": (
            lambda: ours(need_weights=False),
            lambda: fused(query, key, value),
        ),
        "fused with a mask": (
            lambda: ours(mask, need_weights=False),
            lambda: fused(query, key, value, mask),
        ),
        "multi-head": (
            lambda: own(x, need_weights=False)[0],
            lambda: theirs(x, x, x, need_weights=False)[0],
        ),
    }
    return tuple(torch.no_grad()(program) for program in pairs[kind])


WIDTH, HEADS, RATE = 256, 8, 2e-5


def _multi_head_torch(batch, positions):
    """A step of training each; they return the weight that it reaches last."""
    from attn_course.frameworks import torch
    from attn_course.pytorch import MultiHeadAttention

    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    own = MultiHeadAttention.from_torch(theirs)
    x, target = map(torch.from_numpy, _draw(*[(batch, positions, WIDTH)] * 2))

    def step_of(layer, attend):
        optimizer = torch.optim.SGD(layer.parameters(), RATE)

        def step():
            optimizer.zero_grad()
            torch.nn.functional.mse_loss(attend(), target, reduction="sum").backward()
            optimizer.step()

        return step

    train = step_of(own, lambda: own(x, need_weights=False)[0])
    train_theirs = step_of(theirs, lambda: theirs(x, x, x, need_weights=False)[0])

    def ours():
        train()
        return own.value.weight.detach().T

    def peer():
        train_theirs()
        return theirs.in_proj_weight.detach()[2 * WIDTH :].T

    return ours, peer


def _multi_head_tf(batch, positions):
    from attn_course.frameworks import keras, tf
    from attn_course.tf import MultiHeadAttention

    keras.utils.set_random_seed(0)
    x, target = map(tf.constant, _draw(*[(batch, positions, WIDTH)] * 2))
    theirs = keras.layers.MultiHeadAttention(HEADS, WIDTH // HEADS)
    theirs(x, x)
    own = MultiHeadAttention.from_keras(theirs)

    def step_of(layer, attend, weight):
        @tf.function
        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((attend() - target) ** 2)
            variables = [variable.value for variable in layer.trainable_variables]
            gradients = tape.gradient(loss, variables)
            for variable, gradient in zip(variables, gradients, strict=True):
                variable.assign_sub(RATE * gradient)

        def run():
            step()
            return tf.reshape(weight, (WIDTH, WIDTH)).numpy()

        return run

    def attend():
        return own(x, need_weights=False)[0]

    def attend_theirs():
        return theirs(x, x)

    ours = step_of(own, attend, own.value_dense.kernel)
    return ours, step_of(theirs, attend_theirs, theirs.value_dense.kernel)


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
    *(
        Row(
            f"multi-head training step, PyTorch, {batch} x {positions} positions",
            "nn.MultiheadAttention",
            lambda batch=batch, positions=positions: _multi_head_torch(
                batch, positions
            ),
            1.0,
        )
        for batch, positions in ((4, 128), (2, 512))
    ),
    *(
        Row(
            f"multi-head training step, TensorFlow, {batch} x {positions} positions",
            "keras.layers.MultiHeadAttention",
            lambda batch=batch, positions=positions: _multi_head_tf(batch, positions),
            1.0,
        )
        for batch, positions in ((4, 128), (2, 512))
    ),
    *(
        Row(
            f"small call, PyTorch, {kind}",
            peer,
            lambda kind=kind: _small_torch(kind),
            goal,
        )
        for kind, peer, goal in (
            ("with weights", "the textbook's three lines", 1.8),
            ("fused", "F.scaled_dot_product_attention", 1.6),
            ("fused with a mask", "F.scaled_dot_product_attention", 1.8),
            ("multi-head", "nn.MultiheadAttention", 1.8),
        )
    ),
    *linearized.ROWS,
    *decode.ROWS,
    *sparse.ROWS,
    *flash.ROWS,
]
