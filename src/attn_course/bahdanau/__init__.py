"""Recurrent translation without and with attention (Bahdanau, Cho & Bengio 2015).

Two parts, one face each for NumPy, PyTorch and TensorFlow:

``encoder_decoder``: the encoder, and the decoder that sees one fixed vector.
    RecurrentEncoder(vocab_size, embedding_dim, hidden_dim)
        (tokens (B, S), mask (B, S)) -> memory (B, S, 2H), last state (B, 2H)
    FixedContextDecoder(vocab_size, embedding_dim, hidden_dim, *, memory_dim)
    EncoderDecoder(encoder, decoder)
        the two together, with teacher forcing and greedy decoding
``additive``: the decoder that looks back at every position.
    additive_attention(query, memory, parameters, mask=None, *, prepared=None)
    AdditiveAttention(query_dim, memory_dim, hidden_dim)
        (query (B, T, D), memory (B, S, E), mask)
        -> context (B, T, E), weights (B, T, S)
    BahdanauDecoder(vocab_size, embedding_dim, hidden_dim, *, memory_dim, attention_dim)

    score[i, j]  = v_a . tanh(W_a s[i-1] + U_a h[j])
    weight[i, :] = softmax(score[i, :])
    context[i]   = sum over j of weight[i, j] h[j]
    s[i]         = GRU(s[i-1], [embedding of y[i-1]; context[i]])

Parameters (same keys and (in, out) layouts everywhere, see ``attn_course.parity``):
    attention: ``query_weight`` W_a (D, A), ``memory_weight`` U_a (E, A),
        ``score_weight`` v_a (A)
    recurrent parts: ``input_weight`` (in, 3H), ``state_weight`` (H, 3H),
        ``input_bias``, ``state_bias`` (3H), in the order reset, update, candidate

Source: arXiv:1409.0473, section 3 and appendix A. What differs from the paper:
    - the recurrent cell is the libraries' GRU, which applies the reset gate after the
      matrix product of the state, has two biases a gate, and calls update gate what
      the paper calls 1 - z;
    - the output layer sees the current state s[i], as equation 4 says; its size and
      the initial values are ours;
    - the first state is made from the right reader's state at the first word, as in
      appendix A.2.2, with a bias.
"""
