"""Attention mechanisms, specified in NumPy, implemented in PyTorch and TensorFlow.

Importing this package imports no framework. Take what you need from a public module:

    from attn_course.pytorch import AdditiveAttention
    from attn_course.tf import AdditiveAttention
    from attn_course.reference import additive_attention
"""

from importlib.metadata import version

__version__ = version("attn-course")
