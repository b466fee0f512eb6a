"""What is built of the mechanisms: networks, encoder, decoder, Transformer."""
