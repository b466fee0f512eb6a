"""``translate.py`` in Keras: it trains a Transformer; ``translate_keras.py "Der Hund sucht den Arzt."`` asks it."""

import sys

from attn_course.frameworks import keras, tf  # says what to install where it is missing
from attn_course.tasks.sentences import load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END, PAD
from attn_course.tf import Transformer, greedy_decode

WORDS = vocabulary()


def build():
    keras.utils.set_random_seed(0)
    return Transformer(len(WORDS), num_layers=1, model_dim=64, num_heads=4, ff_dim=128, norm="pre")


def train(model, steps=1500, batch=64):
    source, _, given, wanted = load_sentences("train").encode()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)
    rate = keras.optimizers.schedules.CosineDecay(0.0, max(1, steps - 100), warmup_target=0.01, warmup_steps=100)
    model.compile(keras.optimizers.Adam(rate, beta_2=0.98), loss)
    data = tf.data.Dataset.from_tensor_slices(((source, given), wanted))  # 0 is padding
    data = data.shuffle(len(source), seed=0).repeat().batch(batch)
    return model.fit(data, steps_per_epoch=steps, shuffle=False, verbose=0).history["loss"][-1]


def translate(model, german):
    source, _ = WORDS.encode([german])
    tokens = greedy_decode(model, tf.constant(source), begin=BEGIN, end=END, max_length=24)
    return WORDS.decode(tokens.numpy())[0]


def main(german=None, path="translator.keras", steps=1500):
    if german is not None:
        return translate(keras.models.load_model(path), german)
    loss = train(model := build(), steps)
    model.save(path)
    return loss


if __name__ == "__main__":
    said = main(*sys.argv[1:2])
    print(said if sys.argv[1:] else f"loss {said:.2f}")
