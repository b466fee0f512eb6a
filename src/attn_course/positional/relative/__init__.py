"""Attention with learned vectors for distances; see ``attn_course.positional``."""
