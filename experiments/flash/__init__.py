"""What attention holds at most, in both frameworks."""
