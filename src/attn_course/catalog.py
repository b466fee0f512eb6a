"""The mechanisms of the course, one row each, for tests, tables and pages."""

from typing import NamedTuple


class Mechanism(NamedTuple):
    """One row; ``time`` and ``memory`` are for n queries over n keys of width d.

    h heads, m features, k the rank, c the chunk.
    """

    name: str
    topic: str
    paper: str
    chapter: str
    layer: str | None
    time: str
    memory: str


CATALOG = (
    Mechanism(
        name="scaled_dot_product_attention",
        topic="dot_product",
        paper="Vaswani et al. 2017, section 3.2.1",
        chapter="00_ten_minutes",
        layer=None,
        time="O(n^2 d)",
        memory="O(n^2)",
    ),
    Mechanism(
        name="fixed_context_decoder",
        topic="recurrent",
        paper="Cho et al. 2014, section 2.2",
        chapter="01_bottleneck",
        layer="FixedContextDecoder",
        time="O(n d^2)",
        memory="O(d)",
    ),
    Mechanism(
        name="additive_attention",
        topic="bahdanau",
        paper="Bahdanau, Cho & Bengio 2015, section 3.1 and appendix A.1.2",
        chapter="02_bahdanau",
        layer="AdditiveAttention",
        time="O(n^2 d)",
        memory="O(n^2 d)",
    ),
    Mechanism(
        name="luong_attention",
        topic="luong",
        paper="Luong, Pham & Manning 2015, section 3.1",
        chapter="03_luong",
        layer="LuongAttention",
        time="O(n^2 d)",
        memory="O(n^2)",
    ),
    Mechanism(
        name="local_attention",
        topic="luong",
        paper="Luong, Pham & Manning 2015, section 3.2",
        chapter="03_luong",
        layer="LocalAttention",
        time="O(n^2 d)",
        memory="O(n^2)",
    ),
    Mechanism(
        name="self_attention",
        topic="self_attention",
        paper="Vaswani et al. 2017, section 3.2",
        chapter="05_self_attention",
        layer="SelfAttention",
        time="O(n^2 d)",
        memory="O(n^2)",
    ),
    Mechanism(
        name="multi_head_attention",
        topic="multi_head",
        paper="Vaswani et al. 2017, section 3.2.2",
        chapter="06_multi_head",
        layer="MultiHeadAttention",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
    ),
    Mechanism(
        name="relative_attention",
        topic="relative",
        paper="Shaw, Uszkoreit & Vaswani 2018, section 3",
        chapter="07_positional_encoding",
        layer="RelativeAttention",
        time="O(n^2 d)",
        memory="O(n^2 d)",
    ),
    Mechanism(
        name="linear_attention",
        topic="linear",
        paper="Katharopoulos et al. 2020, section 3",
        chapter="11_linearized",
        layer="LinearAttention",
        time="O(n d^2)",
        memory="O(n d)",
    ),
    Mechanism(
        name="delta_rule_attention",
        topic="delta_rule",
        paper="Schlag et al. 2021, section 4.2; Yang et al. 2024",
        chapter="11_linearized",
        layer="DeltaRuleAttention",
        time="O(n d^2)",
        memory="O(n d)",
    ),
    Mechanism(
        name="performer_attention",
        topic="random_features",
        paper="Choromanski et al. 2021, section 2",
        chapter="11_linearized",
        layer="PerformerAttention",
        time="O(n m d)",
        memory="O(n m)",
    ),
    Mechanism(
        name="random_feature_attention",
        topic="random_features",
        paper="Peng et al. 2021, section 3",
        chapter="11_linearized",
        layer="RandomFeatureAttention",
        time="O(n m d)",
        memory="O(n m)",
    ),
    Mechanism(
        name="linformer_attention",
        topic="low_rank",
        paper="Wang et al. 2020, section 4",
        chapter="12_low_rank_and_hashing",
        layer="LinformerAttention",
        time="O(n k d)",
        memory="O(n k)",
    ),
    Mechanism(
        name="lsh_attention",
        topic="hashing",
        paper="Kitaev, Kaiser & Levskaya 2020, section 2",
        chapter="12_low_rank_and_hashing",
        layer="LSHAttention",
        time="O(n log n + n c d)",
        memory="O(n c)",
    ),
    Mechanism(
        name="grouped_query_attention",
        topic="grouped_query",
        paper="Ainslie et al. 2023, section 2.2; Shazeer 2019, section 3",
        chapter="13_mqa_gqa",
        layer="GroupedQueryAttention",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
    ),
    Mechanism(
        name="latent_attention",
        topic="latent",
        paper="DeepSeek-AI 2024 (DeepSeek-V2), section 2.1",
        chapter="13_mqa_gqa",
        layer="LatentAttention",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
    ),
)
