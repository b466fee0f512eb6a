"""Luong's attention: from the state after the step (Luong, Pham & Manning 2015).

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

from attn_course.core.declaration import MEMORY, WRITER, Layer, Mechanism, Timed

SCORES = ("dot", "general", "concat", "location")

MECHANISMS = (
    Mechanism(
        name="luong_attention",
        layer="LuongAttention",
        paper="Luong, Pham & Manning 2015, section 3.1",
        chapter="03_luong",
        time="O(n^2 d)",
        memory="O(n^2)",
        form=MEMORY,
        sizes={
            "query_dim": 13,
            "memory_dim": 26,
            "score": "general",
            "hidden_dim": 17,
            "max_length": 11,
        },
        options={"score": SCORES},
        wrong=(
            ({"score": "concat", "hidden_dim": None}, "hidden_dim"),
            ({"score": "location", "max_length": None}, "max_length"),
            ({"score": "dot"}, "memory_dim"),
        ),
        timed=Timed("memory", 4096, {"score": "general"}),
    ),
    Mechanism(
        name="local_attention",
        layer="LocalAttention",
        paper="Luong, Pham & Manning 2015, section 3.2",
        chapter="03_luong",
        time="O(n^2 d)",
        memory="O(n^2)",
        path="O(1) in the window",
        form=MEMORY,
        sizes={
            "query_dim": 13,
            "memory_dim": 26,
            "half_width": 2,
            "score": "concat",  # bounded: no weight in the window falls to nothing
            "hidden_dim": 17,
            "alignment": "monotonic",
        },
        options={"score": SCORES, "alignment": ("monotonic", "predictive")},
        timed=Timed("memory", 4096, {"half_width": 10, "hidden_dim": "width"}),
    ),
)
LAYERS = (
    Layer(
        name="luong_decoder",
        layer="LuongDecoder",
        form=WRITER,
        sizes={
            "vocab_size": 11,
            "embedding_dim": 2,
            "hidden_dim": 13,
            "memory_dim": 26,
        },
        cell=True,
        fixed="T",
    ),
)
