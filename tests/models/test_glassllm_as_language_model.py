"""The model that ships is a ``LanguageModel`` with its parts: a decoder that somebody else trained."""

import importlib

import numpy as np
from support import FACE, close, numbers, tensor

from attn_course.tasks import glassllm


@FACE
def test_a_trained_decoder_is_a_language_model_with_its_parts(face):
    lab, serve = (
        importlib.import_module(f"attn_course.course.labs.{name}.{face.__name__.rsplit('.', 1)[1]}")
        for name in ("generate", "serve")
    )
    text = glassllm.load_tokenizer().encode("Alice was beginning to")
    tokens = tensor(face, np.asarray(text)[None])
    expected = lab.load_glassllm()(tokens)
    close(serve.load_model()(tokens)[0], numbers(expected), 1e-4)
    assert numbers(serve.load_model("float64")(tokens)[0]).dtype == np.float64
    assert np.abs(numbers(expected)).max() > 1
