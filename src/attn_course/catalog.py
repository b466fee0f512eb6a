"""The mechanisms of the course, one row each, for tests, tables and pages."""

from typing import NamedTuple

BASE = "Vaswani et al. 2017, Table 1"
OWN = "the formula"  # no paper's table has it


class Mechanism(NamedTuple):
    """One row; ``time`` and ``memory`` are for n queries over n keys of width d.

    h heads, m features, k the rank, c the chunk or block, w the window, r its dilation
    or random blocks, g the global tokens. steps: what must be computed one after the
    other; path: the layers until any two positions have met. orders: where time, steps
    and path are printed, or ``OWN`` where they follow from the formula alone.
    """

    name: str
    topic: str
    paper: str
    chapter: str
    layer: str | None
    time: str
    memory: str
    steps: str = "O(1)"
    path: str = "O(1)"
    orders: str = OWN


CATALOG = (
    Mechanism(
        name="scaled_dot_product_attention",
        topic="dot_product",
        paper="Vaswani et al. 2017, section 3.2.1",
        chapter="04_scaled_dot_product",
        layer=None,
        time="O(n^2 d)",
        memory="O(n^2)",
        orders=BASE,
    ),
    Mechanism(
        name="fixed_context_decoder",
        topic="recurrent",
        paper="Cho et al. 2014, section 2.2",
        chapter="01_bottleneck",
        layer="FixedContextDecoder",
        time="O(n d^2)",
        memory="O(d)",
        steps="O(n)",
        path="O(n)",
        orders=BASE,
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
        path="O(1) in the window",
    ),
    Mechanism(
        name="self_attention",
        topic="self_attention",
        paper="Vaswani et al. 2017, section 3.2",
        chapter="05_self_attention",
        layer="SelfAttention",
        time="O(n^2 d)",
        memory="O(n^2)",
        orders=BASE,
    ),
    Mechanism(
        name="multi_head_attention",
        topic="multi_head",
        paper="Vaswani et al. 2017, section 3.2.2",
        chapter="06_multi_head",
        layer="MultiHeadAttention",
        time="O(n^2 d + n d^2)",
        memory="O(h n^2)",
        orders=BASE,
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
        name="log_length_scale",
        topic="lengthening",
        paper="Llama 4, as in transformers",
        chapter="15_longer_than_training",
        layer="LogLengthScale",
        time="O(n d)",
        memory="O(n d)",
    ),
    Mechanism(
        name="linear_attention",
        topic="linear",
        paper="Katharopoulos et al. 2020, section 3",
        chapter="11_linearized",
        layer="LinearAttention",
        time="O(n d^2)",
        memory="O(n d)",
        steps="O(1), causal O(n / c)",
        orders="Katharopoulos et al. 2020, section 3",
    ),
    Mechanism(
        name="delta_rule_attention",
        topic="delta_rule",
        paper="Schlag et al. 2021, section 4.2; Yang et al. 2024",
        chapter="11_linearized",
        layer="DeltaRuleAttention",
        time="O(n d^2)",
        memory="O(n d)",
        steps="O(n / c)",
    ),
    Mechanism(
        name="performer_attention",
        topic="random_features",
        paper="Choromanski et al. 2021, section 2",
        chapter="11_linearized",
        layer="PerformerAttention",
        time="O(n m d)",
        memory="O(n m)",
        steps="O(1), causal O(n / c)",
        orders="Choromanski et al. 2021, section 2",
    ),
    Mechanism(
        name="random_feature_attention",
        topic="random_features",
        paper="Peng et al. 2021, section 3",
        chapter="11_linearized",
        layer="RandomFeatureAttention",
        time="O(n m d)",
        memory="O(n m)",
        steps="O(1), causal O(n / c)",
    ),
    Mechanism(
        name="linformer_attention",
        topic="low_rank",
        paper="Wang et al. 2020, section 4",
        chapter="12_low_rank_and_hashing",
        layer="LinformerAttention",
        time="O(n k d)",
        memory="O(n k)",
        orders="Wang et al. 2020, Table 1",
    ),
    Mechanism(
        name="lsh_attention",
        topic="hashing",
        paper="Kitaev, Kaiser & Levskaya 2020, section 2",
        chapter="12_low_rank_and_hashing",
        layer="LSHAttention",
        time="O(n log n + n c d)",
        memory="O(n c)",
        steps="O(log n)",
        path="by chance",
        orders="Wang et al. 2020, Table 1",
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
    Mechanism(
        name="sliding_window_attention",
        topic="window",
        paper="Beltagy, Peters & Cohan 2020, section 3.1",
        chapter="10_sparse",
        layer="SlidingWindowAttention",
        time="O(n w d)",
        memory="O(n w)",
        path="O(n / w)",
        orders=BASE + ", restricted",
    ),
    Mechanism(
        name="dilated_window_attention",
        topic="window",
        paper="Beltagy, Peters & Cohan 2020, section 3.1",
        chapter="10_sparse",
        layer="DilatedWindowAttention",
        time="O(n w d)",
        memory="O(n w)",
        path="O(n / (w r))",
    ),
    Mechanism(
        name="longformer_attention",
        topic="window",
        paper="Beltagy, Peters & Cohan 2020, section 3.1",
        chapter="10_sparse",
        layer="LongformerAttention",
        time="O(n (w + g) d)",
        memory="O(n (w + g))",
        path="2",
        orders="Beltagy et al. 2020, section 3.1",
    ),
    Mechanism(
        name="strided_attention",
        topic="strided",
        paper="Child et al. 2019, section 4.3",
        chapter="10_sparse",
        layer="StridedAttention",
        time="O(n sqrt(n) d)",
        memory="O(n sqrt(n))",
        path="2",
        orders="Child et al. 2019, section 4.2",
    ),
    Mechanism(
        name="fixed_attention",
        topic="strided",
        paper="Child et al. 2019, section 4.3",
        chapter="10_sparse",
        layer="FixedAttention",
        time="O(n sqrt(n) d)",
        memory="O(n sqrt(n))",
        path="2",
        orders="Child et al. 2019, section 4.2",
    ),
    Mechanism(
        name="block_sparse_attention",
        topic="block_sparse",
        paper="Child et al. 2019, section 5.5",
        chapter="10_sparse",
        layer="BlockSparseAttention",
        time="O(blocks c^2 d)",
        memory="O(blocks c^2)",
        path="by the layout",
    ),
    Mechanism(
        name="big_bird_attention",
        topic="block_sparse",
        paper="Zaheer et al. 2020, section 2",
        chapter="10_sparse",
        layer="BigBirdAttention",
        time="O(n (w + g + r) d)",
        memory="O(n (w + g + r))",
        path="2",
    ),
    Mechanism(
        name="flash_attention",
        topic="flash",
        paper="Dao et al. 2022, section 3; Dao 2023, section 3",
        chapter="14_flash",
        layer="FlashAttention",
        time="O(n^2 d)",
        memory="O(n d)",
        steps="O(n / c)",
        orders="Dao et al. 2022, section 3",
    ),
)

# The layers before attention, for the same table; k is the kernel's width.
KERNEL = "O(n / k), dilated O(log_k n)"
BESIDE = (
    Mechanism(
        *("recurrent", "", "", "", None, "O(n d^2)", "O(n d)", "O(n)", "O(n)", BASE)
    ),
    Mechanism(
        *("convolutional", "", "", "", None, "O(k n d^2)", "O(n d)", "O(1)", KERNEL),
        BASE,
    ),
    Mechanism(
        *("separable convolutional", "", "", "", None, "O(k n d + n d^2)", "O(n d)"),
        *("O(1)", KERNEL, BASE),
    ),
)
