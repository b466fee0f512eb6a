"""Data of experiments alone."""
