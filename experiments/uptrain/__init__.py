"""Merging heads of keys and values, and training on."""
