"""The language model that ships, and others like it, in both frameworks.

``generate.pytorch`` and ``generate.tf`` build it of the package's ``LanguageModel``
(``attn_course.tasks.glassllm``): pre-norm layers with RMS norms and SwiGLU, grouped
queries with rotary positions, and the embedding as output matrix.

python -m attn_course.course.labs.generate --framework torch --prompt "Alice was"
"""

from attn_course.tasks import glassllm

KIND = {"norm": "pre", "normalization": "rms", "activation": "swiglu"}
KIND |= {"positions": None, "embedding_scale": 1.0}
SIZES = "vocab_size", "model_dim", "num_heads", "ff_dim", "num_layers"


def weights():
    """The parameters of the model that ships, named as a ``LanguageModel`` has them."""
    stored = glassllm.load_weights()
    return {name.replace("encoder.", "stack."): stored[name] for name in stored}
