"""One head of self-attention (chapter 5); see ``attn_course.self_attention``."""
