"""The model that ships is a ``LanguageModel`` with its parts: a decoder that somebody else trained."""

import importlib

import numpy as np
from support import FACE, close, numbers, tensor

from attn_course.parity import set_parameters
from attn_course.tasks import glassllm


@FACE
def test_a_trained_decoder_is_a_language_model_with_its_parts(face):
    lab = importlib.import_module(f"attn_course.course.labs.generate.{face.__name__.rsplit('.', 1)[1]}")
    sizes = glassllm.SIZES
    D, H, G = sizes["model_dim"], sizes["num_heads"], sizes["num_kv_heads"]

    def attention(_):
        rotary = face.RotaryEncoding(D // H, layout="interleaved")
        return face.GroupedQueryAttention(D, H, num_kv_heads=G, use_bias=False, rotary=rotary)

    kind = {"norm": "pre", "normalization": "rms", "activation": "swiglu"}
    kind |= {"attention": attention, "positions": None, "embedding_scale": 1}
    model = face.LanguageModel(sizes["symbols"], sizes["num_layers"], D, H, sizes["ff_dim"], **kind)
    weights = {name.replace("encoder.", "stack."): x for name, x in glassllm.load_weights().items()}
    set_parameters(model, weights)
    text = glassllm.load_tokenizer().encode("Alice was beginning to")
    tokens = tensor(face, np.asarray(text)[None])
    expected = lab.load_glassllm()(tokens)
    close(model(tokens)[0], numbers(expected), 1e-4)
    assert np.abs(numbers(expected)).max() > 1
