"""Makes ``glassllm.npz``: what the NumPy code of glassllm 0.1.0 says with its own weights.

Not a test, and not run by them: the package is not installed where the tests run. To repeat it, in an environment of
its own: ``pip install numpy glassllm==0.1.0``, then run this file.
"""

from pathlib import Path

import numpy as np
from glassllm import load_pretrained, no_grad

TEXTS = (
    "Alice was beginning to get very tired",
    "“Who are YOU?” said the Caterpillar.\n\nThis was not an encouraging opening—",
    "Fury said to a mouse,   naïve £5 {ù} Æ’s _x_",
)


def main():
    model, tokenizer = load_pretrained("en")
    goldens = {f"tokens/{text}": np.array(tokenizer.encode(text)) for text in TEXTS}
    tokens = np.array(tokenizer.encode(TEXTS[1]))
    with no_grad():
        goldens["logits"] = model(tokens).data[0].astype(np.float32)
    written = {"greedy": {"greedy": True}, "drawn": {"temperature": 0.7, "seed": 3}}
    for name, options in written.items():
        steps = model.generate(tokenizer.encode(TEXTS[0]), 40, **options)
        goldens[name] = np.array([step.token for step in steps])
    path = Path(__file__).with_name("glassllm.npz")
    np.savez_compressed(path, **goldens)
    print(f"{path.name}: {path.stat().st_size} bytes; {tokenizer.decode(goldens['drawn'])!r}")


if __name__ == "__main__":
    main()
