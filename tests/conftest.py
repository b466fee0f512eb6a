"""Torch before TensorFlow (the other order can crash), one thread each, and shared helpers."""

import warnings

from attn_course.frameworks import torch  # isort: skip

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # what the libraries warn about while they are imported is not ours
    from attn_course.frameworks import keras, tf  # noqa: F401

torch.set_num_threads(1)
