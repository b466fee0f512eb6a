"""Self-attention over an image (chapter 5); see ``attn_course.self_attention``."""
