"""A vector for every position; see ``attn_course.positional``."""
