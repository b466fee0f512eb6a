"""An LSTM that attends to its past (chapter 5); see ``attn_course.self_attention``."""
