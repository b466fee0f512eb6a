"""Norm before or after, trained with and without warm-up."""
