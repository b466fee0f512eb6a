"""Makes ``older.npz`` and ``older.keras``: what layers of an older state of this package were, for ``test_older.py``.

Not a test, and not run by them. To repeat it, check out commit be22793 of this repository elsewhere, and run this file
with that checkout's ``src`` on the path: ``PYTHONPATH=that/src python make_older_goldens.py``.
"""

from pathlib import Path

import keras
import numpy as np
import torch

from attn_course import pytorch, tf
from attn_course.parity import get_parameters

D, H, B, T = 12, 4, 2, 7
LATENT = {"latent_dim": 5, "rope_dim": 2, "key_dim": 3, "value_dim": 3}
LAYERS = {
    "MultiHeadAttention": ((D, H), {"key_dim": 5, "value_dim": 2, "dropout": 0.1}),
    "GroupedQueryAttention": ((D, H), {"num_kv_heads": 2, "use_bias": False}),
    "RelativeAttention": ((D, H), {"max_distance": 2}),
    "SlidingWindowAttention": ((D, H), {"window": 3}),
    "LatentAttention": ((D, H), LATENT),
    "EncoderLayer": ((D, H, 11), {"norm": "pre"}),
}


def build(face, name):
    """A layer from a seed, with the dtype that it has by itself."""
    sizes, options = LAYERS[name]
    torch.manual_seed(3)
    keras.utils.set_random_seed(3)
    return getattr(face, name)(*sizes, **options)


def inputs():
    return np.random.default_rng(5).normal(size=(B, T, D)).astype("float32")


def main():
    here, found = Path(__file__).parent, {}
    for name in LAYERS:
        for face in (pytorch, tf):
            layer = build(face, name)
            if face is pytorch:
                layer.eval()
                output = layer(torch.from_numpy(inputs()))[0].detach().numpy()
                found |= {f"{name}/state/{key}": x.numpy() for key, x in layer.state_dict().items()}
            else:
                output = layer(inputs())[0].numpy()
            short = face.__name__.split(".")[-1]
            found[f"{name}/{short}/output"] = output
            found |= {f"{name}/{short}/parity/{key}": x for key, x in get_parameters(layer).items()}
    np.savez_compressed(here / "older.npz", **found)
    entry = keras.Input((None, D))
    outputs = [keras.tree.flatten(build(tf, name)(entry))[0] for name in LAYERS]
    model = keras.Model(entry, outputs)
    model.save(here / "older.keras")
    for path in (here / "older.npz", here / "older.keras"):
        print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
