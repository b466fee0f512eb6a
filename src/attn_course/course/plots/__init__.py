"""Figures of the chapters: still ones in ``theme``, ones to drag in ``explore``."""
