"""The learned look-up in TensorFlow."""

from attn_course.dot_product.tf import scaled_dot_product_attention
from attn_course.experiments.look_up import BATCH, RATE, grouped, start
from attn_course.frameworks import keras, tf
from attn_course.tasks.look_up import look_ups
from attn_course.training import progress


def look(parameters, names, values, asked, *, scale):
    """The logits (B, values) of what is kept under the name that is asked for."""
    query = tf.gather(parameters["query"], asked)[:, None]
    key = tf.gather(parameters["key"], names)
    value = tf.gather(parameters["value"], values)
    found, _ = scaled_dot_product_attention(query, key, value, scale=scale)
    return found[:, 0] @ parameters["output"]


def train(scale, *, width, steps, seed=0, every=50):
    """Share of right answers while it learns, one number for every ``every`` steps."""
    drawn = start(width, seed)
    parameters = {k: keras.Variable(x, name=k) for k, x in drawn.items()}
    variables = list(parameters.values())
    optimizer = keras.optimizers.Adam(RATE, epsilon=1e-8)  # PyTorch's epsilon
    optimizer.build(variables)

    @tf.function
    def train_step(*question, answer):
        with tf.GradientTape() as tape:
            # Dense: Adam moves every vector at every step, as in PyTorch.
            values = {k: tf.convert_to_tensor(x) for k, x in parameters.items()}
            logits = look(values, *question, scale=scale)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(answer, logits)
            loss = tf.reduce_mean(each)
        gradients = map(tf.convert_to_tensor, tape.gradient(loss, variables))
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        guess = tf.argmax(logits, axis=-1)
        return tf.reduce_mean(tf.cast(guess == answer, tf.float32))

    right = []
    for _, batch in zip(progress(steps, "TensorFlow"), look_ups(BATCH), strict=False):
        *question, answer = map(tf.constant, batch)
        right.append(float(train_step(*question, answer=answer)))
    return grouped(right, every)
