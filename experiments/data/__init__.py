"""Makers of the data in ``attn_course.tasks``: ``python -m experiments.data.NAME``."""
