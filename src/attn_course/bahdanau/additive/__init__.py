"""Additive attention and the decoder that uses it (chapter 2).

The contract stands in ``attn_course.bahdanau``.
"""
