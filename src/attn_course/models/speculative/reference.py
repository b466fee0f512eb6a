"""The rule of acceptance and a draft without a model: NumPy for both frameworks."""

from attn_course.models.speculative.shared import accept_drafts, ngram_draft

__all__ = ["accept_drafts", "ngram_draft"]
