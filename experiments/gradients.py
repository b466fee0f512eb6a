"""The last layer's gradient before training, against the depth, norm before or after.

python -m experiments.gradients --seeds 0 1 2
"""

from itertools import product

from attn_course import pytorch, tf as in_tf
from attn_course.core.frameworks import keras, tf, torch
from attn_course.course.labs.norms import DEPTHS
from experiments import run_plan


def torch_size(norm, depth, seed):
    """The size of the last layer's gradient, at the start, for random labels.

    The paper's setting: all matrices as wide as the model; the loss is a cross-entropy
    after one more linear map; the gradient is that of the network's second matrix.
    """
    torch.manual_seed(seed)
    width = 64
    encoder = pytorch.Encoder(depth, width, 1, width, norm=norm)
    logits = torch.nn.Linear(width, width, bias=False)
    torch.nn.init.xavier_normal_(logits.weight)
    x, labels = torch.randn(16, 8, width), torch.randint(width, (16 * 8,))
    output, _ = encoder(x, need_weights=False)
    loss = torch.nn.functional.cross_entropy(logits(output).flatten(0, 1), labels)
    matrix = encoder.layers[-1].feed_forward.outer.weight
    return torch.autograd.grad(loss, matrix)[0].norm().item()


def tf_size(norm, depth, seed):
    """The same in TensorFlow."""
    keras.utils.set_random_seed(seed)
    width = 64
    encoder = in_tf.Encoder(depth, width, 1, width, norm=norm)
    start = keras.initializers.GlorotNormal()
    logits = keras.layers.Dense(width, use_bias=False, kernel_initializer=start)
    x = tf.random.normal([16, 8, width])
    labels = tf.random.uniform([16, 8], maxval=width, dtype="int32")
    matrix = encoder.layers[-1].feed_forward.outer.kernel
    with tf.GradientTape() as tape:
        output, _ = encoder(x, need_weights=False)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits(output))
        loss = tf.reduce_mean(loss)
    return float(tf.norm(tape.gradient(loss, matrix.value)))


def measure(framework, norm, depth, seed):
    """One random start: a row with the gradient's size."""
    size = {"pytorch": torch_size, "tf": tf_size}[framework](norm, depth, seed)
    row = {"framework": framework, "norm": norm, "depth": depth, "seed": seed}
    return [row | {"size": size}]


if __name__ == "__main__":
    plan = list(product(["pytorch"], ("post", "pre"), DEPTHS))
    beside = [("tf", *each) for _, *each in plan]
    run_plan("gradients", plan, measure, beside)
