"""Attention from the state after the step (Luong, Pham & Manning 2015).

luong_score(query, memory, parameters, *, score, keys=None)
local_window(center, size, *, half_width, gaussian)
LuongAttention(query_dim, memory_dim, *, score="dot", hidden_dim=None, max_length=None)
    global attention
LocalAttention(query_dim, memory_dim, *, half_width, score="general",
               alignment="predictive", hidden_dim=None, max_length=None)
    a window around one position; both are called with
    (query (B, T, D), memory (B, S, E), mask (B, S) or (B, T, S))
    -> context (B, T, E), weights (B, T, S)
LuongDecoder(vocab_size, embedding_dim, hidden_dim, *, memory_dim, attention,
             input_feeding=True)
    the decoder around either, which attends after every step

    score[t, s]    = h_t . m_s                                (dot)
                     h_t W_a m_s                              (general)
                     v_a . tanh(W_a [h_t; m_s])               (concat)
                     (W_a h_t)[s]                             (location)
    weight[t, :]   = softmax(score[t, :]), times a Gaussian in predictive local
                     attention
    context[t]     = sum over s of weight[t, s] m_s
    attentional[t] = tanh(W_c [context[t]; h_t])
    h_t            = GRU(h_(t-1), [embedding of y_(t-1); attentional[t-1]]), the
                     second part with input feeding only

Parameters (see ``attn_course.parity``):
    general: ``weight`` (D, E). concat: ``query_weight`` (D, A), ``memory_weight``
    (E, A), the two halves of W_a, and ``score_weight`` (A).
    location: ``location_weight`` (D, max_length). dot: none.
    predictive: ``position_weight`` (D, A), ``position_score_weight`` (A).
    decoder: ``embedding``, ``cell``, ``bridge``, ``attention``, ``combine``,
    ``output_layer``.

Source: arXiv:1508.04025, section 3. What differs from the paper:
    - one layer of the libraries' GRU, where the paper has four layers of LSTM;
    - the first state comes from the encoder's last through a linear map and tanh;
    - positions count from 0, and the output layer has a bias;
    - in monotonic local attention the window follows the output's position, p_t = t.
"""
