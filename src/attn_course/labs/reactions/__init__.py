"""A pretrained encoder: the ALBERT of RXNMapper, in our own layers."""
