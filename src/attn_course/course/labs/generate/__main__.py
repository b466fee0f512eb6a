"""Writes a text, token by token, as it comes.

With ``--train 400`` a new model of the same size, but of bytes and with one head of key
and value, first learns 400 steps on Python's help texts; else the model that ships
writes.
"""

import argparse
import importlib
import os
import time

import numpy as np

from attn_course.files import ending_in_one_line
from attn_course.tasks.glassllm import load_tokenizer


class Bytes:
    """Every byte of a text is a token."""

    def encode(self, text):
        return np.frombuffer(text.encode(), np.uint8).astype(np.int64)

    def decode(self, tokens):
        return bytes(tokens).decode("latin1")


def arguments(given=None):
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m attn_course.course.labs.generate")
    parser.add_argument("--framework", choices=("torch", "tf"), default="torch")
    parser.add_argument("--prompt", default="Alice was beginning to")
    parser.add_argument("--length", type=int, default=100, help="tokens to write")
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--window", type=int, help="keep so many positions only")
    parser.add_argument("--sinks", type=int, default=0, help="and so many of the first")
    parser.add_argument("--train", type=int, metavar="STEPS", help="a new model")
    return parser.parse_args(given)


def trained(lab, framework, steps, seed):
    """A model of bytes with one head of key and value, after some steps."""
    from attn_course.course.labs.uptrain import RATE, SMALL, batches
    from attn_course.tasks.topics import load_topics

    loop = importlib.import_module(f"attn_course.course.training.{framework}")
    if framework == "pytorch":
        from attn_course.core.frameworks import torch

        torch.manual_seed(seed)
    else:
        from attn_course.core.frameworks import keras

        keras.utils.set_random_seed(seed)
    model = lab.build(**SMALL | {"num_kv_heads": 1})
    data = batches(load_topics("train"), seed=seed)
    loop.train(model, data, lab.loss, steps=steps, rate=RATE, clip=1.0)
    return model


def main(given=None):
    """Write the text and, in the end, how many tokens a second it took."""
    chosen = arguments(given)
    framework = {"torch": "pytorch", "tf": "tf"}[chosen.framework]
    lab = importlib.import_module(f"attn_course.course.labs.generate.{framework}")
    face = importlib.import_module(f"attn_course.{framework}")
    if chosen.train:
        tokenizer = Bytes()
        model = trained(lab, framework, chosen.train, chosen.seed)
    else:
        tokenizer, model = load_tokenizer(), lab.load_glassllm()
    prompt = tokenizer.encode(chosen.prompt)
    tensor = lab.torch.from_numpy if framework == "pytorch" else lab.tf.constant
    options = {"window": chosen.window, "sinks": chosen.sinks}
    cache = model.new_cache(1, len(prompt) + chosen.length, **options)
    print(chosen.prompt, end="", flush=True)
    begin = time.perf_counter()  # of the wall: what its reader waited
    rest = {"temperature": chosen.temperature, "seed": chosen.seed, "cache": cache}
    rest |= {"max_tokens": chosen.length}
    for token in face.generate(model, tensor(prompt)[None], **rest):
        print(tokenizer.decode([int(token[0])]), end="", flush=True)
    seconds = time.perf_counter() - begin
    print(f"\n\n{chosen.length / seconds:.0f} tokens per second")


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with ending_in_one_line("nothing was to be kept"):
        main()
