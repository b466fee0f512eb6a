"""Self-attention: queries, keys and values from the same sequence.

``layer``: one head.
    SelfAttention(model_dim, *, key_dim, value_dim, project=False)
        (x (B, T, D), mask (T, T), (B, 1, T) or (B, T, T))
        -> output (B, T, V), or (B, T, D) if projected, weights (B, T, T)
``feature_map``: the same over the pixels of an image or of a feature map.
    image_to_tokens(image, *, data_format=None), tokens_to_image(tokens, height, width,
                    *, data_format=None)
    FeatureMapAttention(channels, *, key_dim, value_dim, residual=True,
                        data_format=None)
        (image (B, height, width, channels) or (B, channels, height, width), mask)
        -> the same shape, weights (B, T, T) with T = height * width
``intra``: the historical step, an LSTM that attends to its own past states.
    IntraAttentionLSTM(input_dim, hidden_dim, *, attention_dim)
        (x (B, T, D), mask (B, T)) -> states (B, T, H), weights (B, T, T)

    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    output            = softmax(query @ key^T / sqrt(K)) @ value   [@ output_weight]

``data_format`` is "channels_first" or "channels_last"; None is the framework's own,
the first in PyTorch and the last in TensorFlow and NumPy.

Parameters (see ``attn_course.parity``):
    SelfAttention: ``query_weight`` (D, K), ``key_weight`` (D, K), ``value_weight``
    (D, V), and ``output_weight`` (V, D) if projected.
    FeatureMapAttention: the same, projected; ``gate`` () if residual.
    IntraAttentionLSTM: ``query_weight`` (D, A), ``memory_weight`` (H, A),
    ``summary_weight`` (H, A), ``score_weight`` (A), ``input_weight`` (D, 4H),
    ``state_weight`` (H, 4H), ``bias`` (4H); the four parts are input, forget, output
    gate and candidate.

Sources: Vaswani et al. 2017 (arXiv:1706.03762), section 3.2; Zhang et al. 2019
(arXiv:1805.08318), section 3; Cheng, Dong & Lapata 2016 (arXiv:1601.06733),
section 3.1.
"""

from attn_course.core.declaration import BASE, FLAG, Form, Layer, Mechanism, Timed

MECHANISMS = (
    Mechanism(
        name="self_attention",
        layer="SelfAttention",
        paper="Vaswani et al. 2017, section 3.2",
        chapter="05_self_attention",
        time="O(n^2 d)",
        memory="O(n^2)",
        orders=BASE,
        form=Form({"x": "BTD"}, "B1T", blocked=("x",)),
        sizes={"model_dim": 13, "key_dim": 19, "value_dim": 23},
        options={"project": FLAG},
        timed=Timed("itself", 4096, {"key_dim": "width", "value_dim": "width"}),
    ),
)
LAYERS = (
    Layer(
        name="feature_map_attention",
        layer="FeatureMapAttention",
        form=Form({"image": "BYXC"}, "B1P", widths={"C": "channels"}),
        sizes={
            "channels": 13,
            "key_dim": 19,
            "value_dim": 23,
            "data_format": "channels_last",
        },
        options={
            "residual": FLAG,
            "data_format": (None, "channels_first", "channels_last"),
        },
    ),
    Layer(
        name="intra_attention_lstm",
        layer="IntraAttentionLSTM",
        form=Form({"x": "BTD"}, "BT", blocked=("x",), widths={"D": "input_dim"}),
        sizes={"input_dim": 13, "hidden_dim": 17, "attention_dim": 19},
        fixed="T",
    ),
)
