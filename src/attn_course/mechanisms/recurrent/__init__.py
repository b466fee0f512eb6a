"""Encoder and decoder: translation with one fixed vector (Cho et al. 2014).

RecurrentEncoder(vocab_size, embedding_dim, hidden_dim)
    (tokens (B, S), mask (B, S)) -> memory (B, S, 2H), last state (B, 2H)
FixedContextDecoder(vocab_size, embedding_dim, hidden_dim, *, memory_dim)
    every step sees the same context: the encoder's last state
EncoderDecoder(encoder, decoder, *, pad=0)
    the two together, with teacher forcing and greedy decoding; nobody looks where the
    source holds the token pad, None: there is none. Its ``encode``, ``decode`` and
    ``new_cache`` are what ``attn_course.models.decoding`` asks for, beams among them
RecurrentDecoder
    what every recurrent decoder is made of; those with attention stand in
    ``attn_course.mechanisms.bahdanau`` and ``attn_course.mechanisms.luong``

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

from attn_course.core.declaration import BASE, WRITER, Form, Layer, Mechanism, Timed

SIZES = {"vocab_size": 11, "embedding_dim": 2, "hidden_dim": 13}

MECHANISMS = (
    Mechanism(
        name="fixed_context_decoder",
        layer="FixedContextDecoder",
        paper="Cho et al. 2014, section 2.2",
        chapter="01_bottleneck",
        family="no attention",
        time="O(n d^2)",
        memory="O(d)",
        steps="O(n)",
        path="O(n)",
        orders=BASE,
        form=WRITER,
        sizes=SIZES | {"memory_dim": 26},
        cell=True,
        fixed="T",
        timed=Timed("own", 1024, counted=(64, 256)),
    ),
)
LAYERS = (
    Layer(
        name="recurrent_encoder",
        layer="RecurrentEncoder",
        form=Form({"tokens": "BS"}, "BS"),
        sizes=SIZES,
        cell=True,
    ),
    Layer(
        name="encoder_decoder",
        layer="EncoderDecoder",
        form=Form({"source": "BS", "target_in": "BT"}, "BS"),
        cell=True,
        fixed="T",
    ),
)
