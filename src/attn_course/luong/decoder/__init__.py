"""The decoder that looks after the step (chapter 3); see ``attn_course.luong``."""
