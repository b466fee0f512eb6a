"""Luong's global and local attention (chapter 3); see ``attn_course.luong``."""
