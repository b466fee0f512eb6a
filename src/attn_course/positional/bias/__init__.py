"""A number for every pair of positions, added to the score; see
``attn_course.positional``."""
