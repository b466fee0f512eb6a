"""Query and key turn with their positions; see ``attn_course.positional``."""
