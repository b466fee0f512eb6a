"""Recurrent translation with one fixed vector (Cho et al. 2014), and its parts.

RecurrentEncoder(vocab_size, embedding_dim, hidden_dim)
    (tokens (B, S), mask (B, S)) -> memory (B, S, 2H), last state (B, 2H)
FixedContextDecoder(vocab_size, embedding_dim, hidden_dim, *, memory_dim)
    every step sees the same context: the encoder's last state
EncoderDecoder(encoder, decoder)
    the two together, with teacher forcing and greedy decoding
RecurrentDecoder
    what every recurrent decoder is made of; those with attention stand in
    ``attn_course.bahdanau`` and ``attn_course.luong``

    state[i]  = GRU(state[i-1], [embedding of y[i-1]; context])
    logits[i] = output layer(maxout([state[i]; embedding of y[i-1]; context]))

Parameters (same keys and (in, out) layouts everywhere, see ``attn_course.parity``):
    of a GRU: ``input_weight`` (in, 3H), ``state_weight`` (H, 3H), ``input_bias``,
    ``state_bias`` (3H), in the order reset, update, candidate;
    encoder: ``embedding``, ``forward_gru``, ``backward_gru``;
    decoder: ``embedding``, ``cell``, ``bridge``, ``readout``, ``output_layer``.

Source: arXiv:1406.1078, section 2.2, with the bidirectional encoder of Bahdanau et al.
2015 (arXiv:1409.0473), section 3.2. The baseline that attention is measured against is
therefore given every advantage but attention. What differs from the papers:
    - the recurrent cell is the libraries' GRU, which applies the reset gate after the
      matrix product of the state, has two biases per gate, and calls update gate what
      the papers call 1 - z;
    - the output layer sees the current state, as equation 4 of 2015 says; its size and
      the initial values are ours.
"""
